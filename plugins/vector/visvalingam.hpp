// Which vertices of a line matter, by the triangles they make with their neighbours. Arrays only.
#pragma once
#include "arc_network.hpp"

namespace gdalmcp_vector {

// Indexes of the vertices kept, the first and last among them. Vertices go by the least area first, until the triangle
// of each has at least `area`; an area never counts less than that of a vertex gone before. Source: Visvalingam and
// Whyatt 1993.
std::vector<std::size_t> visvalingam(const point_list&, double area);

}  // namespace gdalmcp_vector
