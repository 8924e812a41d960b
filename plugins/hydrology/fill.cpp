#include "fill.hpp"

#include "depression.hpp"

#include <cmath>
#include <limits>
#include <queue>
#include <type_traits>

namespace gdalmcp_hydrology {
namespace {

using mask = grid<std::uint8_t>;

template <class T>
struct waterline {
    T level;
    std::size_t index;
    // Lowest level first; the index makes the order of equals the same everywhere.
    bool operator>(const waterline& other) const {
        return level != other.level ? level > other.level : index > other.index;
    }
};

template <class T>
T step_above(T level) {
    if constexpr (std::is_floating_point_v<T>)
        return std::nextafter(level, std::numeric_limits<T>::infinity());
    else
        throw std::invalid_argument{"an epsilon gradient needs a floating-point surface"};
}

// Floods the terrain inwards from its outlets and from the cells of `kept`, lowest waterline first.
// Returns the cells that were reached.
template <class T>
mask flood(grid<T>& surface, const grid<footprint>& land, const mask* kept, bool epsilon, const progress& tick) {
    std::priority_queue<waterline<T>, std::vector<waterline<T>>, std::greater<>> shore;
    std::queue<std::size_t> pond;  // cells at the current waterline need no sorting
    mask reached{surface.extent()};
    for (std::size_t i = 0; i < surface.size(); ++i) {
        if (land[i] != footprint::terrain || !((kept && (*kept)[i]) || is_outlet(land, i))) continue;
        reached[i] = 1;
        shore.push({surface[i], i});
    }
    for (std::size_t done = 0; !shore.empty() || !pond.empty(); ++done) {
        if (tick && done % progress_interval == 0)
            tick(static_cast<double>(done) / static_cast<double>(surface.size()));
        const bool in_pond = !pond.empty();
        const std::size_t index = in_pond ? pond.front() : shore.top().index;
        if (in_pond)
            pond.pop();
        else
            shore.pop();
        const T level = epsilon ? step_above(surface[index]) : surface[index];
        for (std::size_t d = 0; d < neighbours.size(); ++d) {
            const auto n = surface.extent().neighbour(index, d);
            if (n == off_grid || reached[n] || land[n] != footprint::terrain) continue;
            reached[n] = 1;
            if (surface[n] < level) surface[n] = level;
            if (!epsilon && surface[n] == level)
                pond.push(n);
            else
                shore.push({surface[n], n});
        }
    }
    return reached;
}

// Measures every depression between `terrain` and `filled`, and marks in `kept` the cells of those deeper than allowed.
template <class T>
fill_report measure(const grid<T>& terrain, const grid<T>& filled, const cell_sizes& sizes,
                    const std::optional<double>& max_depth, mask& kept) {
    fill_report report;
    mask seen{terrain.extent()};
    for (std::size_t i = 0; i < terrain.size(); ++i) {
        if (seen[i] || !(terrain[i] < filled[i])) continue;
        const auto pond = trace_depression(terrain, filled, sizes, i, seen);
        ++report.depressions;
        report.cells_in_depressions += pond.cells.size();
        report.area += pond.area;
        report.volume += pond.volume;
        if (pond.deepest > report.deepest) {
            report.deepest = pond.deepest;
            report.deepest_cell = pond.deepest_cell;
        }
        if (max_depth && pond.deepest > *max_depth) {
            ++report.depressions_left;
            for (const auto index : pond.cells) kept[index] = 1;
        }
    }
    return report;
}

}  // namespace

template <class T>
fill_report fill(grid<T>& surface, const grid<footprint>& land, const cell_sizes& sizes, const fill_options& options,
                 const progress& tick) {
    if (options.epsilon && !std::is_floating_point_v<T>)
        throw std::invalid_argument{"an epsilon gradient needs a floating-point surface"};
    const grid<T> terrain = surface;
    const mask reached = flood(surface, land, nullptr, false, tick);
    mask kept{surface.extent()};
    fill_report report = measure(terrain, surface, sizes, options.max_depth, kept);

    if (options.epsilon) {
        surface = terrain;
        flood(surface, land, &kept, true, tick);
    } else if (report.depressions_left > 0) {
        for (std::size_t i = 0; i < surface.size(); ++i)
            if (kept[i]) surface[i] = terrain[i];
    }
    for (std::size_t i = 0; i < surface.size(); ++i) {
        report.cells_changed += terrain[i] < surface[i];
        report.cells_without_outlet += land[i] == footprint::terrain && !reached[i];
    }
    return report;
}

#define GDALMCP_FILL(T)                                                                                    \
    template fill_report fill<T>(grid<T>&, const grid<footprint>&, const cell_sizes&, const fill_options&, \
                                 const progress&)
GDALMCP_FILL(std::uint8_t);
GDALMCP_FILL(std::int16_t);
GDALMCP_FILL(std::uint16_t);
GDALMCP_FILL(std::int32_t);
GDALMCP_FILL(std::uint32_t);
GDALMCP_FILL(float);
GDALMCP_FILL(double);
#undef GDALMCP_FILL

}  // namespace gdalmcp_hydrology
