// The nearest of many traced shapes, by geodesics (Karney 2013), anywhere on Earth: over the poles and the antimeridian
// as well.
//
// Two trees of boxes in geocentric space, of the pieces of the shapes and of those of the one asked for, are searched
// together. A chord is never longer than the geodesic between its ends, so the distance of two boxes, or of two chords,
// bounds that on the ground from below, and what is searched in its order is exact. Geodesics are computed only between
// pieces that may bring a shape nearer.
#pragma once
#include <geodesic.h>

#include <limits>
#include <vector>

#include "ogr_piece_tree.hpp"

namespace gdalmcp_vector {

struct neighbour {
    std::size_t item;
    double distance;  // m
};

struct neighbours {
    std::vector<neighbour> nearest;  // ascending; among equals the lowest item first
    std::size_t tied = 0;            // more that are as near as the last of them
};

class nearest_index {
public:
    static constexpr double equal = 1e-6;  // m: distances that differ by less are ties

    // Edges between points within 2 cm of straight count as straight; see tracer.
    nearest_index(const gdalmcp::ellipsoid&, const std::vector<traced>& items);

    // The `k` nearest not farther than `most` m. `touching`: items at distance 0, which lines alone do not show where a
    // shape lies within a polygon. It may be asked by all threads at once.
    neighbours nearest(const traced& from, std::size_t k, double most = std::numeric_limits<double>::infinity(),
                       const std::vector<std::size_t>& touching = {}) const;

    std::size_t size_bytes() const;

private:
    using point = piece_tree::point;
    class shortlist;
    struct search;
    double distance(const point& a0, const point& a1, const point& b0, const point& b1) const;
    double from_segment(const point& p, const point& a, const point& b) const;
    bool crossing(const point& a0, const point& a1, const point& b0, const point& b1) const;

    gdalmcp::ellipsoid earth_;
    geod_geodesic geodesic_{};
    piece_tree tree_;
};

}  // namespace gdalmcp_vector
