// tiled_accumulation.hpp — accumulate() for D8 directions on tiles, so that a raster of any size is worked on with one
// tile in memory. Counts are those of accumulate(), areas and weights up to the order of summation.
//
// R. Barnes: "Parallel non-divergent flow accumulation for trillion cell digital elevation models on desktops or
// clusters", Environmental Modelling & Software 92 (2017), arXiv:1608.04431, in the variant that reads each tile twice
// and keeps none. Beyond the paper, contamination from the edge of the raster and from nodata crosses tiles as well.
//
//     tiled_flow<std::uint64_t> flow{tiles};
//     for (each tile) flow.add(tile, find_links(directions, own));
//     if (flow.solve()) ...;  // a loop
//     for (each tile) accumulate_tile(directions, own, flow.of(tile));
#pragma once
#include <limits>

#include "accumulation.hpp"
#include "tiling.hpp"

namespace gdalmcp_hydrology {

inline constexpr std::uint32_t no_exit = std::numeric_limits<std::uint32_t>::max();

// By place on the rim of a tile.
template <class V>
struct flow_message {
    std::vector<std::uint8_t> directions;
    std::vector<std::uint32_t> exits;        // the place where what enters here leaves the tile, or no_exit
    std::vector<V> values;                   // flow of the tile's own cells
    std::vector<std::uint8_t> contaminated;  // 1 where nodata in the tile contaminates
    std::optional<std::size_t> cycle;        // a cell of the tile on a flow loop; then nothing else is meaningful
};

// Forward. As for accumulate_tile().
template <class V>
flow_message<V> find_links(const grid<std::uint8_t>& directions, grid<V> own, const progress& tick = {});

// Memory goes with the cells on rims. Instantiated for std::uint64_t and double.
template <class V>
class tiled_flow {
public:
    explicit tiled_flow(const tiling& tiles) : tiles_{tiles}, rims_(tiles.count()) {}

    void add(std::size_t tile, flow_message<V> message);

    // Once, after all tiles were added. Returns a cell (index in the raster) on a flow loop or downstream of one.
    std::optional<std::size_t> solve();

    // Backward: what accumulate_tile() needs of the other tiles.
    rim_inflow<V> of(std::size_t tile) const;

private:
    struct rim_cell {
        V value{}, inflow{};  // value: of the flow that leaves the tile here
        std::uint32_t exit = no_exit;
        std::uint32_t awaited = 0;  // entries whose flow is not known yet, of those that leave here
        std::uint8_t direction = no_terrain;
        std::uint8_t donors = 0;    // in other tiles, whose flow is not known yet
        bool contaminated = false;  // with its flow where it leaves
        bool from_beyond = false;   // contaminated from beyond the tile
        bool passed_on = false;     // drains to another tile
    };
    struct place {
        std::size_t tile, on_rim;
    };
    rim_cell& at(const place& p) { return rims_[p.tile][p.on_rim]; }
    const rim_cell& at(const place& p) const { return rims_[p.tile][p.on_rim]; }
    // The cell of another tile that one on a rim drains to. REQUIRES: passed_on.
    place drain_of(const place& from) const;
    void link();

    tiling tiles_;
    std::vector<std::vector<rim_cell>> rims_;
    std::optional<std::size_t> cycle_;
};

}  // namespace gdalmcp_hydrology
