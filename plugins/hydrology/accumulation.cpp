#include "accumulation.hpp"

#include <stdexcept>

namespace gdalmcp_hydrology {
namespace {

// The cell that `index` drains to, or off_grid where the water leaves the terrain or stays.
std::size_t receiver(const grid<std::uint8_t>& directions, std::size_t index) {
    if (directions[index] >= undrained) return off_grid;
    const auto n = directions.extent().neighbour(index, directions[index]);
    return n == off_grid || directions[n] == no_terrain ? off_grid : n;
}

bool touches_nodata(const grid<std::uint8_t>& directions, std::size_t index) {
    for (std::size_t d = 0; d < neighbours.size(); ++d) {
        const auto n = directions.extent().neighbour(index, d);
        if (n == off_grid || directions[n] == no_terrain) return true;
    }
    return false;
}

// Number of neighbours that drain to each cell, 0..8.
grid<std::uint8_t> count_donors(const grid<std::uint8_t>& directions) {
    grid<std::uint8_t> donors{directions.extent()};
    for (std::size_t i = 0; i < directions.size(); ++i) {
        const auto r = receiver(directions, i);
        if (r != off_grid) ++donors[r];
    }
    return donors;
}

template <class V>
void discharge(accumulation<V>& flow, std::size_t index) {
    ++flow.outlets;
    flow.discharged += flow.values[index];
}

}  // namespace

template <class V>
accumulation<V> accumulate(const grid<std::uint8_t>& directions, const grid<V>& own, const progress& tick) {
    if (own.size() != 0 && own.extent() != directions.extent())
        throw std::invalid_argument{"contributions and directions differ in shape"};
    accumulation<V> flow;
    flow.values = grid<V>{directions.extent()};
    flow.contaminated = grid<std::uint8_t>{directions.extent()};
    auto waiting = count_donors(directions);
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < directions.size(); ++i) {
        if (directions[i] == no_terrain) continue;
        ++flow.terrain_cells;
        flow.values[i] = own.size() ? own[i] : V{1};
        flow.contributed += flow.values[i];
        flow.contaminated[i] = touches_nodata(directions, i);
        if (waiting[i] == 0) ready.push_back(i);
    }

    std::size_t done = 0;
    for (; !ready.empty(); ++done) {
        if (tick && done % progress_interval == 0)
            tick(static_cast<double>(done) / static_cast<double>(flow.terrain_cells));
        const auto index = ready.back();
        ready.pop_back();
        flow.contaminated_cells += flow.contaminated[index];
        if (flow.maximum_cell == off_grid || flow.values[index] > flow.maximum) {
            flow.maximum = flow.values[index];
            flow.maximum_cell = index;
        }
        const auto r = receiver(directions, index);
        if (r == off_grid) {
            discharge(flow, index);
            continue;
        }
        flow.values[r] += flow.values[index];
        flow.contaminated[r] |= flow.contaminated[index];
        if (--waiting[r] == 0) ready.push_back(r);
    }
    // Each cell has one receiver, so a cell still waiting for a donor lies on a loop or downstream of one.
    for (std::size_t i = 0; done < flow.terrain_cells && !flow.cycle && i < directions.size(); ++i)
        if (waiting[i] != 0) flow.cycle = i;
    return flow;
}

template accumulation<std::uint64_t> accumulate(const grid<std::uint8_t>&, const grid<std::uint64_t>&, const progress&);
template accumulation<double> accumulate(const grid<std::uint8_t>&, const grid<double>&, const progress&);

}  // namespace gdalmcp_hydrology
