// flow_totals.hpp — what the algorithms that accumulate flow count in each strip, and add up in the order of the
// strips.
#pragma once
#include "accumulation.hpp"
#include "datasets/wide_registers.hpp"
#include "neighbour_rows.hpp"

namespace gdalmcp_hydrology {

template <class V>
struct flow_totals {
    std::size_t cells = 0, passed = 0, contaminated = 0, outlets = 0;
    V contributed{}, discharged{}, maximum{};
    std::size_t maximum_cell = off_grid;

    void find_maximum(const strip& s, const grid<std::uint8_t>& directions, const grid<V>& values) {
        for (auto i = s.first; i < s.last; ++i) {
            if (maximum_cell != off_grid && !(values[i] > maximum)) continue;
            if (directions[i] == no_terrain) continue;
            maximum = values[i];
            maximum_cell = i;
        }
    }
    void add_to(accumulation<V>& all) const {
        all.terrain_cells += cells;
        all.contaminated_cells += contaminated;
        all.outlets += outlets;
        all.contributed += contributed;
        all.discharged += discharged;
        if (maximum_cell == off_grid || (all.maximum_cell != off_grid && !(maximum > all.maximum))) return;
        all.maximum = maximum;
        all.maximum_cell = maximum_cell;
    }
};

// Adds up parts, which derive from the totals, in their order. False where cells were not passed, which flow keeps from
// having all their donors.
template <class Part, class V>
bool add_up(const std::vector<Part>& parts, accumulation<V>& all) {
    std::size_t passed = 0;
    for (const auto& part : parts) {
        part.add_to(all);
        passed += part.passed;
    }
    return passed == all.terrain_cells;
}

// The greatest value of a result; of several, the first by rows.
struct greatest_value {
    double value = 0;
    std::size_t cell = off_grid;

    void look_at(double other, std::size_t at) {
        if (cell != off_grid && (other < value || (other == value && at > cell))) return;
        value = other;
        cell = at;
    }
};

// 1 for the cells of a row with terrain beside one without, or beside the end of the grid; else 0. rows: of directions.
GDALMCP_WIDE_REGISTERS inline void mark_beside_nodata(const neighbour_rows<std::uint8_t>::three& rows,
                                                      std::uint8_t* __restrict to) {
    const auto *above = rows.above, *here = rows.here, *below = rows.below;
    const auto width = static_cast<std::ptrdiff_t>(rows.width);
    for (std::ptrdiff_t c = 0; c < width; ++c) {
        const bool missing = (above[c - 1] == no_terrain) | (above[c] == no_terrain) | (above[c + 1] == no_terrain) |
                             (here[c - 1] == no_terrain) | (here[c + 1] == no_terrain) | (below[c - 1] == no_terrain) |
                             (below[c] == no_terrain) | (below[c + 1] == no_terrain);
        to[c] = missing & (here[c] != no_terrain);
    }
}

}  // namespace gdalmcp_hydrology
