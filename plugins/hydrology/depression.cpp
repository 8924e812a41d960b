#include "depression.hpp"

#include <algorithm>
#include <cmath>

namespace gdalmcp_hydrology {

oblong oblong_of(const depression& d, const shape& extent, const cell_sizes& sizes) {
    if (d.cells.empty()) return {};
    const auto top = extent.row(d.cells.front());
    std::vector<std::array<double, 2>> at;
    std::array<double, 2> mean{};
    for (const auto index : d.cells) {
        const auto row = extent.row(index);
        const double down = static_cast<double>(row) - static_cast<double>(top);
        at.push_back({static_cast<double>(extent.column(index)) * sizes.width(row), down * sizes.height(row)});
        for (std::size_t k = 0; k < 2; ++k) mean[k] += at.back()[k] / static_cast<double>(d.cells.size());
    }
    double xx = 0, xy = 0, yy = 0;
    for (const auto& p : at) {
        xx += (p[0] - mean[0]) * (p[0] - mean[0]);
        xy += (p[0] - mean[0]) * (p[1] - mean[1]);
        yy += (p[1] - mean[1]) * (p[1] - mean[1]);
    }
    const double angle = 0.5 * std::atan2(2 * xy, xx - yy), c = std::cos(angle), s = std::sin(angle);
    double least = 0, most = 0;
    for (const auto& p : at) {
        const double along = (p[0] - mean[0]) * c + (p[1] - mean[1]) * s;
        least = std::min(least, along);
        most = std::max(most, along);
    }
    // From edge to edge of the outermost cells, not from centre to centre.
    const double cell = std::abs(c) * sizes.width(top) + std::abs(s) * sizes.height(top);
    const double length = most - least + cell;
    return {length, d.area / length};
}

bool looks_like_road(const depression& d, const oblong& reach, double least_depth) {
    return d.cells.size() >= road_like_cells && reach.length >= road_like_elongation * reach.width &&
           d.deepest > least_depth;
}

double depth_noise(double sigma_z, double rho) { return sigma_z * std::sqrt(2 * (1 - rho)); }

}  // namespace gdalmcp_hydrology
