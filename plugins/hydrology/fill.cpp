#include "fill.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "depression.hpp"
#include "level_queue.hpp"
#include "pit_growth.hpp"
#include "strips.hpp"

namespace gdalmcp_hydrology {
namespace {

using mask = grid<std::uint8_t>;

template <class F>
F step_above(F level) {
    return std::nextafter(level, std::numeric_limits<F>::infinity());
}

// Floods the terrain inwards from its outlets and from the cells of `kept`, lowest waterline first.
// Returns the cells that were reached.
template <class F>
mask flood(grid<F>& surface, const grid<footprint>& land, const mask* kept, bool epsilon, const progress& tick) {
    level_queue<F> shore;
    std::vector<cell_index> pond;  // cells at the current waterline need no sorting
    mask reached{surface.extent()};
    for (std::size_t i = 0; i < surface.size(); ++i) {
        if (land[i] != footprint::terrain || !((kept && (*kept)[i]) || is_outlet(land, i))) continue;
        reached[i] = 1;
        shore.push(surface[i], static_cast<cell_index>(i));
    }
    for (std::size_t done = 0; !shore.empty() || !pond.empty(); ++done) {
        if (tick && done % progress_interval == 0)
            tick(static_cast<double>(done) / static_cast<double>(surface.size()));
        const bool in_pond = !pond.empty();
        const std::size_t index = in_pond ? pond.back() : shore.pop().cell;
        if (in_pond) pond.pop_back();
        const F level = epsilon ? step_above(surface[index]) : surface[index];
        surface.extent().around(index, [&](std::size_t n, std::size_t) {
            if (reached[n] || land[n] != footprint::terrain) return;
            reached[n] = 1;
            if (surface[n] < level) surface[n] = level;
            if (!epsilon && surface[n] == level)
                pond.push_back(static_cast<cell_index>(n));
            else
                shore.push(surface[n], static_cast<cell_index>(n));
        });
    }
    return reached;
}

// The same for any type; cells that are not raised keep their bits. Returns how many drain nowhere.
template <class T>
std::size_t raise_terrain(grid<T>& surface, const grid<T>& terrain, const grid<footprint>& land, std::size_t threads,
                          const progress& tick) {
    using F = filled_as<T>;
    std::vector<std::size_t> enclosed;
    if constexpr (std::is_same_v<T, F>) {
        enclosed = raise_to_spill(surface, land, threads, tick);
        strips{surface.extent(), {.threads = threads}}.each({}, [&](const strip& s) {
            for (auto i = s.first; i < s.last; ++i)
                if (land[i] != footprint::terrain) surface[i] = terrain[i];
        });
    } else {
        grid<F> work{surface.extent()};
        for (std::size_t i = 0; i < surface.size(); ++i) work[i] = static_cast<F>(terrain[i]);
        enclosed = raise_to_spill(work, land, threads, tick);
        for (std::size_t i = 0; i < surface.size(); ++i)
            if (land[i] == footprint::terrain) surface[i] = static_cast<T>(work[i]);
    }
    for (const auto cell : enclosed) surface[cell] = terrain[cell];
    return enclosed.size();
}

void add(fill_report& all, const fill_report& part) {
    all.depressions += part.depressions;
    all.depressions_left += part.depressions_left;
    all.cells_in_depressions += part.cells_in_depressions;
    all.area += part.area;
    all.volume += part.volume;
    if (part.deepest > all.deepest || (part.deepest == all.deepest && part.deepest_cell < all.deepest_cell)) {
        all.deepest = part.deepest;
        all.deepest_cell = part.deepest_cell;
    }
}

// Measures every depression between `terrain` and `filled`, and marks in `kept` the cells of those deeper than allowed.
// Those that reach the border of a strip are left until nobody else is at work.
template <class T>
fill_report measure(const grid<T>& terrain, const grid<T>& filled, const cell_sizes& sizes,
                    const std::optional<double>& max_depth, mask& kept, const team& by) {
    if (max_depth) kept = mask{terrain.extent()};
    mask seen{terrain.extent(), unset{}};
    const auto add_pond = [&](const depression& pond, fill_report& to) {
        fill_report one{.depressions = 1, .cells_in_depressions = pond.cells.size()};
        one.area = pond.area;
        one.volume = pond.volume;
        one.deepest = pond.deepest;
        one.deepest_cell = pond.deepest_cell;
        if (max_depth && pond.deepest > *max_depth) {
            one.depressions_left = 1;
            for (const auto index : pond.cells) kept[index] = 1;
        }
        add(to, one);
    };
    constexpr std::uint8_t fresh = 0, put_off = 2;
    struct part {
        fill_report report;
        std::vector<std::size_t> put_off;  // a cell of each
    };
    const strips all{terrain.extent(), by};
    std::vector<part> parts(all.count());
    all.each({}, [&](const strip& s) {
        auto& p = parts[s.number];
        std::fill(seen.row(0) + s.first, seen.row(0) + s.last, fresh);
        for (auto i = s.first; i < s.last; ++i) {
            if (!(terrain[i] < filled[i]) || seen[i] != fresh) continue;
            const auto pond = trace_depression(terrain, filled, sizes, i, seen, s, fresh);
            if (pond.whole) {
                add_pond(pond, p.report);
                continue;
            }
            for (const auto cell : pond.cells) seen[cell] = put_off;
            p.put_off.push_back(i);
        }
    });
    const strip whole{0, 0, terrain.height(), 0, terrain.size()};
    fill_report report;
    for (const auto& p : parts) {
        add(report, p.report);
        for (const auto cell : p.put_off)
            if (seen[cell] == put_off)
                add_pond(trace_depression(terrain, filled, sizes, cell, seen, whole, put_off), report);
    }
    return report;
}

}  // namespace

template <class F>
std::vector<std::size_t> raise_to_spill(grid<F>& surface, const grid<footprint>& land, std::size_t threads,
                                        const progress& tick) {
    auto grown = grow_depressions(surface, land, {.threads = threads}, tick);
    if (grown.complete) return std::move(grown.enclosed);
    const auto reached = flood(surface, land, nullptr, false, tick);
    std::vector<std::size_t> enclosed;
    for (std::size_t i = 0; i < surface.size(); ++i)
        if (land[i] == footprint::terrain && !reached[i]) enclosed.push_back(i);
    return enclosed;
}
template std::vector<std::size_t> raise_to_spill(grid<float>&, const grid<footprint>&, std::size_t, const progress&);
template std::vector<std::size_t> raise_to_spill(grid<double>&, const grid<footprint>&, std::size_t, const progress&);

template <class T>
fill_report fill(grid<T>& surface, const grid<footprint>& land, const cell_sizes& sizes, const fill_options& options,
                 const progress& tick) {
    if (options.epsilon && !std::is_floating_point_v<T>)
        throw std::invalid_argument{"an epsilon gradient needs a floating-point surface"};
    if (surface.size() > std::numeric_limits<cell_index>::max())
        throw std::length_error{"a surface of more than 2^32 cells cannot be filled in memory"};
    const team by{.threads = options.threads};
    const auto terrain = copy_of(surface, by);
    const auto enclosed = raise_terrain(surface, terrain, land, options.threads, tick);
    mask kept;
    fill_report report = measure(terrain, surface, sizes, options.max_depth, kept, by);
    report.cells_without_outlet = enclosed;
    if constexpr (std::is_floating_point_v<T>)
        if (options.epsilon) {
            surface = terrain;
            flood(surface, land, kept.size() ? &kept : nullptr, true, tick);
        }
    if (!options.epsilon && report.depressions_left > 0) {
        for (std::size_t i = 0; i < surface.size(); ++i)
            if (kept[i]) surface[i] = terrain[i];
    }
    if (options.epsilon || report.depressions_left > 0)
        for (std::size_t i = 0; i < surface.size(); ++i) report.cells_changed += terrain[i] < surface[i];
    else
        report.cells_changed = report.cells_in_depressions;
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
