#include "tiled_depressions.hpp"

namespace gdalmcp_hydrology {
namespace {

// visit(cells, on the rim) for the depressions of the tile, in the order of their first cells.
template <class T, class Visit>
void each_depression(const grid<T>& terrain, const grid<T>& filled, Visit&& visit) {
    const rim edge{terrain.extent()};
    grid<std::uint8_t> seen{terrain.extent()};
    std::vector<cell_index> cells;
    for (std::size_t i = 0; i < terrain.size(); ++i) {
        if (seen[i] || !(terrain[i] < filled[i])) continue;
        bool on_rim = false;
        cells.assign(1, static_cast<cell_index>(i));
        seen[i] = 1;
        for (std::size_t next = 0; next < cells.size(); ++next) {
            on_rim = on_rim || edge.place_of(cells[next]);
            terrain.extent().around(cells[next], [&](std::size_t n, std::size_t) {
                if (seen[n] || !(terrain[n] < filled[n])) return;
                seen[n] = 1;
                cells.push_back(static_cast<cell_index>(n));
            });
        }
        visit(cells, on_rim);
    }
}

template <class T>
double depth_at(const grid<T>& terrain, const grid<T>& filled, std::size_t cell) {
    return static_cast<double>(filled[cell]) - static_cast<double>(terrain[cell]);
}

}  // namespace

void depression_sums::add(const depression_sums& other) {
    cells += other.cells;
    area += other.area;
    volume += other.volume;
    if (other.deepest < deepest || (other.deepest == deepest && other.deepest_cell > deepest_cell)) return;
    deepest = other.deepest;
    deepest_cell = other.deepest_cell;
}

template <class T>
depression_message measure_depressions(const grid<T>& terrain, const grid<T>& filled, const tiling& tiles,
                                       std::size_t tile, const cell_sizes& sizes) {
    const auto place = tiles.at(tile);
    const rim edge{place.extent};
    depression_message message;
    message.on_rim.assign(edge.size(), 0);
    each_depression(terrain, filled, [&](const std::vector<cell_index>& cells, bool on_rim) {
        depression_sums sums;
        for (const auto cell : cells) {
            const auto row = place.row + place.extent.row(cell), column = place.column + place.extent.column(cell);
            const double depth = depth_at(terrain, filled, cell), area = sizes.area(row);
            sums.add({1, area, area * depth, depth, row * tiles.whole().width + column});
        }
        (on_rim ? message.parts : message.within).push_back(sums);
        for (const auto cell : cells)
            if (const auto at = on_rim ? edge.place_of(cell) : std::nullopt)
                message.on_rim[*at] = static_cast<std::uint32_t>(message.parts.size());
    });
    return message;
}

void tiled_depressions::count(const depression_sums& one) {
    depression_sums all{report_.cells_in_depressions, report_.area, report_.volume, report_.deepest,
                        report_.deepest_cell};
    all.add(one);
    ++report_.depressions;
    report_.cells_in_depressions = all.cells;
    report_.area = all.area;
    report_.volume = all.volume;
    report_.deepest = all.deepest;
    report_.deepest_cell = all.deepest_cell;
    if (max_depth_ && one.deepest > *max_depth_)
        ++report_.depressions_left;
    else
        report_.cells_changed += one.cells;
}

void tiled_depressions::add(std::size_t tile, depression_message message) {
    for (const auto& one : message.within) count(one);
    regions_.add(tile, std::move(message.on_rim), message.parts.size());
    parts_[tile] = std::move(message.parts);
}

fill_report tiled_depressions::solve() {
    std::vector<depression_sums> all(regions_.size());
    for (std::size_t tile = 0; tile < parts_.size(); ++tile)
        for (std::size_t k = 0; k < parts_[tile].size(); ++k) all[regions_.root(tile, k + 1)].add(parts_[tile][k]);
    deep_.assign(all.size(), 0);
    for (std::size_t root = 0; root < all.size(); ++root) {
        if (all[root].cells == 0) continue;
        count(all[root]);
        deep_[root] = max_depth_ && all[root].deepest > *max_depth_;
    }
    return report_;
}

template <class T>
void tiled_depressions::restore_deep(std::size_t tile, const grid<T>& terrain, grid<T>& filled) {
    if (report_.depressions_left == 0) return;
    std::vector<cell_index> lowered;
    std::size_t part = 0;
    each_depression(terrain, filled, [&](const std::vector<cell_index>& cells, bool on_rim) {
        const bool deep = on_rim ? deep_[regions_.root(tile, ++part)] != 0
                                 : std::any_of(cells.begin(), cells.end(), [&](cell_index cell) {
                                       return depth_at(terrain, filled, cell) > *max_depth_;
                                   });
        if (deep) lowered.insert(lowered.end(), cells.begin(), cells.end());
    });
    for (const auto cell : lowered) filled[cell] = terrain[cell];
}

#define GDALMCP_TILED_DEPRESSIONS(T)                                                                               \
    template depression_message measure_depressions<T>(const grid<T>&, const grid<T>&, const tiling&, std::size_t, \
                                                       const cell_sizes&);                                         \
    template void tiled_depressions::restore_deep<T>(std::size_t, const grid<T>&, grid<T>&)
GDALMCP_TILED_DEPRESSIONS(std::uint8_t);
GDALMCP_TILED_DEPRESSIONS(std::int16_t);
GDALMCP_TILED_DEPRESSIONS(std::uint16_t);
GDALMCP_TILED_DEPRESSIONS(std::int32_t);
GDALMCP_TILED_DEPRESSIONS(std::uint32_t);
GDALMCP_TILED_DEPRESSIONS(float);
GDALMCP_TILED_DEPRESSIONS(double);
#undef GDALMCP_TILED_DEPRESSIONS

}  // namespace gdalmcp_hydrology
