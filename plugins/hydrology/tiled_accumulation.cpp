#include "tiled_accumulation.hpp"

namespace gdalmcp_hydrology {
namespace {

// Follows what enters the cells of the rim to where it leaves the tile. REQUIRES: no loops.
std::vector<std::uint32_t> find_exits(const grid<std::uint8_t>& directions) {
    constexpr std::uint32_t unknown = no_exit - 1;
    const rim edge{directions.extent()};
    std::vector<std::uint32_t> found(edge.size(), no_exit);
    grid<std::uint32_t> exit_of{directions.extent(), unknown};
    std::vector<std::size_t> path;
    edge.each([&](std::size_t place, std::size_t row, std::size_t column) {
        auto cell = row * directions.width() + column;
        if (directions[cell] == no_terrain) return;
        path.clear();
        auto exit = exit_of[cell];
        while (exit == unknown) {
            path.push_back(cell);
            const auto d = directions[cell];
            const auto next = d < undrained ? directions.extent().neighbour(cell, d) : cell;
            if (next == off_grid)
                exit = static_cast<std::uint32_t>(*edge.place_of(cell));
            else
                exit = next == cell || directions[next] == no_terrain ? no_exit : exit_of[next];
            cell = next;
        }
        for (const auto passed : path) exit_of[passed] = exit;
        found[place] = exit;
    });
    return found;
}

}  // namespace

template <class V>
flow_message<V> find_links(const grid<std::uint8_t>& directions, grid<V> own, const progress& tick) {
    const rim edge{directions.extent()};
    const rim_inflow<V> nothing{std::vector<V>(edge.size()), std::vector<std::uint8_t>(edge.size()),
                                std::vector<std::uint8_t>(edge.size())};
    const auto within = accumulate_tile(directions, std::move(own), nothing, tick);
    if (within.cycle) return {{}, {}, {}, {}, within.cycle};
    return {edge.of(directions), find_exits(directions), edge.of(within.values), edge.of(within.contaminated), {}};
}

template <class V>
void tiled_flow<V>::add(std::size_t tile, flow_message<V> message) {
    const auto place = tiles_.at(tile);
    if (message.cycle) {
        const auto row = place.row + place.extent.row(*message.cycle);
        cycle_ = row * tiles_.whole().width + place.column + place.extent.column(*message.cycle);
        return;
    }
    auto& cells = rims_[tile];
    cells.resize(message.directions.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        cells[i].direction = message.directions[i];
        cells[i].exit = message.exits[i];
        cells[i].value = message.values[i];
        cells[i].contaminated = message.contaminated[i] != 0;
    }
}

// The cells of different tiles that drain to each other or contaminate each other.
template <class V>
void tiled_flow<V>::link() {
    for (std::size_t t = 0; t < rims_.size(); ++t) {
        auto& cells = rims_[t];
        tiles_.beyond(t, [&](std::size_t place, std::size_t d, std::size_t other, std::size_t at) {
            auto& cell = cells[place];
            if (cell.direction == no_terrain) return;
            if (other == off_grid || rims_[other][at].direction == no_terrain) {
                cell.from_beyond = true;
            } else if (cell.direction == d) {
                cell.passed_on = true;
                ++rims_[other][at].donors;
            }
        });
    }
    for (auto& cells : rims_)
        for (const auto& cell : cells) {
            if (cell.exit == no_exit) continue;
            cells[cell.exit].contaminated |= cell.from_beyond;
            cells[cell.exit].awaited += cell.donors > 0;
        }
}

template <class V>
typename tiled_flow<V>::place tiled_flow<V>::drain_of(const place& from) const {
    const auto tile = tiles_.at(from.tile);
    const auto [row, column] = rim{tile.extent}.cell_at(from.on_rim);
    const auto& whole = tiles_.whole();
    const auto to = whole.neighbour((tile.row + row) * whole.width + tile.column + column, at(from).direction);
    const auto r = whole.row(to), c = whole.column(to), other = tiles_.tile_of(r, c);
    const auto there = tiles_.at(other);
    return {other, rim{there.extent}.place(r - there.row, c - there.column)};
}

template <class V>
std::optional<std::size_t> tiled_flow<V>::solve() {
    if (cycle_) return cycle_;
    link();
    std::vector<place> complete;
    for (std::size_t t = 0; t < rims_.size(); ++t)
        for (std::size_t i = 0; i < rims_[t].size(); ++i)
            if (rims_[t][i].passed_on && rims_[t][i].awaited == 0) complete.push_back({t, i});
    while (!complete.empty()) {
        const auto from = complete.back();
        complete.pop_back();
        const auto to = drain_of(from);
        auto& entry = at(to);
        entry.inflow += at(from).value;
        entry.from_beyond |= at(from).contaminated;
        if (--entry.donors > 0 || entry.exit == no_exit) continue;
        auto& exit = rims_[to.tile][entry.exit];
        exit.value += entry.inflow;
        exit.contaminated |= entry.from_beyond;
        if (--exit.awaited == 0 && exit.passed_on) complete.push_back({to.tile, entry.exit});
    }
    for (std::size_t t = 0; t < rims_.size(); ++t)
        for (std::size_t i = 0; i < rims_[t].size(); ++i) {
            if (!rims_[t][i].passed_on || rims_[t][i].awaited == 0) continue;
            const auto tile = tiles_.at(t);
            const auto [row, column] = rim{tile.extent}.cell_at(i);
            return (tile.row + row) * tiles_.whole().width + tile.column + column;
        }
    return {};
}

template <class V>
rim_inflow<V> tiled_flow<V>::of(std::size_t tile) const {
    rim_inflow<V> found;
    for (const auto& cell : rims_[tile]) {
        found.values.push_back(cell.inflow);
        found.contaminated.push_back(cell.from_beyond);
        found.passed_on.push_back(cell.passed_on);
    }
    return found;
}

template class tiled_flow<std::uint64_t>;
template class tiled_flow<double>;
template flow_message<std::uint64_t> find_links(const grid<std::uint8_t>&, grid<std::uint64_t>, const progress&);
template flow_message<double> find_links(const grid<std::uint8_t>&, grid<double>, const progress&);

}  // namespace gdalmcp_hydrology
