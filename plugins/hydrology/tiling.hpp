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
    // Row and column of the cell at a place.
    std::array<std::size_t, 2> cell_at(std::size_t place) const {
        if (place < extent.width) return {0, place};
        if (place < 2 * extent.width) return {extent.height - 1, place - extent.width};
        const auto inner = extent.height - 2, side = place - 2 * extent.width;
        return side < inner ? std::array{side + 1, std::size_t{0}} : std::array{side - inner + 1, extent.width - 1};
    }
    // Nothing for a cell, by its index in the tile, that is not on the rim.
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
    // visit(place, direction, other tile, place on its rim) for each cell of the rim and each neighbour of it outside
    // the tile, in the order of the places; the other tile is off_grid where the raster ends.
    template <class Visit>
    void beyond(std::size_t number, Visit&& visit) const {
        const auto tile = at(number);
        rim{tile.extent}.each([&](std::size_t place, std::size_t row, std::size_t column) {
            const auto cell = row * tile.extent.width + column;
            for (std::size_t d = 0; d < neighbours.size(); ++d) {
                if (tile.extent.neighbour(cell, d) != off_grid) continue;
                const auto whole = (tile.row + row) * whole_.width + tile.column + column;
                const auto n = whole_.neighbour(whole, d);
                if (n == off_grid) {
                    visit(place, d, off_grid, off_grid);
                    continue;
                }
                const auto r = whole_.row(n), c = whole_.column(n), other = tile_of(r, c);
                const auto there = at(other);
                visit(place, d, other, rim{there.extent}.place(r - there.row, c - there.column));
            }
        });
    }

private:
    shape whole_, tile_, counts_;
};

// Brings together the values on both sides of the tiles' edges as the tiles arrive, and forgets those of tiles whose
// neighbours have all arrived: with tiles in their order a row of tiles is kept at a time.
template <class V>
class seams {
public:
    explicit seams(const tiling& tiles) : tiles_{tiles}, arrived_(tiles.count()), values_(tiles.count()) {}

    // values: by place on the rim. meet(value, beyond, its tile) for each pair of neighbouring cells (8 neighbours) of
    // this tile and of one that arrived before; leave(value), maybe several times, for each cell at the edge of
    // the raster.
    template <class Meet, class Leave>
    void add(std::size_t number, std::vector<V> values, Meet&& meet, Leave&& leave) {
        tiles_.beyond(number, [&](std::size_t place, std::size_t, std::size_t other, std::size_t at) {
            if (other == off_grid)
                leave(values[place]);
            else if (arrived_[other])
                meet(values[place], values_[other][at], other);
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
