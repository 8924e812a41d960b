// tiled_depressions.hpp — the depressions of a filled terrain on tiles: the report of fill(), and which of them are
// deeper than a limit.
#pragma once
#include "depression.hpp"
#include "fill.hpp"
#include "tile_regions.hpp"

namespace gdalmcp_hydrology {

// Depths in units of the surface, areas in m², volumes in surface units times m².
struct depression_sums {
    std::size_t cells = 0;
    double area = 0, volume = 0, deepest = 0;
    std::size_t deepest_cell = off_grid;  // of the whole raster; of several, the first by rows

    void add(const depression_sums& other);
};

struct depression_message {
    std::vector<depression_sums> within;  // that do not reach the rim
    std::vector<std::uint32_t> on_rim;    // by place, the depression from 1; 0 outside of them
    std::vector<depression_sums> parts;   // of those on the rim
};

// Forward: the depressions between `terrain` and `filled`, cells of the tile. sizes: of the whole raster.
template <class T>
depression_message measure_depressions(const grid<T>& terrain, const grid<T>& filled, const tiling& tiles,
                                       std::size_t tile, const cell_sizes& sizes);

class tiled_depressions {
public:
    explicit tiled_depressions(const tiling& tiles, std::optional<double> max_depth = {})
        : regions_{tiles}, parts_(tiles.count()), max_depth_{max_depth} {}

    void add(std::size_t tile, depression_message message);

    // Once all tiles were added. cells_without_outlet is not known here.
    fill_report solve();

    // Backward: lowers the depressions deeper than the limit to the terrain again.
    template <class T>
    void restore_deep(std::size_t tile, const grid<T>& terrain, grid<T>& filled);

private:
    void count(const depression_sums& one);

    joined_regions regions_;
    std::vector<std::vector<depression_sums>> parts_;
    std::optional<double> max_depth_;
    fill_report report_;
    std::vector<std::uint8_t> deep_;  // by root
};

}  // namespace gdalmcp_hydrology
