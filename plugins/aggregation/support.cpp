#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "zone_statistics.hpp"

namespace gdalmcp_aggregation {
namespace {

constexpr double exact_crossings = 2000;
constexpr double rounding = 1e-6;  // of a cell, of coordinates that went through a geotransform
constexpr double kendall = 0.0728;

template <class Edge>
void each_edge(const zone& outline, Edge&& edge) {
    const auto walk = [&](const ring& r) {
        for (std::size_t i = 0; i < r.size(); ++i) edge(r[i], r[(i + 1) % r.size()]);
    };
    for (const auto& part : outline) {
        walk(part.exterior);
        for (const auto& hole : part.holes) walk(hole);
    }
}

bool same_line(double a, double b) {
    const double line = std::round(a);
    return std::abs(a - line) <= rounding && std::abs(b - line) <= rounding;
}

// Edges along the borders of cells cut none.
bool along_border(const point& p, const point& q) { return same_line(p.x, q.x) || same_line(p.y, q.y); }

template <class Edge>
void each_cutting_edge(const zone& outline, Edge&& edge) {
    each_edge(outline, [&](const point& p, const point& q) {
        if (!along_border(p, q)) edge(p, q);
    });
}

using cell = std::pair<std::int64_t, std::int64_t>;

// Where, as fractions of the edge, a coordinate that runs from a to b passes whole numbers.
void add_crossings(double a, double b, std::vector<double>& at) {
    if (a == b) return;
    for (double line = std::floor(std::min(a, b)) + 1; line < std::max(a, b); ++line)
        at.push_back((line - a) / (b - a));
}

void add_cells(const point& p, const point& q, std::vector<double>& at, std::vector<cell>& cells) {
    at.assign({0, 1});
    add_crossings(p.x, q.x, at);
    add_crossings(p.y, q.y, at);
    std::sort(at.begin(), at.end());
    for (std::size_t i = 0; i + 1 < at.size(); ++i) {
        if (at[i + 1] - at[i] < 1e-12) continue;  // through a corner: both borders at once
        const double middle = (at[i] + at[i + 1]) / 2;
        cells.emplace_back(static_cast<std::int64_t>(std::floor(p.y + middle * (q.y - p.y))),
                           static_cast<std::int64_t>(std::floor(p.x + middle * (q.x - p.x))));
    }
}

}  // namespace

double cutting_length(const zone& outline) {
    double length = 0;
    each_cutting_edge(outline, [&](const point& p, const point& q) { length += std::hypot(q.x - p.x, q.y - p.y); });
    return length;
}

double cut_cells(const zone& outline) {
    double crossings = 0;
    each_cutting_edge(outline,
                      [&](const point& p, const point& q) { crossings += std::abs(q.x - p.x) + std::abs(q.y - p.y); });
    if (crossings > exact_crossings) return crossings;
    std::vector<cell> cells;
    std::vector<double> at;
    each_cutting_edge(outline, [&](const point& p, const point& q) { add_cells(p, q, at, cells); });
    std::sort(cells.begin(), cells.end());
    return static_cast<double>(std::unique(cells.begin(), cells.end()) - cells.begin());
}

double boundary_share(double area, double cut) { return cut == 0 ? 0 : std::min(1.0, cut / (area + cut / 2)); }

double centre_rule_error(double area, double perimeter) {
    return area < 1 ? std::sqrt((1 - area) / area) : std::sqrt(kendall * perimeter) / area;
}

double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2) return *middle;
    return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double typical_values::lowest() const { return std::min({mean, median, trimmed_mean, mean_by_area}); }
double typical_values::highest() const { return std::max({mean, median, trimmed_mean, mean_by_area}); }
double typical_values::relative_difference() const {
    const double magnitude = std::max(std::abs(lowest()), std::abs(highest()));
    return magnitude > 0 ? (highest() - lowest()) / magnitude : 0;
}

std::optional<typical_values> typical_of(std::vector<covered_value> cells) {
    if (cells.empty()) return {};
    std::sort(cells.begin(), cells.end(),
              [](const covered_value& a, const covered_value& b) { return a.value < b.value; });
    double all = 0;
    for (const auto& c : cells) all += c.share;
    const double low = all / 10, high = all - low;
    typical_values t;
    double before = 0, ground = 0;
    zone_statistics median{{statistic::median}};
    for (const auto& [value, share, area] : cells) {
        const double after = before + share;
        t.mean += value * share;
        t.mean_by_area += value * share * area;
        ground += share * area;
        t.trimmed_mean += value * std::max(0.0, std::min(after, high) - std::max(before, low));
        median.add(value, share);
        before = after;
    }
    t.median = *median.value_of(statistic::median);
    t.mean /= all;
    t.trimmed_mean /= high - low;
    t.mean_by_area = ground > 0 ? t.mean_by_area / ground : t.mean;
    return t;
}

std::optional<value_spread> spread_of(std::vector<double> values) {
    if (values.empty()) return {};
    const auto n = static_cast<double>(values.size());
    value_spread s;
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    s.mean = sum / n;
    double squares = 0;
    for (const double v : values) squares += (v - s.mean) * (v - s.mean);
    s.stdev = std::sqrt(squares / n);
    s.median = median_of(values);
    if (s.stdev > 0) s.skew = (s.mean - s.median) / s.stdev;
    if (sum > 0 && *std::min_element(values.begin(), values.end()) >= 0) {
        const auto top = std::max<std::size_t>(1, values.size() / 100);
        const auto from = values.end() - static_cast<std::ptrdiff_t>(top);
        std::nth_element(values.begin(), from, values.end());
        s.top_share = std::accumulate(from, values.end(), 0.0) / sum;
    }
    return s;
}

}  // namespace gdalmcp_aggregation
