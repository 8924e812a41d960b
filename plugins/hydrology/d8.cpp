#include "d8.hpp"

#include "datasets/wide_registers.hpp"
#include "flats.hpp"
#include "neighbour_rows.hpp"

namespace gdalmcp_hydrology {
namespace {

// The direction of the steepest drop of each cell, `undrained` without one; of equals the first.
GDALMCP_WIDE_REGISTERS void steepest_in_row(const neighbour_rows<double>::three& rows, const double* distance,
                                            double* best) {
    const auto *above = rows.above, *here = rows.here, *below = rows.below;
    const auto width = static_cast<std::ptrdiff_t>(rows.width);
    for (std::ptrdiff_t c = 0; c < width; ++c) {
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
                      const progress& tick, const team& by) {
    grid<std::uint8_t> directions{surface.extent(), unset{}};
    const auto width = surface.width();
    // Cells without terrain are so high that nothing falls to them.
    constexpr double wall = std::numeric_limits<double>::infinity();
    strips{surface.extent(), by}.each(part_of(tick, 0, 0.4), [&](const strip& s) {
        neighbour_rows<double> rows{surface.extent(), wall, [&](std::size_t row, double* to) {
                                        const T* heights = surface.row(row);
                                        const footprint* kinds = land.row(row);
                                        for (std::size_t c = 0; c < width; ++c)
                                            to[c] =
                                                kinds[c] == footprint::terrain ? static_cast<double>(heights[c]) : wall;
                                    }};
        std::vector<double> best(width);
        for (auto r = s.top; r < s.bottom; ++r) {
            std::array<double, 8> distance;
            for (std::size_t d = 0; d < 8; ++d) distance[d] = sizes.distance(r, d);
            steepest_in_row(rows.at(r), distance.data(), best.data());
            for (std::size_t c = 0; c < width; ++c) {
                const auto i = r * width + c;
                directions[i] = no_terrain;
                if (land[i] != footprint::terrain) continue;
                directions[i] = static_cast<std::uint8_t>(best[c]);
                if (directions[i] == undrained) directions[i] = off_the_terrain(land, i);
            }
        }
    });
    const auto flats = resolve_flats(surface, directions, part_of(tick, 0.4, 1), by);
    report = {flats.flats, flats.cells, flats.undrained};
    return directions;
}

#define GDALMCP_D8(T)                                                                                        \
    template grid<std::uint8_t> d8<T>(const grid<T>&, const grid<footprint>&, const cell_sizes&, d8_report&, \
                                      const progress&, const team&)
GDALMCP_D8(std::uint8_t);
GDALMCP_D8(std::int16_t);
GDALMCP_D8(std::uint16_t);
GDALMCP_D8(std::int32_t);
GDALMCP_D8(std::uint32_t);
GDALMCP_D8(float);
GDALMCP_D8(double);
#undef GDALMCP_D8

}  // namespace gdalmcp_hydrology
