// flats.hpp — the artificial relief that lets flats drain (Barnes, Lehman & Mulla 2014, algorithms 3 to 6).
#pragma once
#include "footprint.hpp"

namespace gdalmcp_hydrology {

struct flat_relief {
    // 0 = not part of a flat that drains; otherwise the flat's number, from 1.
    grid<std::uint32_t> label;
    // Height in whole steps; inside a flat every cell without a direction has a neighbour of the same label below it.
    grid<std::uint32_t> height;
    std::size_t flats = 0;
};

// directions: of steepest drop, with `undrained` where there is no lower neighbour and no outlet.
template <class T>
flat_relief raise_flats(const grid<T>& surface, const grid<std::uint8_t>& directions);

}  // namespace gdalmcp_hydrology
