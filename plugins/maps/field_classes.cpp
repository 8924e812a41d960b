#include "field_classes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string_view>

#include "class_breaks.hpp"

namespace gdalmcp_maps {
namespace {

using gdalmcp_raster::ramp;

constexpr std::size_t default_classes = 5, most_categories = 9;
constexpr color others_color{150, 150, 150, 255};

// Colours at equal steps of a ramp, its ends included.
std::vector<color> steps(const char* name, std::size_t n) {
    const auto all = ramp(name);
    std::vector<color> chosen;
    for (std::size_t i = 0; i < n; ++i) chosen.push_back(all[n > 1 ? i * (all.size() - 1) / (n - 1) : all.size() / 2]);
    return chosen;
}

std::size_t class_among(const std::vector<double>& breaks, double v) {
    return static_cast<std::size_t>(std::upper_bound(breaks.begin(), breaks.end(), v) - breaks.begin());
}

// Never in powers of ten below 1e15: a number with more digits before the point has all of those.
std::string number_with(double v, int digits) {
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", digits, v);
    if (std::abs(v) >= 1 && std::abs(v) < 1e15 && std::string_view{text}.find('e') != std::string_view::npos)
        std::snprintf(text, sizeof text, "%.0f", v);
    return text;
}

std::vector<double> sorted_finite(const std::vector<double>& values) {
    std::vector<double> sorted;
    for (const double v : values)
        if (std::isfinite(v)) sorted.push_back(v);
    std::sort(sorted.begin(), sorted.end());
    return sorted;
}

std::vector<double> breaks_by(class_method method, const std::vector<double>& sorted, std::size_t n) {
    if (method == class_method::equal_interval) return equal_breaks(sorted, n);
    if (method == class_method::natural_breaks) return natural_breaks(sorted, n);
    return quantile_breaks(sorted, n);
}

const char* name_of(class_method method) {
    return method == class_method::equal_interval   ? " classes of equal width"
           : method == class_method::natural_breaks ? " classes by natural breaks (Fisher-Jenks)"
                                                    : " classes of about equal counts (quantiles)";
}

// Numbers in as few digits, four or more, as tell them apart.
std::vector<std::string> texts_of(const std::vector<double>& edges) {
    std::vector<std::string> texts;
    for (int digits = 4; digits <= 17; ++digits) {
        texts.clear();
        for (const double v : edges) texts.push_back(digits == 4 ? short_number(v) : number_with(v, digits));
        bool apart = true;
        for (std::size_t i = 1; i < edges.size(); ++i)
            apart = apart && (edges[i] == edges[i - 1] || texts[i] != texts[i - 1]);
        if (apart) break;
    }
    return texts;
}

// The limits of the classes between the edges: of whole numbers, whole ones in one class only; of natural breaks, and
// of quantiles of whole numbers, the least and the largest member.
std::vector<std::string> labels_of(const std::vector<double>& edges, const std::vector<double>& sorted,
                                   class_method method) {
    const bool whole =
        std::all_of(sorted.begin(), sorted.end(), [](double v) { return v == std::round(v) && std::abs(v) < 1e15; });
    const bool of_members = method == class_method::natural_breaks || (whole && method != class_method::equal_interval);
    std::vector<double> limits;
    for (std::size_t i = 1; i < edges.size(); ++i) {
        const bool last = i + 1 == edges.size();
        const auto from = std::lower_bound(sorted.begin(), sorted.end(), edges[i - 1]),
                   to = last ? sorted.end() : std::lower_bound(sorted.begin(), sorted.end(), edges[i]);
        double low = edges[i - 1], high = edges[i];
        if (of_members && from != to) {
            low = *from;
            high = *std::prev(to);
        } else if (const double first = std::ceil(low), end = last ? high : std::ceil(high) - 1;
                   whole && first <= end) {
            low = first;
            high = end;
        }
        limits.insert(limits.end(), {low, high});
    }
    const auto texts = texts_of(limits);
    std::vector<std::string> labels;
    for (std::size_t i = 1; i < texts.size(); i += 2)
        labels.push_back(texts[i - 1] == texts[i] ? texts[i] : texts[i - 1] + " to " + texts[i]);
    return labels;
}

// How numbers are classed: one colour and one label more than there are breaks.
struct scheme {
    std::vector<double> breaks;
    std::vector<std::string> labels;
    std::vector<color> colors;
    std::string method;
};

std::vector<double> edges_around(double low, const std::vector<double>& breaks, double high) {
    std::vector<double> edges{low};
    edges.insert(edges.end(), breaks.begin(), breaks.end());
    edges.push_back(high);
    return edges;
}

scheme each_value(const std::set<double>& different) {
    scheme s{
        {std::next(different.begin()), different.end()}, {}, steps("viridis", different.size()), "each value a class"};
    s.labels = texts_of({different.begin(), different.end()});
    return s;
}

scheme around_zero(const std::vector<double>& sorted) {
    const double reach = std::max(-sorted.front(), sorted.back());
    scheme s{{}, {}, steps("blue_red", 6), "classes of equal width around zero"};
    for (const double share : {-2.0 / 3, -1.0 / 3, 0.0, 1.0 / 3, 2.0 / 3}) s.breaks.push_back(share * reach);
    s.labels = labels_of(edges_around(-reach, s.breaks, reach), sorted, class_method::equal_interval);
    return s;
}

scheme by_method(const std::vector<double>& sorted, class_method method, std::size_t n) {
    scheme s{breaks_by(method, sorted, n), {}, {}, ""};
    s.colors = steps("viridis", s.breaks.size() + 1);
    s.labels = labels_of(edges_around(sorted.front(), s.breaks, sorted.back()), sorted, method);
    s.method = s.breaks.empty() ? "one class" : std::to_string(s.breaks.size() + 1) + name_of(method);
    if (s.breaks.size() + 1 == n) return s;
    const auto different = std::set<double>(sorted.begin(), sorted.end()).size();
    s.method += ", of " + std::to_string(n) + " asked for: ";
    if (different < n)
        s.method +=
            different == 1 ? "all values are the same" : "there are " + std::to_string(different) + " different values";
    else
        s.method += std::string{"many rows have the same value"} +
                    (method == class_method::quantile || method == class_method::automatic
                         ? "; natural_breaks tells the others apart"
                         : "");
    return s;
}

scheme by_deviation(const std::vector<double>& sorted) {
    static constexpr const char* ranges[] = {"below -2.5", "-2.5 to -1.5", "-1.5 to -0.5", "-0.5 to 0.5",
                                             "0.5 to 1.5", "1.5 to 2.5",   "above 2.5"};
    const auto found = standard_deviation_breaks(sorted);
    scheme s{found.breaks,
             labels_of(edges_around(sorted.front(), found.breaks, sorted.back()), sorted, class_method::equal_interval),
             {},
             ""};
    const auto seven = steps("blue_red", 7);
    if (!(found.deviation > 0)) {
        s.colors = {seven[3]};
        s.method = "one class: all values are the same";
        return s;
    }
    for (std::size_t i = 0; i < s.labels.size(); ++i) {
        s.labels[i] += std::string{" ("} + ranges[found.first + i] + " sd)";
        s.colors.push_back(seven[found.first + i]);
    }
    s.method =
        "standard deviations (sd " + short_number(found.deviation) + ") from the mean " + short_number(found.mean);
    return s;
}

// Breaks of one side of the midpoint, without it.
std::vector<double> side_breaks(const std::vector<double>& side, class_method method, std::size_t n, double from,
                                double width) {
    if (method != class_method::automatic && method != class_method::equal_interval)
        return side.empty() ? std::vector<double>{} : breaks_by(method, side, n);
    std::vector<double> breaks;
    for (std::size_t i = 1; i < n; ++i) breaks.push_back(from + width * static_cast<double>(i));
    return breaks;
}

scheme scheme_around(const std::vector<double>& sorted, double midpoint, class_method method, std::size_t n) {
    const auto middle = std::lower_bound(sorted.begin(), sorted.end(), midpoint);
    const std::vector<double> below{sorted.begin(), middle}, above{middle, sorted.end()};
    const auto half = (n + 1) / 2;
    const double width =
        std::max(std::abs(sorted.front() - midpoint), std::abs(sorted.back() - midpoint)) / static_cast<double>(half);
    const auto low = side_breaks(below, method, half, midpoint - width * static_cast<double>(half), width),
               high = side_breaks(above, method, half, midpoint, width);
    const auto longer = std::max(low.size(), high.size()) + 1;
    const auto colors = steps("blue_red", 2 * longer);
    auto breaks = low;
    breaks.push_back(midpoint);
    breaks.insert(breaks.end(), high.begin(), high.end());
    scheme s{{}, {}, {}, ""};
    // Classes without any value at the ends are left out; the others keep their colours.
    auto first = longer - low.size() - 1;
    for (const double at : breaks) {
        if (at <= sorted.front())
            ++first;
        else if (at <= sorted.back())
            s.breaks.push_back(at);
    }
    for (std::size_t i = 0; i <= s.breaks.size(); ++i) s.colors.push_back(colors[first + i]);
    const auto own = method == class_method::automatic ? class_method::equal_interval : method;
    s.labels = labels_of(edges_around(sorted.front(), s.breaks, sorted.back()), sorted, class_method::equal_interval);
    s.method = s.breaks.empty() ? "one class" : std::to_string(s.breaks.size() + 1) + name_of(own);
    s.method += " to both sides of " + short_number(midpoint);
    if (midpoint > sorted.back()) s.method += ", which is above all values";
    if (midpoint < sorted.front()) s.method += ", which is below all values";
    return s;
}

scheme scheme_for(const std::vector<double>& sorted, const class_wish& wish) {
    const auto n = wish.count.value_or(wish.midpoint ? 6 : default_classes);
    if (wish.method == class_method::standard_deviation) return by_deviation(sorted);
    if (wish.midpoint) return scheme_around(sorted, *wish.midpoint, wish.method, n);
    std::set<double> different;
    for (const double v : sorted)
        if (different.size() <= n) different.insert(v);
    if (different.size() <= n &&
        (wish.method == class_method::automatic || wish.method == class_method::natural_breaks))
        return each_value(different);
    if (wish.method == class_method::automatic && !wish.count &&
        gdalmcp_raster::straddles_zero({sorted.front(), sorted.back()}))
        return around_zero(sorted);
    return by_method(sorted, wish.method, n);
}

void count(classification& c) {
    for (const auto index : c.class_of)
        if (index >= 0) ++c.classes[static_cast<std::size_t>(index)].count;
}

}  // namespace

std::string short_text(const std::string& text) {
    std::size_t end = 60;
    if (text.size() <= end + 4) return text;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return text.substr(0, end) + "…";
}

std::string short_number(double v) {
    const bool whole = v == std::round(v) && std::abs(v) < 1e15;
    return number_with(v == 0 ? 0.0 : v, whole ? 15 : 4);
}

classification classes_of_numbers(const std::vector<double>& values, const class_wish& wish) {
    classification c;
    const auto sorted = sorted_finite(values);
    if (sorted.empty()) {
        c.method = "no values";
        c.class_of.assign(values.size(), -1);
        return c;
    }
    const auto s = scheme_for(sorted, wish);
    c.method = s.method;
    for (std::size_t i = 0; i <= s.breaks.size(); ++i) c.classes.push_back({s.labels[i], s.colors[i]});
    for (const double v : values)
        c.class_of.push_back(std::isfinite(v) ? static_cast<std::int32_t>(class_among(s.breaks, v)) : -1);
    count(c);
    return c;
}

std::optional<two_field_classes> classes_of_two(const std::vector<double>& a, const std::vector<double>& b,
                                                class_method method, const std::array<std::string, 2>& names) {
    // Stevens, J. (2015), Bivariate Choropleth Maps: blue for the first, pink for the second.
    static constexpr std::array<color, 9> shown{{{232, 232, 232, 255},
                                                 {172, 228, 228, 255},
                                                 {90, 200, 200, 255},
                                                 {223, 176, 214, 255},
                                                 {165, 173, 211, 255},
                                                 {86, 152, 185, 255},
                                                 {190, 100, 172, 255},
                                                 {140, 98, 170, 255},
                                                 {59, 73, 148, 255}}};
    two_field_classes both;
    std::array<std::vector<double>, 2> breaks, shared;  // shared: of those with both values, which alone are coloured
    std::array<std::vector<std::string>, 2> labels;
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (!std::isfinite(a[k]) || !std::isfinite(b[k])) continue;
        shared[0].push_back(a[k]);
        shared[1].push_back(b[k]);
    }
    for (const std::size_t i : {0U, 1U}) {
        const auto sorted = sorted_finite(shared[i]);
        if (sorted.empty()) return std::nullopt;
        breaks[i] = breaks_by(method, sorted, 3);
        if (breaks[i].size() != 2) return std::nullopt;
        const auto edges = edges_around(sorted.front(), breaks[i], sorted.back());
        both.edges[i] = texts_of(edges);
        labels[i] = labels_of(edges, sorted, method);
    }
    auto& nine = both.nine;
    nine.method = std::string{"3 × 3"} + name_of(method);
    for (std::size_t i = 0; i < 9; ++i)
        nine.classes.push_back(
            {names[0] + " " + labels[0][i % 3] + ", " + names[1] + " " + labels[1][i / 3], shown[i]});
    for (std::size_t k = 0; k < a.size(); ++k)
        nine.class_of.push_back(
            std::isfinite(a[k]) && std::isfinite(b[k])
                ? static_cast<std::int32_t>(class_among(breaks[0], a[k]) + 3 * class_among(breaks[1], b[k]))
                : -1);
    count(nine);
    return both;
}

