#include "histogram.hpp"

#include <algorithm>
#include <cmath>

#include "axis.hpp"

namespace gdalmcp_maps {
namespace {

constexpr double most_bins = 50;

double quantile(const std::vector<double>& sorted, double share) {
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const auto above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (at - static_cast<double>(below));
}

// numpy.histogram_bin_edges(…, "auto").
double automatic_width(const std::vector<double>& sorted) {
    const auto n = static_cast<double>(sorted.size());
    const double length = sorted.back() - sorted.front();
    const double sturges = length / (std::log2(n) + 1);
    const double freedman_diaconis = 2 * (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / std::cbrt(n);
    return std::max(freedman_diaconis > 0 ? std::min(sturges, freedman_diaconis) : sturges, length / most_bins);
}

std::vector<double> equal_edges(double low, double high, std::size_t bins) {
    std::vector<double> edges;
    const double step = (high - low) / static_cast<double>(bins);
    for (std::size_t i = 0; i < bins; ++i) edges.push_back(low + static_cast<double>(i) * step);
    edges.push_back(high);
    return edges;
}

std::vector<double> round_edges(const std::vector<double>& sorted, bool whole) {
    const double wanted = round_above(automatic_width(sorted)), width = whole ? std::max(1.0, wanted) : wanted;
    double k = std::floor(sorted.front() / width);
    if (multiple(k, width) > sorted.front()) --k;
    if (multiple(k + 1, width) <= sorted.front()) ++k;
    std::vector<double> edges{multiple(k, width)};
    // Whole numbers have intervals with as many of them each, so that the last is not closed.
    while (whole ? edges.back() <= sorted.back() : edges.back() < sorted.back()) edges.push_back(multiple(++k, width));
    return edges;
}

std::vector<double> edges_of(const std::vector<double>& sorted, std::optional<std::size_t> bins, bool logarithmic,
                             bool whole) {
    const double low = sorted.front(), high = sorted.back();
    if (nearly_equal(low, high)) {
        const auto shown = around(low, high);
        return logarithmic ? std::vector<double>{low / 2, high * 2} : std::vector<double>{shown.low, shown.high};
    }
    if (!logarithmic) return bins ? equal_edges(low, high, *bins) : round_edges(sorted, whole);
    std::vector<double> logarithms;
    for (const double v : sorted) logarithms.push_back(std::log10(v));
    const double width = automatic_width(logarithms);
    const auto n =
        bins.value_or(static_cast<std::size_t>(std::ceil((logarithms.back() - logarithms.front()) / width - 1e-9)));
    auto edges = equal_edges(logarithms.front(), logarithms.back(), n);
    for (auto& e : edges) e = std::pow(10, e);
    edges.front() = low;
    edges.back() = high;
    return edges;
}

}  // namespace

histogram histogram_of(const std::vector<double>& sorted, std::optional<std::size_t> bins, bool logarithmic,
                       bool whole) {
    histogram h{edges_of(sorted, bins, logarithmic, whole), {}};
    auto from = sorted.begin();
    for (std::size_t i = 1; i < h.edges.size(); ++i) {
        const auto to = i + 1 == h.edges.size() ? sorted.end() : std::lower_bound(from, sorted.end(), h.edges[i]);
        h.counts.push_back(to - from);
        from = to;
    }
    return h;
}

}  // namespace gdalmcp_maps
