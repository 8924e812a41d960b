#include "d8.hpp"

#include "flats.hpp"

namespace gdalmcp_hydrology {
namespace {

template <class T>
std::uint8_t steepest(const grid<T>& surface, const grid<footprint>& land, const cell_sizes& sizes, std::size_t index) {
    std::uint8_t best = undrained;
    double best_slope = 0;
    const auto row = surface.extent().row(index);
    for (std::size_t d = 0; d < neighbours.size(); ++d) {
        const auto n = surface.extent().neighbour(index, d);
        if (n == off_grid || land[n] != footprint::terrain || !(surface[n] < surface[index])) continue;
        const double drop = static_cast<double>(surface[index]) - static_cast<double>(surface[n]);
        const double slope = drop / sizes.distance(row, d);
        if (best == undrained || slope > best_slope) {
            best_slope = slope;
            best = static_cast<std::uint8_t>(d);
        }
    }
    return best;
}

std::uint8_t off_the_terrain(const grid<footprint>& land, std::size_t index) {
    for (const auto d : {east, south, west, north, southeast, southwest, northwest, northeast}) {
        const auto n = land.extent().neighbour(index, d);
        if (n == off_grid || land[n] == footprint::outside) return d;
    }
    return undrained;
}

// Towards the lowest neighbour of the same flat; a side neighbour wins over a diagonal one of equal height.
std::uint8_t down_the_relief(const flat_relief& relief, std::size_t index) {
    std::uint8_t best = undrained;
    auto lowest = relief.height[index];
    for (const auto d : {east, south, west, north, southeast, southwest, northwest, northeast}) {
        const auto n = relief.label.extent().neighbour(index, d);
        if (n == off_grid || relief.label[n] != relief.label[index] || relief.height[n] >= lowest) continue;
        lowest = relief.height[n];
        best = d;
    }
    return best;
}

}  // namespace

template <class T>
grid<std::uint8_t> d8(const grid<T>& surface, const grid<footprint>& land, const cell_sizes& sizes, d8_report& report,
                      const progress& tick) {
    grid<std::uint8_t> directions{surface.extent(), no_terrain};
    bool flat = false;
    for (std::size_t i = 0; i < surface.size(); ++i) {
        if (tick && i % progress_interval == 0)
            tick(0.5 * static_cast<double>(i) / static_cast<double>(surface.size()));
        if (land[i] != footprint::terrain) continue;
        directions[i] = steepest(surface, land, sizes, i);
        if (directions[i] == undrained) directions[i] = off_the_terrain(land, i);
        flat |= directions[i] == undrained;
    }
    report = {};
    if (!flat) return directions;

    const auto relief = raise_flats(surface, directions);
    if (tick) tick(0.9);
    report.flats_resolved = relief.flats;
    for (std::size_t i = 0; i < surface.size(); ++i) {
        if (directions[i] != undrained) continue;
        if (relief.label[i]) directions[i] = down_the_relief(relief, i);
        ++(directions[i] == undrained ? report.undrained : report.flat_cells_resolved);
    }
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
