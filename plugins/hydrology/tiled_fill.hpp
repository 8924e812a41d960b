// tiled_fill.hpp — fill() without epsilon on tiles, so that a terrain of any size is filled with a few of them in
// memory. The result is that of fill(), cell by cell; -0.0 and 0.0 are one height.
//
// R. Barnes: "Parallel priority-flood depression filling for trillion cell digital elevation models on desktops or
// clusters", Computers & Geosciences 96 (2016), arXiv:1606.06204, in the variant that reads each tile twice and keeps
// none. What differs from the paper: a tile is filled by fill()'s own growth of pits with its rim as outlets, then its
// cells are labelled by descent; of the spill graph of a tile only the minimum spanning forest is kept; and a tile is
// sent the final heights of its rim rather than those of its labels, so that filling it again from there finishes it.
//
//     tiled_levels<float> levels{tiles};
//     for (each tile) levels.add(tile, find_spills(heights, land, threads));
//     levels.solve();
//     for (each tile) fill_tile(heights, land, levels.of(tile), threads);
#pragma once
#include "fill.hpp"
#include "tiling.hpp"

namespace gdalmcp_hydrology {

// Water passes between the nodes a and b at this level.
template <class F>
struct spill {
    F level;
    std::uint32_t a, b;
};

// A node is a set of cells from each of which water reaches each other without climbing above the higher of the two;
// node 0 is beyond the terrain.
template <class F>
struct fill_message {
    std::vector<F> heights;            // of the rim, by place: -infinity outside the terrain, infinity in a hole
    std::vector<std::uint32_t> nodes;  // of the rim, by place
    std::uint32_t node_count = 1;      // with node 0
    std::vector<spill<F>> spills;
};

// Forward. surface, land: of the tile; the terrain may leave it over the rim anywhere. Cells without terrain are
// ignored. Instantiated for float and double.
template <class F>
fill_message<F> find_spills(grid<F> surface, const grid<footprint>& land, std::size_t threads,
                            const progress& tick = {});

// Solves the spill graph of all tiles: memory goes with the nodes and with the cells on rims.
template <class F>
class tiled_levels {
public:
    explicit tiled_levels(const tiling& tiles) : seams_{tiles}, first_(tiles.count()), nodes_(tiles.count()) {}

    // Throws std::length_error on more than 2^32 nodes.
    void add(std::size_t tile, fill_message<F> message);

    // Once, after all tiles were added.
    void solve();

    // The level to which the water stands at least, of the rim of a tile by place; infinity where it drains nowhere.
    std::vector<F> of(std::size_t tile);

private:
    struct rim_cell {
        F height;
        std::uint32_t node;
    };
    void link(const rim_cell& a, const rim_cell& b);

    seams<rim_cell> seams_;
    std::vector<std::uint32_t> first_;
    std::vector<std::vector<std::uint32_t>> nodes_;  // of the rims
    std::uint32_t node_count_ = 1;
    std::vector<spill<F>> spills_;
    std::size_t reduce_at_ = std::size_t{1} << 20;
    std::vector<F> levels_;  // of the nodes
};

// Backward: fills the tile, given what tiled_levels says of its rim; returns how many cells drain nowhere and were left
// as they are. Those turn from terrain to hole in `land`. Instantiated for the types of fill().
template <class T>
std::size_t fill_tile(grid<T>& surface, grid<footprint>& land, const std::vector<filled_as<T>>& levels,
                      std::size_t threads, const progress& tick = {});

}  // namespace gdalmcp_hydrology
