// terrain.hpp — small terrains for the tests: literal, random and awkward.
#pragma once
#include <hydrology/fill.hpp>
#include <random>

namespace terrain {

using gdalmcp_hydrology::cell_sizes;
using gdalmcp_hydrology::footprint;
using gdalmcp_hydrology::grid;
using gdalmcp_hydrology::nodata_holes;
using gdalmcp_hydrology::shape;

inline constexpr int nodata = -9999;

template <class T>
grid<footprint> land_of(const grid<T>& dem, nodata_holes holes = nodata_holes::outlet) {
    return gdalmcp_hydrology::trace_footprint(
        gdalmcp_hydrology::valid_cells(dem, std::optional<T>{static_cast<T>(nodata)}), holes);
}

inline cell_sizes unit_cells(std::size_t rows) { return cell_sizes::planar(rows, 1, 1); }

// Heights 0..levels-1 with `holes` percent of nodata: few levels make many flats and nested depressions.
template <class T>
grid<T> random_terrain(unsigned seed, shape extent, int levels, int holes) {
    std::mt19937 random{seed};
    grid<T> dem{extent};
    for (std::size_t i = 0; i < dem.size(); ++i) {
        const auto height = static_cast<int>(random() % static_cast<unsigned>(levels));
        dem[i] = static_cast<T>(static_cast<int>(random() % 100) < holes ? nodata : height);
    }
    return dem;
}

// A basin that narrows towards its centre in steps, each step a moat inside a wall.
inline grid<int> terraces(std::size_t side) {
    grid<int> dem{shape{side, side}};
    for (std::size_t r = 0; r < side; ++r)
        for (std::size_t c = 0; c < side; ++c) {
            const auto ring = static_cast<int>(std::min({r, c, side - 1 - r, side - 1 - c}));
            dem(r, c) = ring % 2 == 0 ? 100 - ring : 50 - ring;
        }
    return dem;
}

}  // namespace terrain
