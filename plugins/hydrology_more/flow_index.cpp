#include "flow_index.hpp"

#include <cmath>

namespace gdalmcp_hydrology_more {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

grid<double> height_above_channel(const grid<std::uint8_t>& directions, const grid<double>& heights,
                                  const grid<std::uint8_t>& channels, const progress& tick) {
    grid<double> base{directions.extent(), unknown};  // height of the channel cell, in place of the result
    visit_downstream_first(directions, tick, [&](std::size_t cell, std::size_t below) {
        base[cell] = channels[cell] ? heights[cell] : below == off_grid ? unknown : base[below];
    });
    for (std::size_t i = 0; i < base.size(); ++i) base[i] = heights[i] - base[i];
    return base;
}

grid<double> flow_length(const grid<std::uint8_t>& directions, const cell_sizes& sizes,
                         const grid<std::uint8_t>& channels, const progress& tick) {
    grid<double> length{directions.extent(), unknown};
    const double at_end = channels.size() ? unknown : 0;
    visit_downstream_first(directions, tick, [&](std::size_t cell, std::size_t below) {
        if (channels.size() && channels[cell])
            length[cell] = 0;
        else if (below == off_grid)
            length[cell] = at_end;
        else
            length[cell] = length[below] + sizes.distance(directions.extent().row(cell), directions[cell]);
    });
    return length;
}

double flow_slope(const grid<std::uint8_t>& directions, const grid<double>& heights, const cell_sizes& sizes,
                  std::size_t cell) {
    const auto d = directions[cell];
    if (d >= undrained) return unknown;
    const auto step = sizes.distance(directions.extent().row(cell), d);
    if (const auto below = receiver(directions, cell); below != off_grid)
        return (heights[cell] - heights[below]) / step;
    const auto behind = directions.extent().neighbour(cell, (d + 4) % neighbours.size());
    return behind == off_grid || directions[behind] == no_terrain ? unknown : (heights[behind] - heights[cell]) / step;
}

double wetness(double area, double slope) { return std::log(area / slope); }
double stream_power(double area, double slope) { return area * slope; }

}  // namespace gdalmcp_hydrology_more
