// breach.hpp — depressions drained by cutting a path through their rim, where that is cheap enough.
//
// Least-cost breaching after J. Lindsay, K. Dhun: "Modelling surface drainage patterns in altered landscapes using
// LiDAR", International Journal of Geographical Information Science 29 (2015): from each pit the path is searched that
// is cheapest to dig to a lower cell or off the terrain, and lowered to the height of the pit. The cost of a path is
// the area of its cut seen from the side, the sum of depth times length of step; of equals the shorter path wins. Pits
// are treated from the lowest up, so that those above can use the cuts below.
#pragma once
#include <optional>

#include "cell_sizes.hpp"
#include "footprint.hpp"

namespace gdalmcp_hydrology {

struct breach_limits {
    double max_length = 0;            // m, along the path
    std::optional<double> max_depth;  // of a cut in any cell, units of the surface
};

// A pit is a connected region (8 neighbours) of equal height without a lower neighbour and without an outlet.
struct breach_report {
    std::size_t pits = 0;
    std::size_t left = 0;  // pits that no path within the limits drains
    std::size_t cells_lowered = 0;
    double deepest = 0;  // cut, units of the surface
    double longest = 0;  // path of a cut, m
};

// Lowers `surface` in place; raises nothing. Instantiated for the types of fill(). REQUIRES: at most 2^32 - 1 cells.
template <class T>
breach_report breach(grid<T>& surface, const grid<footprint>& land, const cell_sizes& sizes,
                     const breach_limits& limits, const progress& tick = {});

}  // namespace gdalmcp_hydrology
