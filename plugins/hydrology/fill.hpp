// fill.hpp — depressions filled to their spill level: grown from their floors (pit_growth), completed by
// priority-flood.
//
// R. Barnes, C. Lehman, D. Mulla: "Priority-flood: an optimal depression-filling and watershed-labeling algorithm for
// digital elevation models", Computers & Geosciences 62 (2014), algorithms 2 (fill) and 3 (epsilon gradient).
//
// The filled surface is the lowest one that nowhere lies below the terrain and from every cell of which water reaches
// an outlet without climbing (8 neighbours). It is a unique function of terrain and outlets; cells that are not
// raised keep their bits, so integers stay integers and -0.0 stays -0.0.
#pragma once
#include <optional>
#include <type_traits>

#include "cell_sizes.hpp"
#include "footprint.hpp"

namespace gdalmcp_hydrology {

struct fill_options {
    // Make every filled or flat cell fall towards its outlet by the smallest step its type can hold.
    // REQUIRES: a floating-point surface.
    bool epsilon = false;
    // Depressions deeper than this (units of the surface) are left as they are, with all they contain.
    std::optional<double> max_depth{};
    std::size_t threads = 0;  // besides the caller's; the result is the same with any number
};

// A depression is a connected region (8 neighbours) of cells below their spill level. Depths in units of the surface,
// areas in m², volumes in surface units times m².
struct fill_report {
    std::size_t cells_changed = 0;
    std::size_t depressions = 0;
    std::size_t cells_in_depressions = 0;
    double area = 0, volume = 0, deepest = 0;
    std::size_t deepest_cell = off_grid;   // of several, the first by rows
    std::size_t depressions_left = 0;      // deeper than max_depth; counted above too
    std::size_t cells_without_outlet = 0;  // terrain enclosed by holes; left as it is
};

// Instantiated for std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, float and double.
template <class T>
fill_report fill(grid<T>& surface, const grid<footprint>& land, const cell_sizes& sizes, const fill_options& options,
                 const progress& tick = {});

// The type in which a surface of T is filled: it holds every value of T, and infinities.
template <class T>
using filled_as =
    std::conditional_t<std::is_same_v<T, double> || (sizeof(T) == 4 && std::is_integral_v<T>), double, float>;

// The filling alone, without a report or limits: raises every depression to its spill level and returns the cells of
// terrain that drain nowhere. Those and the cells without terrain may hold anything afterwards. Instantiated for float
// and double.
template <class F>
std::vector<std::size_t> raise_to_spill(grid<F>& surface, const grid<footprint>& land, std::size_t threads,
                                        const progress& tick = {});

}  // namespace gdalmcp_hydrology
