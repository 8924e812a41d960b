// Arcs that get in each other's way. Arrays only.
#pragma once
#include "arc_network.hpp"

#include <set>
#include <utility>

namespace gdalmcp_vector {

using arc_pair = std::pair<std::size_t, std::size_t>;  // the lower first; an arc with itself where it meets itself

// Pairs of arcs that cross, run over each other, or touch elsewhere than at vertices of both.
std::set<arc_pair> crossings(const std::vector<point_list>& arcs);

// Arcs that pass over the place of another: between an arc and its simplified form lies an end of another one.
std::set<std::size_t> passed_over(const std::vector<point_list>& arcs,
                                  const std::vector<std::vector<std::size_t>>& kept);

}  // namespace gdalmcp_vector
