// Arcs that get in each other's way. Arrays only.
#pragma once
#include "arc_network.hpp"

#include <compare>
#include <utility>

namespace gdalmcp_vector {

// The line between two consecutive points of an arc, numbered from 0.
struct arc_segment {
    std::size_t arc, segment;
    auto operator<=>(const arc_segment&) const = default;
};
using crossing = std::pair<arc_segment, arc_segment>;  // the lower arc first

// Segments that cross, run over each other, or touch elsewhere than at vertices of both; a pair may come repeatedly.
std::vector<crossing> crossings(const std::vector<point_list>& arcs);

// Segments of simplified arcs, `kept` their vertices, that pass over the place of another arc: between one and the
// stretch it stands for lies an end of another arc.
std::vector<arc_segment> passed_over(const std::vector<point_list>& arcs,
                                     const std::vector<std::vector<std::size_t>>& kept);

}  // namespace gdalmcp_vector
