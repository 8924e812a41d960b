// tiling.hpp — a raster cut into tiles, and what the cells on both sides of their edges have to do with each other.
//
// Algorithms on tiles have the shape forward(tile) -> message, solve(messages), backward(tile, message): R. Barnes,
// "Parallel priority-flood depression filling for trillion cell digital elevation models on desktops or clusters",
// Computers & Geosciences 96 (2016), arXiv:1606.06204. A message speaks of the rim of a tile only: the cells that have
// a neighbour outside the tile. Tiles may be worked on in any order.
#pragma once
#include <algorithm>
#include <optional>
#include <utility>

#include "grid.hpp"

namespace gdalmcp_hydrology {

struct placed_tile {
    std::size_t row = 0, column = 0;  // of its first cell
    shape extent;
};

// Tiles of one size, smaller ones at the right and at the bottom; numbered from west to east, then from north to south.
class tiling {
public:
    // REQUIRES: neither extent is empty.
    tiling(shape whole, shape tile)
        : whole_{whole},
          tile_{std::min(tile.width, whole.width), std::min(tile.height, whole.height)},
          counts_{(whole.width + tile_.width - 1) / tile_.width, (whole.height + tile_.height - 1) / tile_.height} {}

    const shape& whole() const { return whole_; }
    std::size_t count() const { return counts_.size(); }
    placed_tile at(std::size_t number) const {
        const auto row = counts_.row(number) * tile_.height, column = counts_.column(number) * tile_.width;
        return {
            row, column, {std::min(tile_.width, whole_.width - column), std::min(tile_.height, whole_.height - row)}};
    }
    std::size_t tile_of(std::size_t row, std::size_t column) const {
        return row / tile_.height * counts_.width + column / tile_.width;
    }
    // Of tiles as of cells.
    template <class Visit>
    void around(std::size_t number, Visit&& visit) const {
        counts_.around(number, [&](std::size_t n, std::size_t) { visit(n); });
    }

private:
    shape whole_, tile_, counts_;
};

// The rim of a tile: first row, last row, then the first and the last column between them.
struct rim {
    shape extent;

    std::size_t size() const {
        if (extent.height <= 2 || extent.width <= 2) return extent.size();
        return 2 * extent.width + 2 * (extent.height - 2);
    }
    // Place on the rim of a cell of it.
    std::size_t place(std::size_t row, std::size_t column) const {
        if (row == 0) return column;
        if (row + 1 == extent.height) return extent.width + column;
        const auto inner = extent.height - 2;
        return 2 * extent.width + (column == 0 ? 0 : inner) + row - 1;
    }
    std::optional<std::size_t> place_of(std::size_t cell) const {
        const auto row = extent.row(cell), column = extent.column(cell);
        const bool inside = row > 0 && column > 0 && row + 1 < extent.height && column + 1 < extent.width;
        return inside ? std::nullopt : std::optional{place(row, column)};
    }
    // visit(place, row, column), in the order of the places.
    template <class Visit>
    void each(Visit&& visit) const {
        const auto [width, height] = extent;
        std::size_t place = 0;
        for (std::size_t c = 0; c < width; ++c) visit(place++, std::size_t{0}, c);
        for (std::size_t c = 0; height > 1 && c < width; ++c) visit(place++, height - 1, c);
        for (std::size_t r = 1; r + 1 < height; ++r) visit(place++, r, std::size_t{0});
        for (std::size_t r = 1; width > 1 && r + 1 < height; ++r) visit(place++, r, width - 1);
    }
    template <class T>
    std::vector<T> of(const grid<T>& cells) const {
        std::vector<T> found(size());
        each([&](std::size_t place, std::size_t r, std::size_t c) { found[place] = cells(r, c); });
        return found;
    }
};

// Brings together the values on both sides of the tiles' edges as the tiles arrive, and forgets those of tiles whose
// neighbours have all arrived: with tiles in their order a row of tiles is kept at a time.
template <class V>
class seams {
public:
    explicit seams(const tiling& tiles) : tiles_{tiles}, arrived_(tiles.count()), values_(tiles.count()) {}

    // values: by place on the rim. meet(value, beyond, its tile) for each pair of neighbouring cells (8 neighbours) of
    // this tile and of one that arrived before; leave(value) for each cell at the edge of the raster.
    template <class Meet, class Leave>
    void add(std::size_t number, std::vector<V> values, Meet&& meet, Leave&& leave) {
        const auto tile = tiles_.at(number);
        const auto rows = static_cast<std::ptrdiff_t>(tiles_.whole().height);
        const auto columns = static_cast<std::ptrdiff_t>(tiles_.whole().width);
        rim{tile.extent}.each([&](std::size_t place, std::size_t row, std::size_t column) {
            bool leaves = false;
            for (const auto& step : neighbours) {
                const auto r = static_cast<std::ptrdiff_t>(row) + step.row;
                const auto c = static_cast<std::ptrdiff_t>(column) + step.column;
                if (r >= 0 && c >= 0 && r < static_cast<std::ptrdiff_t>(tile.extent.height) &&
                    c < static_cast<std::ptrdiff_t>(tile.extent.width))
                    continue;
                const auto down = r + static_cast<std::ptrdiff_t>(tile.row);
                const auto across = c + static_cast<std::ptrdiff_t>(tile.column);
                if (down < 0 || across < 0 || down >= rows || across >= columns) {
                    leaves = true;
                    continue;
                }
                const auto other = tiles_.tile_of(static_cast<std::size_t>(down), static_cast<std::size_t>(across));
                if (!arrived_[other]) continue;
                const auto beyond = tiles_.at(other);
                const auto at = rim{beyond.extent}.place(static_cast<std::size_t>(down) - beyond.row,
                                                         static_cast<std::size_t>(across) - beyond.column);
                meet(values[place], values_[other][at], other);
            }
            if (leaves) leave(values[place]);
        });
        arrived_[number] = 1;
        values_[number] = std::move(values);
        forget(number);
        tiles_.around(number, [&](std::size_t n) { forget(n); });
    }

private:
    void forget(std::size_t number) {
        bool complete = arrived_[number] != 0;
        tiles_.around(number, [&](std::size_t n) { complete = complete && arrived_[n]; });
        if (complete) values_[number] = {};
    }

    tiling tiles_;
    std::vector<std::uint8_t> arrived_;
    std::vector<std::vector<V>> values_;
};

}  // namespace gdalmcp_hydrology
