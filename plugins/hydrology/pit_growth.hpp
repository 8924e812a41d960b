// pit_growth.hpp — depressions filled from their floors up. Only cells of depressions are visited, where flooding a
// terrain from its outlets visits all.
//
// From each cell without a lower neighbour a region grows, its lowest neighbour first, until a cell beside it lies
// below the level reached: there the water spills, and the region is raised to that level. Region growing from pits is
// that of J. Lindsay's FillDepressions (WhiteboxTools, 2014); tiles, whose regions are left to larger tiles when they
// reach the border, let it run on several cores. The result does not depend on the order of the pits: it is the one
// fill().
//
// Where depressions are nested deeply the same cells are visited again and again. The work is therefore limited; what
// is left then lies between the terrain and its filled surface, and a flood from the outlets completes it.
#pragma once
#include "footprint.hpp"

namespace gdalmcp_hydrology {

struct growth_limits {
    std::vector<std::size_t> tiles{256, 1024, 4096};  // sides of the tiles, in cells, before the whole grid
    double visits = 0.75;                             // per cell of the grid
    std::size_t threads = 0;                          // besides the caller's; 0: none
};

struct grown_depressions {
    bool complete = true;               // false: the limit of visits was reached
    std::vector<std::size_t> enclosed;  // terrain within holes: it drains nowhere, and may have been raised
};

// Raises `surface` in place. Cells without terrain change. REQUIRES: at most 2^32 cells. Instantiated for float and
// double.
template <class F>
grown_depressions grow_depressions(grid<F>& surface, const grid<footprint>& land, const growth_limits& limits,
                                   const progress& tick = {});

}  // namespace gdalmcp_hydrology
