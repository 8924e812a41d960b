// scattered_points.hpp — values at scattered points, and the nearest of them, over plain arrays.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace gdalmcp_raster_more {

struct measured_point {
    double x = 0, y = 0, value = 0;
};

// Points at one place become one with the mean of their values, in the order of x, y. Returns how many points fell
// away.
std::size_t merge_duplicates(std::vector<measured_point>& points);

struct neighbour {
    double distance = 0;
    std::size_t point = 0;
};

// Finds the nearest points: a k-d tree (Bentley 1975). Does not change once made, so threads may share it.
class point_index {
public:
    // REQUIRES: `points` outlives it.
    explicit point_index(const std::vector<measured_point>& points);

    static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

    // The `most` nearest points within `radius`, by distance and number; `without`: a point that is passed over.
    void nearest(double x, double y, std::size_t most, double radius, std::size_t without,
                 std::vector<neighbour>& found) const;

private:
    struct search;
    void split(std::size_t begin, std::size_t end, bool by_x);
    void visit(std::size_t begin, std::size_t end, bool by_x, search& s) const;

    const std::vector<measured_point>& points_;
    std::vector<std::size_t> order_;  // a balanced tree: the middle of each range is its root
};

}  // namespace gdalmcp_raster_more
