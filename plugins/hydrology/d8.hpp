// d8.hpp — one flow direction per cell: to the neighbour with the steepest drop, across flats by two gradients.
//
// J. O'Callaghan, D. Mark: "The extraction of drainage networks from digital elevation data" (1984), and for flats
// R. Barnes, C. Lehman, D. Mulla: "An efficient assignment of drainage direction over flat surfaces in raster digital
// elevation models", Computers & Geosciences 62 (2014): away from higher terrain and, twice as strongly, towards lower.
//
// A cell with a lower neighbour drains to it even at the border. A border cell without one drains off the terrain: to
// the first outside neighbour in the order E, S, W, N, SE, SW, NW, NE. Equal drops go to the first in the order E, SE,
// S, SW, W, NW, N, NE. Cells of depressions that were not filled, and flats without an outlet, are `undrained`.
#pragma once
#include "cell_sizes.hpp"
#include "footprint.hpp"
#include "strips.hpp"

namespace gdalmcp_hydrology {

struct d8_report {
    std::size_t flats_resolved = 0;       // flats that drain, each a connected region of equal elevation
    std::size_t flat_cells_resolved = 0;  // cells in them that had no lower neighbour
    std::size_t undrained = 0;
};

// Instantiated for the types of fill(). Values of the result are `direction`s.
template <class T>
grid<std::uint8_t> d8(const grid<T>& surface, const grid<footprint>& land, const cell_sizes& sizes, d8_report& report,
                      const progress& tick = {}, const team& by = {});

}  // namespace gdalmcp_hydrology
