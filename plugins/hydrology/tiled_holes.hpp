// tiled_holes.hpp — trace_footprint() and count_holes() on tiles: nodata that reaches the edge of the raster through
// other tiles lies outside the terrain, what does not is a hole in it.
#pragma once
#include "footprint.hpp"
#include "tile_regions.hpp"

namespace gdalmcp_hydrology {

struct hole_message {
    std::size_t terrain_cells = 0;
    hole_count within;                  // regions of nodata that do not reach the rim
    std::vector<std::uint32_t> on_rim;  // by place, the region of nodata from 1; 0 on terrain
    std::vector<std::size_t> cells;     // of each region on the rim
};

// Forward. valid: non-zero where a cell of the tile has an elevation.
hole_message find_holes(const grid<std::uint8_t>& valid);

class tiled_holes {
public:
    explicit tiled_holes(const tiling& tiles) : regions_{tiles}, cells_(tiles.count()) {}

    void add(std::size_t tile, hole_message message);

    // Once all tiles were added: of the whole raster.
    hole_count count();
    std::size_t terrain_cells() const { return terrain_cells_; }

    // Backward: the footprint of the tile.
    grid<footprint> trace(std::size_t tile, const grid<std::uint8_t>& valid, nodata_holes holes);

private:
    joined_regions regions_;
    std::vector<std::vector<std::size_t>> cells_;
    hole_count within_;
    std::size_t terrain_cells_ = 0;
};

}  // namespace gdalmcp_hydrology
