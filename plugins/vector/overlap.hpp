// Which of several shapes a polygon shares the largest area with.
#pragma once
#include <functional>
#include <vector>

#include "geos.hpp"

namespace gdalmcp_vector {

struct largest_overlap {
    std::vector<std::size_t> items;  // ascending; several share the same area; none where only edges touch
    double area = 0;                 // that of the part in common with one of them
};

// `candidates`: indexes of `shapes`. `area`: of a polygonal shape. Areas within a factor of 1e-9 are the same.
// REQUIRES: all valid.
largest_overlap find_largest_overlap(const GEOSGeometry& polygon, const std::vector<std::size_t>& candidates,
                                     const std::vector<const GEOSGeometry*>& shapes,
                                     const std::function<double(const GEOSGeometry&)>& area);

}  // namespace gdalmcp_vector
