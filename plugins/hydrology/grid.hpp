// grid.hpp — a raster as a plain array: row-major, row 0 is the northernmost, columns run east.
//
//     grid<float> dem{{3, 2, 1}, {3, 1, 0}};
//     dem(1, 2) == 0;  dem[5] == 0;
//
// Cells are addressed by (row, column) or by their index row * width + column.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cell_memory.hpp"

namespace gdalmcp_hydrology {

// The eight neighbours, clockwise from east; every flow direction in this plugin is an index into this order.
enum direction : std::uint8_t {
    east,
    southeast,
    south,
    southwest,
    west,
    northwest,
    north,
    northeast,
    undrained,  // the cell has terrain but no downslope path
    no_terrain  // the cell has no elevation
};

struct offset {
    int row, column;
};
inline constexpr std::array<offset, 8> neighbours{
    {{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}}};

// For the work on grids in memory, where eight bytes a cell would cost more than they give: at most 2^32 - 1 cells.
using cell_index = std::uint32_t;

inline constexpr std::size_t off_grid = std::numeric_limits<std::size_t>::max();

struct shape {
    std::size_t width = 0, height = 0;

    std::size_t size() const { return width * height; }
    std::size_t row(std::size_t index) const { return index / width; }
    std::size_t column(std::size_t index) const { return index % width; }

    // Index of the neighbour in direction d (0..7), or off_grid where the raster ends.
    std::size_t neighbour(std::size_t index, std::size_t d) const {
        const auto r = static_cast<std::ptrdiff_t>(row(index)) + neighbours[d].row;
        const auto c = static_cast<std::ptrdiff_t>(column(index)) + neighbours[d].column;
        if (r < 0 || c < 0 || r >= static_cast<std::ptrdiff_t>(height) || c >= static_cast<std::ptrdiff_t>(width))
            return off_grid;
        return static_cast<std::size_t>(r) * width + static_cast<std::size_t>(c);
    }

    // From the index of a cell that is not at the edge to those of its neighbours, by direction.
    std::array<std::ptrdiff_t, 8> steps() const {
        std::array<std::ptrdiff_t, 8> all{};
        for (std::size_t d = 0; d < neighbours.size(); ++d)
            all[d] = neighbours[d].row * static_cast<std::ptrdiff_t>(width) + neighbours[d].column;
        return all;
    }

    // visit(neighbour, direction) for each neighbour on the grid, in the order of `direction`.
    template <class Visit>
    void around(std::size_t index, Visit&& visit) const {
        const auto r = static_cast<std::ptrdiff_t>(row(index)), c = static_cast<std::ptrdiff_t>(column(index));
        const auto rows = static_cast<std::ptrdiff_t>(height), columns = static_cast<std::ptrdiff_t>(width);
        const bool inside = r > 0 && c > 0 && r + 1 < rows && c + 1 < columns;
        for (std::size_t d = 0; d < neighbours.size(); ++d) {
            const auto [down, across] = neighbours[d];
            if (!inside && (r + down < 0 || c + across < 0 || r + down >= rows || c + across >= columns)) continue;
            visit(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(index) + down * columns + across), d);
        }
    }

    bool operator==(const shape&) const = default;
};

struct unset {};  // cells hold anything until they are written

template <class T>
class grid {
public:
    grid() = default;
    explicit grid(shape extent, T value = T{}) : extent_{extent}, cells_(extent.size(), value) {}
    grid(shape extent, unset) : extent_{extent}, cells_(extent.size()) {}
    grid(std::initializer_list<std::initializer_list<T>> rows)
        : extent_{rows.size() ? rows.begin()->size() : 0, rows.size()}, cells_(extent_.size()) {
        auto* to = cells_.data();
        for (const auto& row : rows) {
            if (row.size() != extent_.width) throw std::invalid_argument{"the rows of a grid differ in length"};
            to = std::copy(row.begin(), row.end(), to);
        }
    }

    const shape& extent() const { return extent_; }
    std::size_t width() const { return extent_.width; }
    std::size_t height() const { return extent_.height; }
    std::size_t size() const { return cells_.size(); }

    T& operator[](std::size_t index) { return cells_[index]; }
    const T& operator[](std::size_t index) const { return cells_[index]; }
    T& operator()(std::size_t row, std::size_t column) { return cells_[row * extent_.width + column]; }
    const T& operator()(std::size_t row, std::size_t column) const { return cells_[row * extent_.width + column]; }

    T* row(std::size_t r) { return cells_.data() + r * extent_.width; }
    const T* row(std::size_t r) const { return cells_.data() + r * extent_.width; }

    std::span<std::byte> memory() { return std::as_writable_bytes(std::span{cells_.data(), cells_.size()}); }

    bool operator==(const grid&) const = default;

private:
    shape extent_{};
    cell_array<T> cells_;
};

// Called from time to time with the fraction done, 0..1; it may throw to stop the work.
using progress = std::function<void(double)>;

// How many cells an algorithm may visit between two calls of its progress.
inline constexpr std::size_t progress_interval = std::size_t{1} << 18;

}  // namespace gdalmcp_hydrology
