// flow_path.hpp — following D8 directions: the cell that a cell drains to, and every cell after the one below it.
//
//     visit_downstream_first(directions, tick, [&](std::size_t cell, std::size_t below) {
//         length[cell] = below == off_grid ? 0 : length[below] + step;
//     });
#pragma once
#include <stdexcept>

#include "grid.hpp"

namespace gdalmcp_hydrology {

// The cell that `index` drains to, or off_grid where the water leaves the terrain or stays.
// directions: values of `direction`.
inline std::size_t receiver(const grid<std::uint8_t>& directions, std::size_t index) {
    if (directions[index] >= undrained) return off_grid;
    const auto n = directions.extent().neighbour(index, directions[index]);
    return n == off_grid || directions[n] == no_terrain ? off_grid : n;
}

// The directions lead back to where they came from.
struct flow_loop : std::runtime_error {
    explicit flow_loop(std::size_t at) : runtime_error{"the flow directions form a loop"}, cell{at} {}
    std::size_t cell;
};

// Calls visit(cell, receiver) once for each cell of the terrain, after it was called for the receiver (off_grid where
// there is none). Each path is walked down to the first cell that was visited, and back. Throws flow_loop.
template <class Visit>
void visit_downstream_first(const grid<std::uint8_t>& directions, const progress& tick, Visit visit) {
    enum state : std::uint8_t { unvisited, on_path, visited };
    grid<std::uint8_t> seen{directions.extent(), unvisited};
    std::vector<std::size_t> path;
    for (std::size_t i = 0; i < directions.size(); ++i) {
        if (tick && i % progress_interval == 0) tick(static_cast<double>(i) / static_cast<double>(directions.size()));
        if (directions[i] == no_terrain || seen[i] != unvisited) continue;
        std::size_t below = i;
        for (; below != off_grid && seen[below] == unvisited; below = receiver(directions, below)) {
            seen[below] = on_path;
            path.push_back(below);
        }
        if (below != off_grid && seen[below] == on_path) throw flow_loop{below};
        for (; !path.empty(); path.pop_back()) {
            visit(path.back(), below);
            below = path.back();
            seen[below] = visited;
        }
    }
}

}  // namespace gdalmcp_hydrology
