#include "linear_fit.hpp"

#include <algorithm>
#include <cmath>

#include "datasets/compensated_sum.hpp"

namespace gdalmcp_maps {
namespace {

double mean_of(const std::vector<double>& values) {
    gdalmcp_datasets::compensated_sum sum;
    for (const double v : values) sum.add(v);
    return sum.value() / static_cast<double>(values.size());
}

// Of equal values the mean may be off by a rounding, and the deviations from it would be noise.
bool varies(const std::vector<double>& values) {
    return std::any_of(values.begin(), values.end(), [&](double v) { return v != values.front(); });
}

}  // namespace

std::optional<linear_fit> fit_of(const std::vector<double>& x, const std::vector<double>& y) {
    if (!varies(x)) return std::nullopt;
    const double mean_x = mean_of(x), mean_y = mean_of(y);
    gdalmcp_datasets::compensated_sum squares_x, squares_y, products;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double dx = x[i] - mean_x, dy = y[i] - mean_y;
        squares_x.add_product(dx, dx);
        squares_y.add_product(dy, dy);
        products.add_product(dx, dy);
    }
    const double xx = squares_x.value(), yy = squares_y.value(), xy = products.value();
    if (!(xx > 0)) return std::nullopt;
    linear_fit fit{xy / xx, mean_y - xy / xx * mean_x, std::nullopt};
    if (varies(y) && yy > 0) fit.r_squared = std::fmin(1, xy / xx * (xy / yy));
    return fit;
}

}  // namespace gdalmcp_maps
