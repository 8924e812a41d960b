#include "series.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace gdalmcp_maps {
namespace {

// Indexes by size, largest first, equal ones in their order.
template <class Size>
std::vector<std::size_t> by_size(std::size_t n, Size size) {
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
    return order;
}

}  // namespace

double value_of(const gdalmcp_fields::number_summary& of, statistic what) {
    switch (what) {
        case statistic::count:
            return static_cast<double>(of.count());
        case statistic::sum:
            return of.sum();
        case statistic::mean:
            return of.mean();
        default:
            return of.median();
    }
}

std::vector<bar> bars_of(const std::vector<category>& all, statistic what, std::size_t most, bool in_order) {
    std::vector<bar> bars;
    std::vector<const category*> sources;
    for (const auto& c : all) {
        if (c.values.count() == 0) continue;
        bars.push_back({c.label, c.values.count(), value_of(c.values, what)});
        sources.push_back(&c);
    }
    auto order = by_size(bars.size(), [&](std::size_t i) { return bars[i].value; });
    gdalmcp_fields::number_summary rest{true};
    const std::size_t shown = order.size() > most ? most - 1 : order.size();
    for (std::size_t k = shown; k < order.size(); ++k)
        for (const auto& [v, n] : sources[order[k]]->values.occurrences())
            for (std::int64_t i = 0; i < n; ++i) rest.add(v, gdalmcp_fields::no_row);
    const auto left = order.size() - shown;
    order.resize(shown);
    if (in_order) std::sort(order.begin(), order.end());
    std::vector<bar> chosen;
    for (const auto i : order) chosen.push_back(bars[i]);
    if (left > 0) {
        rest.finish();
        chosen.push_back({"other (" + std::to_string(left) + ")", rest.count(), value_of(rest, what), true});
    }
    return chosen;
}

std::vector<series> series_of(const std::vector<point_row>& rows, const std::vector<std::string>& names, statistic what,
                              std::size_t most) {
    std::vector<std::map<double, gdalmcp_fields::number_summary>> at(names.size());
    std::vector<std::int64_t> counts(names.size());
    for (const auto& r : rows) {
        const auto s = static_cast<std::size_t>(r.series);
        ++counts[s];
        at[s].try_emplace(r.x, true).first->second.add(r.y, gdalmcp_fields::no_row);
    }
    auto order = by_size(names.size(), [&](std::size_t i) { return counts[i]; });
    order.resize(std::min(order.size(), most));
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return names[a] < names[b]; });
    std::vector<series> all;
    for (const auto s : order) {
        series one{names[s], counts[s], {}, {}};
        for (auto& [x, values] : at[s]) {
            values.finish();
            one.x.push_back(x);
            one.y.push_back(value_of(values, what));
        }
        all.push_back(std::move(one));
    }
    return all;
}

std::vector<pixel_place> drawn_places(const std::vector<pixel_place>& line) {
    std::vector<pixel_place> drawn;
    for (std::size_t i = 0; i < line.size();) {
        const double column = std::floor(line[i].column);
        std::size_t top = i, bottom = i, end = i;
        for (; end < line.size() && std::floor(line[end].column) == column; ++end) {
            if (line[end].row < line[top].row) top = end;
            if (line[end].row > line[bottom].row) bottom = end;
        }
        for (const auto k : std::set{i, top, bottom, end - 1}) drawn.push_back(line[k]);
        i = end;
    }
    return drawn;
}

}  // namespace gdalmcp_maps
