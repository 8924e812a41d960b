// depression.hpp — single depressions: connected regions (8 neighbours) that lie below their spill level.
#pragma once
#include "cell_sizes.hpp"
#include "strips.hpp"

namespace gdalmcp_hydrology {

// Depths in units of the surface, areas in m², volumes in surface units times m².
struct depression {
    std::vector<std::size_t> cells;
    double area = 0, volume = 0, deepest = 0;
    std::size_t deepest_cell = off_grid;  // of several, the first by rows
    bool whole = true;                    // false: it goes on beyond the strip
};

// The depression around `seed`, a cell that `filled` raises above `terrain`, as far as the strip reaches, through cells
// that are `fresh` in `seen`, where they become 1. REQUIRES: no cell at the edge of the raster is raised, as filling
// leaves it.
template <class T>
depression trace_depression(const grid<T>& terrain, const grid<T>& filled, const cell_sizes& sizes, std::size_t seed,
                            grid<std::uint8_t>& seen, const strip& within, std::uint8_t fresh) {
    depression found;
    const auto steps = terrain.extent().steps();
    found.cells.push_back(seed);
    seen[seed] = 1;
    for (std::size_t next = 0; next < found.cells.size(); ++next) {
        const auto index = found.cells[next];
        const double depth = static_cast<double>(filled[index]) - static_cast<double>(terrain[index]);
        const double area = sizes.area(terrain.extent().row(index));
        found.area += area;
        found.volume += area * depth;
        if (depth > found.deepest || (depth == found.deepest && index < found.deepest_cell)) {
            found.deepest = depth;
            found.deepest_cell = index;
        }
        for (const auto step : steps) {
            const auto n = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(index) + step);
            if (!(terrain[n] < filled[n])) continue;
            if (!within.holds(n)) {
                found.whole = false;
            } else if (seen[n] == fresh) {
                seen[n] = 1;
                found.cells.push_back(n);
            }
        }
    }
    return found;
}
// All of them, in the order of their first cell.
template <class T>
std::vector<depression> find_depressions(const grid<T>& terrain, const grid<T>& filled, const cell_sizes& sizes) {
    std::vector<depression> all;
    grid<std::uint8_t> seen{terrain.extent()};
    const strip whole{0, 0, terrain.height(), 0, terrain.size()};
    for (std::size_t i = 0; i < terrain.size(); ++i)
        if (!seen[i] && terrain[i] < filled[i])
            all.push_back(trace_depression(terrain, filled, sizes, i, seen, whole, 0));
    return all;
}

// Metres: how far it reaches along its principal axis, and its area divided by that.
struct oblong {
    double length = 0, width = 0;
};
oblong oblong_of(const depression& d, const shape& extent, const cell_sizes& sizes);

// Water held back by an embankment, say of a road, lies in a valley: it is long, narrow and deep. The criterion is our
// own, after the shapes J. Lindsay and I. Creed describe in "Distinguishing actual and artefact depressions in digital
// elevation data", Computers & Geosciences 32 (2006): at least 10 cells, 5 times as long as wide, and deeper than
// `least_depth`.
inline constexpr double road_like_elongation = 5;
inline constexpr std::size_t road_like_cells = 10;
bool looks_like_road(const depression& d, const oblong& reach, double least_depth);

// Standard deviation of the difference between two neighbouring heights whose errors have the standard deviation
// sigma_z and the correlation rho: sigma_z * sqrt(2 (1 - rho)).
double depth_noise(double sigma_z, double rho);

// Depressions shallower than this many standard deviations of depth are explained by noise: the one-sided 5 % limit of
// a normal distribution.
inline constexpr double noise_limit = 1.645;

}  // namespace gdalmcp_hydrology
