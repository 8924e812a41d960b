#include "trial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gdalmcp_raster {

namespace {

std::vector<double> valid_values(const cells& c) {
    std::vector<double> values;
    for (std::size_t i = 0; i < c.values.size(); ++i)
        if (c.valid[i]) values.push_back(c.values[i]);
    return values;
}

bool holds_near(const cells& in, double value, double x, double y, int reach) {
    const int column = static_cast<int>(std::floor(x)), row = static_cast<int>(std::floor(y));
    for (int r = std::max(0, row - reach); r <= std::min(in.rows - 1, row + reach); ++r)
        for (int c = std::max(0, column - reach); c <= std::min(in.columns - 1, column + reach); ++c)
            if (in.valid[in.at(c, r)] && in.values[in.at(c, r)] == value) return true;
    return false;
}

}  // namespace

double share_differing(const cells& a, const cells& b) {
    double both = 0, differing = 0;
    for (std::size_t i = 0; i < a.values.size(); ++i) {
        if (!a.valid[i] || !b.valid[i]) continue;
        ++both;
        differing += a.values[i] != b.values[i];
    }
    return both == 0 ? 0 : differing / both;
}

double share_unlike(const cells& a, const cells& b) {
    double any = 0, unlike = 0;
    for (std::size_t i = 0; i < a.values.size(); ++i) {
        if (!a.valid[i] && !b.valid[i]) continue;
        ++any;
        unlike += !a.valid[i] || !b.valid[i] || a.values[i] != b.values[i];
    }
    return any == 0 ? 0 : unlike / any;
}

namespace {

// Of cells that only some results have, the least relative difference that is told: it is never negligible.
constexpr double least_hole = 0.01;

// The middle one of the magnitudes; 0 without a value.
double middle_magnitude(const cells& c) {
    std::vector<double> all;
    for (std::size_t i = 0; i < c.values.size(); ++i)
        if (c.valid[i] && std::isfinite(c.values[i])) all.push_back(std::abs(c.values[i]));
    if (all.empty()) return 0;
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), middle, all.end());
    return *middle;
}

// From the smallest to the greatest value of all results.
double common_range(const std::vector<cells>& results) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const auto& c : results)
        if (const auto r = range_of(c)) {
            low = std::min(low, r->min);
            high = std::max(high, r->max);
        }
    return high - low;
}

}  // namespace

double largest_relative_difference(const std::vector<cells>& results) {
    constexpr double negligible = 1e-6;
    const double least = negligible * middle_magnitude(results.front());
    const double range = common_range(results);
    double largest = 0;
    for (std::size_t i = 0; i < results.front().values.size(); ++i) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        std::size_t with_value = 0;
        for (const auto& c : results) {
            if (!c.valid[i] || !std::isfinite(c.values[i])) continue;
            ++with_value;
            low = std::min(low, c.values[i]);
            high = std::max(high, c.values[i]);
        }
        if (with_value == 0) continue;
        if (with_value < results.size())
            largest = std::max(largest, least_hole);
        else if (high - low > least)
            largest = std::max(largest, (high - low) / std::min(range, std::max(std::abs(low), std::abs(high))));
    }
    return largest;
}

double loss_of_type(const cells& rounded, const cells& exact) {
    double n = 0, mean = 0, squares = 0, off = 0;  // Welford 1962
    for (std::size_t i = 0; i < exact.values.size(); ++i) {
        if (!rounded.valid[i] || !exact.valid[i] || !std::isfinite(exact.values[i])) continue;
        const double v = exact.values[i], from_mean = v - mean, error = rounded.values[i] - v;
        mean += from_mean / ++n;
        squares += from_mean * (v - mean);
        off += error * error;
    }
    return squares > 0 ? std::sqrt(off / squares) : 0;
}

double share_foreign(const cells& out, const cells& in, const std::vector<double>& x, const std::vector<double>& y,
                     int reach) {
    double valid = 0, foreign = 0;
    for (std::size_t i = 0; i < out.values.size(); ++i) {
        if (!out.valid[i] || !std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
        ++valid;
        foreign += !holds_near(in, out.values[i], x[i], y[i], reach);
    }
    return valid == 0 ? 0 : foreign / valid;
}

std::vector<value_share> commonest(const cells& c) {
    auto values = valid_values(c);
    std::sort(values.begin(), values.end());
    const auto all = static_cast<double>(values.size());
    std::vector<value_share> common;
    for (auto first = values.begin(); first != values.end();) {
        const auto last = std::upper_bound(first, values.end(), *first);
        if (const double share = static_cast<double>(last - first) / all; share >= 0.01)
            common.push_back({*first, share});
        first = last;
    }
    std::stable_sort(common.begin(), common.end(),
                     [](const value_share& a, const value_share& b) { return a.share > b.share; });
    if (common.size() > 8) common.resize(8);
    return common;
}

std::optional<share_change> largest_change(const std::vector<value_share>& before, const cells& out) {
    double valid = 0;
    std::vector<double> found(before.size(), 0.0);
    for (std::size_t i = 0; i < out.values.size(); ++i) {
        if (!out.valid[i]) continue;
        ++valid;
        for (std::size_t k = 0; k < before.size(); ++k) found[k] += out.values[i] == before[k].value;
    }
    std::optional<share_change> most;
    for (std::size_t k = 0; k < before.size(); ++k) {
        const share_change c{before[k].value, before[k].share, valid == 0 ? 0 : found[k] / valid};
        if (!most || std::abs(c.relative()) > std::abs(most->relative())) most = c;
    }
    return most;
}

void keep_common(std::vector<cells>& results) {
    for (std::size_t i = 0; i < results.front().valid.size(); ++i)
        if (std::any_of(results.begin(), results.end(), [i](const cells& c) { return !c.valid[i]; }))
            for (auto& c : results) c.valid[i] = 0;
}

std::optional<value_range> range_of(const cells& c) {
    std::optional<value_range> range;
    double n = 0, mean = 0, squares = 0;
    for (std::size_t i = 0; i < c.values.size(); ++i) {
        const double v = c.values[i];
        if (!c.valid[i] || !std::isfinite(v)) continue;
        if (!range) range = value_range{v, v};
        range->min = std::min(range->min, v);
        range->max = std::max(range->max, v);
        ++n;
        const double off = v - mean;
        mean += off / n;
        squares += off * (v - mean);
    }
    if (range) {
        range->variance = squares / n;
        range->mean = mean;
    }
    return range;
}

std::optional<double> steep_gradient(const cells& c, double dx, double dy) {
    std::vector<double> found;
    for (int row = 1; row + 1 < c.rows; ++row)
        for (int column = 1; column + 1 < c.columns; ++column) {
            double z[3][3];
            bool whole = true;
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) {
                    const auto at = c.at(column + j - 1, row + i - 1);
                    whole = whole && c.valid[at] && std::isfinite(c.values[at]);
                    z[i][j] = c.values[at];
                }
            if (!whole) continue;
            const double east = (z[0][2] + 2 * z[1][2] + z[2][2]) - (z[0][0] + 2 * z[1][0] + z[2][0]);
            const double south = (z[2][0] + 2 * z[2][1] + z[2][2]) - (z[0][0] + 2 * z[0][1] + z[0][2]);
            found.push_back(std::hypot(east / (8 * dx), south / (8 * dy)));
        }
    if (found.empty()) return std::nullopt;
    const auto rank = found.begin() + static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(found.size() - 1));
    std::nth_element(found.begin(), rank, found.end());
    return *rank;
}

}  // namespace gdalmcp_raster
