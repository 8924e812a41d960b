// tiles.hpp — small grids cut in tiles, which come in several orders.
#pragma once
#include <hydrology/tiling.hpp>
#include <numeric>
#include <random>

namespace tiles {

using gdalmcp_hydrology::grid;
using gdalmcp_hydrology::placed_tile;
using gdalmcp_hydrology::shape;

// One cell, rows, columns, odd sizes, and the whole.
inline const std::vector<shape> sizes{{1, 1}, {1, 100}, {100, 1}, {3, 5}, {7, 4}, {100, 3}, {100, 100}};

enum class order { forwards, backwards, shuffled };

inline std::vector<std::size_t> in_order(std::size_t tiles, order wanted) {
    std::vector<std::size_t> all(tiles);
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (wanted == order::backwards) std::reverse(all.begin(), all.end());
    if (wanted == order::shuffled) std::shuffle(all.begin(), all.end(), std::mt19937{7});
    return all;
}

template <class T>
grid<T> cut(const grid<T>& whole, const placed_tile& tile) {
    grid<T> part{tile.extent};
    for (std::size_t r = 0; r < part.height(); ++r)
        for (std::size_t c = 0; c < part.width(); ++c) part(r, c) = whole(tile.row + r, tile.column + c);
    return part;
}

template <class T>
void paste(grid<T>& whole, const placed_tile& tile, const grid<T>& part) {
    for (std::size_t r = 0; r < part.height(); ++r)
        for (std::size_t c = 0; c < part.width(); ++c) whole(tile.row + r, tile.column + c) = part(r, c);
}

}  // namespace tiles
