// accumulation.hpp — flow through each cell: its own contribution and that of every cell upstream.
//
// Each cell is visited once, after all its donors: from every cell without donors the flow is followed as far as no
// other donor is missing, the top-down algorithm that B. Kotyra et al. measure in Computers & Geosciences (2021),
// doi:10.1016/j.cageo.2021.104741, at once in strips of rows and then from strip to strip. Counts are integers: 32-bit
// floats lose cells above 2^24. A cell counts itself.
#pragma once
#include <optional>

#include "strips.hpp"

namespace gdalmcp_hydrology {

template <class V>
struct accumulation {
    grid<V> values;                   // 0 where there is no terrain
    grid<std::uint8_t> contaminated;  // 1 where cells beyond the edge or in nodata may drain to it, unseen
    std::size_t contaminated_cells = 0;
    std::size_t terrain_cells = 0;
    std::size_t outlets = 0;  // cells that drain off the terrain or nowhere
    V contributed{};          // sum of all contributions
    V discharged{};           // sum of the values at the outlets: equal to `contributed`, or cells were lost
    V maximum{};
    std::size_t maximum_cell = off_grid;  // of several, the first by rows
    std::optional<std::size_t> cycle;     // a cell on a flow loop; then nothing else is meaningful
};

// directions: values of `direction`. own: what each cell contributes, the same shape, or empty for 1 per cell; becomes
// the result.
// A cell is contaminated when it lies at the edge of the raster or beside a cell without terrain, or downstream of
// such a cell. Sums are added up in an order that depends on the strips alone. Instantiated for std::uint32_t, which
// counts grids in memory, std::uint64_t and double.
template <class V>
accumulation<V> accumulate(const grid<std::uint8_t>& directions, grid<V> own, const progress& tick = {},
                           const team& by = {});

// How values change from a cell to the one it drains to; NaN and equal values are not counted.
struct flow_trend {
    std::size_t rising = 0, falling = 0;  // steps
};

// Flow that single directions gather never falls, that of several receivers (dinf, mfd) in a quarter of the steps or
// less (0.23, 0.24 on hills without channels); heights fall in nearly all (0.98), codes in about half (0.48).
flow_trend trend_along(const grid<std::uint8_t>& directions, const grid<double>& values);

// What reaches a tile of a larger raster from others, and what it passes on; by place on its rim.
template <class V>
struct rim_inflow {
    std::vector<V> values;
    std::vector<std::uint8_t> contaminated;  // 1 where the cell is contaminated from beyond the tile
    std::vector<std::uint8_t> passed_on;     // 1 where the cell drains to another tile: it is no outlet
};

// The same for a tile: its edge contaminates nothing, except as `inflow` says. What flows in is not `contributed`.
template <class V>
accumulation<V> accumulate_tile(const grid<std::uint8_t>& directions, grid<V> own, const rim_inflow<V>& inflow,
                                const progress& tick = {});

}  // namespace gdalmcp_hydrology
