#include "kernel_share.hpp"

#include <algorithm>
#include <cmath>

#include "aggregation/coverage.hpp"

namespace gdalmcp_aggregation_more {
namespace {

namespace zones = gdalmcp_aggregation;

constexpr std::size_t tile_side = 64;  // cells
constexpr int most_parts = 31;
constexpr int samples = 8;  // of the kernel, along a side of a part

// An odd number of parts along the side of a cell: the kernel is nearly even over each.
std::size_t parts_of_cell(double cell, kernel_shape shape, double bandwidth) {
    const double wanted = cell / bandwidth * (shape == kernel_shape::gaussian ? 4 : 10);
    const int parts = static_cast<int>(std::ceil(std::min(wanted - 1e-9, 1.0 * most_parts)));
    return static_cast<std::size_t>(std::max(1, parts | 1));
}

// The height of a kernel at a squared distance in bandwidths, to a factor.
double height_at(double d2, kernel_shape shape) {
    if (d2 > kernel_reach(shape) * kernel_reach(shape)) return 0;
    if (shape == kernel_shape::gaussian) return std::exp(-0.5 * d2);
    return shape == kernel_shape::uniform ? 1 : (1 - d2) * (1 - d2);
}

// Of the square parts of side `part` (bandwidths) around the kernel's centre, row by row.
std::vector<double> kernel_weights(std::size_t reach, double part, kernel_shape shape) {
    const auto side = 2 * reach + 1;
    std::vector<double> weights(side * side);
    const auto at = [&](std::size_t i, int k) {
        return (static_cast<double>(i) - static_cast<double>(reach) + (k + 0.5) / samples - 0.5) * part;
    };
    double all = 0;
    for (std::size_t j = 0; j < side; ++j)
        for (std::size_t i = 0; i < side; ++i) {
            double& w = weights[j * side + i];
            for (int n = 0; n < samples; ++n)
                for (int k = 0; k < samples; ++k) w += height_at(at(i, k) * at(i, k) + at(j, n) * at(j, n), shape);
            all += w;
        }
    for (double& w : weights) w /= all;
    return weights;
}

template <class Change>
void change_points(zones::zone& outline, const Change& change) {
    for (auto& p : outline) {
        std::for_each(p.exterior.begin(), p.exterior.end(), change);
        for (auto& hole : p.holes) std::for_each(hole.begin(), hole.end(), change);
    }
}

}  // namespace

kernel_share::kernel_share(zones::zone outline, double cell, kernel_shape shape, double bandwidth)
    : outline_{std::move(outline)},
      cell_{cell},
      parts_{parts_of_cell(cell, shape, bandwidth)},
      reach_{static_cast<std::size_t>(std::ceil(kernel_reach(shape) * bandwidth / part()))},
      weights_{kernel_weights(reach_, part() / bandwidth, shape)} {
    const auto scale = static_cast<double>(parts_);
    change_points(outline_, [scale](zones::point& p) { p.x *= scale, p.y *= scale; });
}

void kernel_share::fill(const window& cells, double* out) const {
    // Tiles lie the same way whatever the window.
    const auto first = [](std::size_t at) { return at / tile_side * tile_side; };
    for (auto row = first(cells.row); row < cells.row + cells.height; row += tile_side)
        for (auto column = first(cells.column); column < cells.column + cells.width; column += tile_side)
            fill_tile({row, column, tile_side, tile_side}, cells, out);
}

void kernel_share::fill_tile(const window& tile, const window& cells, double* out) const {
    const auto wanted = zones::common(tile, cells);
    // All parts that kernels in the tile reach, around it.
    const auto around = tile_side * parts_ + 2 * reach_;
    auto outline = outline_;
    const auto offset = [&](std::size_t at) { return static_cast<double>(at * parts_) - static_cast<double>(reach_); };
    const double left = offset(tile.column), top = offset(tile.row);
    change_points(outline, [&](zones::point& p) { p.x -= left, p.y -= top; });
    const auto covered = zones::cover(outline, {0, 0, around, around}, zones::coverage_rule::fraction);
    const bool inside = std::all_of(covered.begin(), covered.end(), [](double share) { return share == 1; });
    const auto side = 2 * reach_ + 1, middle = parts_ / 2;
    const auto skipped = (wanted.column - tile.column) * parts_ + middle;
    for (auto row = wanted.row; row < wanted.row + wanted.height; ++row) {
        double* shares = out + (row - cells.row) * cells.width + (wanted.column - cells.column);
        std::fill_n(shares, wanted.width, inside ? 1.0 : 0.0);
        if (inside) continue;
        const double* from = covered.data() + ((row - tile.row) * parts_ + middle) * around + skipped;
        for (std::size_t j = 0; j < side; ++j)
            for (std::size_t i = 0; i < side; ++i) {
                const double weight = weights_[j * side + i], *part = from + j * around + i;
                if (weight == 0) continue;
                for (std::size_t k = 0; k < wanted.width; ++k) shares[k] += weight * part[k * parts_];
            }
    }
}

}  // namespace gdalmcp_aggregation_more