classification classes_of_texts(const std::vector<std::optional<std::string>>& values) {
    classification c;
    std::map<std::string, std::int64_t> counts;
    for (const auto& v : values)
        if (v) ++counts[*v];
    std::vector<std::string> shown;
    for (const auto& [text, unused] : counts) shown.push_back(text);
    const bool too_many = shown.size() > most_categories;
    if (too_many) {
        std::stable_sort(shown.begin(), shown.end(),
                         [&](const auto& a, const auto& b) { return counts[a] > counts[b]; });
        shown.resize(most_categories);
    }
    std::vector<double> codes;
    std::map<std::string, std::int32_t> index;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        codes.push_back(static_cast<double>(i));
        index[shown[i]] = static_cast<std::int32_t>(i);
    }
    const auto colors = gdalmcp_raster::class_colors(codes, std::vector<unsigned char>(codes.size(), 1));
    for (std::size_t i = 0; i < shown.size(); ++i)
        c.classes.push_back(
            {shown[i].empty() ? "(empty)" : short_text(shown[i]), colors.at(static_cast<std::int64_t>(i))});
    if (too_many) c.classes.push_back({std::to_string(counts.size() - most_categories) + " others", others_color});
    for (const auto& v : values) {
        const auto known = v ? index.find(*v) : index.end();
        c.class_of.push_back(known != index.end() ? known->second
                             : v                  ? static_cast<std::int32_t>(most_categories)
                                                  : -1);
    }
    c.method = too_many ? "the 9 commonest of " + std::to_string(counts.size()) + " values" : "each value a class";
    count(c);
    return c;
}

}  // namespace gdalmcp_maps
