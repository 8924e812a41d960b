#include "d8.hpp"

#include <algorithm>

#include "flats.hpp"
#include "raster/wide_registers.hpp"

namespace gdalmcp_hydrology {
namespace {

// A row of a surface as the search for the steepest drop reads it: one cell more at either end, and cells without
// terrain so high that nothing falls to them.
using padded_row = std::vector<double>;

template <class T>
void pad_row(const grid<T>& surface, const grid<footprint>& land, std::ptrdiff_t row, padded_row& to) {
    constexpr double wall = std::numeric_limits<double>::infinity();
    to.assign(surface.width() + 2, wall);
    if (row < 0 || row >= static_cast<std::ptrdiff_t>(surface.height())) return;
    const auto r = static_cast<std::size_t>(row);
    const T* heights = surface.row(r);
    const footprint* kinds = land.row(r);
    for (std::size_t c = 0; c < surface.width(); ++c)
        if (kinds[c] == footprint::terrain) to[c + 1] = static_cast<double>(heights[c]);
}

// The direction of the steepest drop of each cell, `undrained` without one; of equals the first.
GDALMCP_WIDE_REGISTERS void steepest_in_row(const double* above, const double* here, const double* below,
                                            std::size_t width, const double* distance, double* best) {
    for (std::size_t c = 1; c <= width; ++c) {
        const double z = here[c];
        const double drops[] = {z - here[c + 1], z - below[c + 1], z - below[c], z - below[c - 1],
                                z - here[c - 1], z - above[c - 1], z - above[c], z - above[c + 1]};
        double slope = 0, direction = undrained;
        for (std::size_t d = 0; d < 8; ++d) {
            const double s = drops[d] / distance[d];
            direction = s > slope ? static_cast<double>(d) : direction;
            slope = s > slope ? s : slope;
        }
        best[c] = direction;
    }
}

std::uint8_t off_the_terrain(const grid<footprint>& land, std::size_t index) {
    for (const auto d : {east, south, west, north, southeast, southwest, northwest, northeast}) {
        const auto n = land.extent().neighbour(index, d);
        if (n == off_grid || land[n] == footprint::outside) return d;
    }
    return undrained;
}

}  // namespace

template <class T>
grid<std::uint8_t> d8(const grid<T>& surface, const grid<footprint>& land, const cell_sizes& sizes, d8_report& report,
                      const progress& tick) {
    grid<std::uint8_t> directions{surface.extent(), no_terrain};
    padded_row above, here, below, best(surface.width() + 2);
    pad_row(surface, land, -1, here);
    pad_row(surface, land, 0, below);
    for (std::size_t r = 0; r < surface.height(); ++r) {
        if (tick && r % 256 == 0) tick(0.5 * static_cast<double>(r) / static_cast<double>(surface.height()));
        above.swap(here);
        here.swap(below);
        pad_row(surface, land, static_cast<std::ptrdiff_t>(r) + 1, below);
        std::array<double, 8> distance;
        for (std::size_t d = 0; d < 8; ++d) distance[d] = sizes.distance(r, d);
        steepest_in_row(above.data(), here.data(), below.data(), surface.width(), distance.data(), best.data());
        for (std::size_t c = 0; c < surface.width(); ++c) {
            const auto i = r * surface.width() + c;
            if (land[i] != footprint::terrain) continue;
            directions[i] = static_cast<std::uint8_t>(best[c + 1]);
            if (directions[i] == undrained) directions[i] = off_the_terrain(land, i);
        }
    }
    const auto flats = resolve_flats(surface, directions);
    report = {flats.flats, flats.cells, flats.undrained};
    return directions;
}

#define GDALMCP_D8(T)                                                                                        \
    template grid<std::uint8_t> d8<T>(const grid<T>&, const grid<footprint>&, const cell_sizes&, d8_report&, \
                                      const progress&)
GDALMCP_D8(std::uint8_t);
GDALMCP_D8(std::int16_t);
GDALMCP_D8(std::uint16_t);
GDALMCP_D8(std::int32_t);
GDALMCP_D8(std::uint32_t);
GDALMCP_D8(float);
GDALMCP_D8(double);
#undef GDALMCP_D8

}  // namespace gdalmcp_hydrology
