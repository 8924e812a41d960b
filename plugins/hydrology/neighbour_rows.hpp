// neighbour_rows.hpp — the rows above, at and below a row of a grid, with one cell more at either end, for loops that
// look at all neighbours of a cell without asking where the grid ends.
#pragma once
#include <algorithm>
#include <vector>

#include "grid.hpp"

namespace gdalmcp_hydrology {

template <class V>
class neighbour_rows {
public:
    struct three {
        const V *above, *here, *below;  // of column 0; -1 and `width` may be read
        std::size_t width;

        // The neighbour of a column in a direction.
        const V& beside(std::size_t column, std::size_t direction) const {
            const auto [down, across] = neighbours[direction];
            return (down < 0 ? above : down > 0 ? below : here)[static_cast<std::ptrdiff_t>(column) + across];
        }
    };

    // beyond: what stands outside the grid. fill(row, to): writes the cells of a row of the grid.
    template <class Fill>
    neighbour_rows(const shape& extent, V beyond, Fill fill) : extent_{extent}, fill_{std::move(fill)} {
        for (auto& r : rows_) r.assign(extent.width + 2, beyond);
        beyond_ = rows_[0];
    }

    // Of the cells of a grid, which must outlive this.
    neighbour_rows(const grid<V>& cells, V beyond)
        : neighbour_rows{cells.extent(), beyond,
                         [&cells](std::size_t row, V* to) { std::copy_n(cells.row(row), cells.width(), to); }} {}

    // Until the next call. Rows that follow each other are filled once.
    three at(std::size_t row) {
        if (row != next_) {
            load(row - 1, 0);
            load(row, 1);
        } else {
            std::swap(rows_[0], rows_[1]);
            std::swap(rows_[1], rows_[2]);
        }
        load(row + 1, 2);
        next_ = row + 1;
        return {rows_[0].data() + 1, rows_[1].data() + 1, rows_[2].data() + 1, extent_.width};
    }

private:
    // row: also the one before the first.
    void load(std::size_t row, std::size_t slot) {
        if (row < extent_.height)
            fill_(row, rows_[slot].data() + 1);
        else
            rows_[slot] = beyond_;
    }

    shape extent_;
    std::function<void(std::size_t, V*)> fill_;
    std::array<std::vector<V>, 3> rows_;
    std::vector<V> beyond_;
    std::size_t next_ = off_grid;
};

}  // namespace gdalmcp_hydrology
