// flats.hpp — directions across flats: towards lower terrain and away from higher, by the artificial relief of R.
// Barnes, C. Lehman, D. Mulla: "An efficient assignment of drainage direction over flat surfaces in raster digital
// elevation models", Computers & Geosciences 62 (2014), algorithms 3 to 6, one flat at a time.
#pragma once
#include "footprint.hpp"
#include "strips.hpp"

namespace gdalmcp_hydrology {

struct resolved_flats {
    std::size_t flats = 0;      // that drain: connected cells of equal elevation, none with a lower neighbour
    std::size_t cells = 0;      // in them
    std::size_t undrained = 0;  // cells of flats without a way down, which keep `undrained`
};

// Replaces `undrained` by a direction wherever the flat has a cell beside it, as high, that drains. directions: of
// steepest drop, with `undrained` where there is no lower neighbour and no outlet. Equal gradients go to the first in
// the order E, S, W, N, SE, SW, NW, NE. REQUIRES: at most 2^32 - 2 cells.
template <class T>
resolved_flats resolve_flats(const grid<T>& surface, grid<std::uint8_t>& directions, const progress& tick = {},
                             const team& by = {});

}  // namespace gdalmcp_hydrology
