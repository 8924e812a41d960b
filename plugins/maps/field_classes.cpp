#include "field_classes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

namespace gdalmcp_maps {
namespace {

using gdalmcp_raster::ramp;

constexpr std::size_t quantiles = 5, most_categories = 9;
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

// Inner breaks of quantile classes of sorted values: each a value of its own, above the smallest.
std::vector<double> quantile_breaks(const std::vector<double>& sorted) {
    std::vector<double> breaks;
    for (std::size_t i = 1; i < quantiles; ++i) {
        const double at = sorted[sorted.size() * i / quantiles];
        if (at > (breaks.empty() ? sorted.front() : breaks.back())) breaks.push_back(at);
    }
    return breaks;
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
    char text[40];
    if (v == std::round(v) && std::abs(v) < 1e15)
        std::snprintf(text, sizeof text, "%.0f", v == 0 ? 0.0 : v);
    else
        std::snprintf(text, sizeof text, "%.4g", v);
    return text;
}

classification classes_of_numbers(const std::vector<double>& values) {
    classification c;
    std::vector<double> sorted;
    for (const double v : values)
        if (std::isfinite(v)) sorted.push_back(v);
    std::sort(sorted.begin(), sorted.end());
    std::set<double> different;
    for (const double v : sorted)
        if (different.size() <= quantiles) different.insert(v);
    std::vector<double> breaks;
    if (sorted.empty()) {
        c.method = "no values";
        c.class_of.assign(values.size(), -1);
        return c;
    }
    const double low = sorted.front(), high = sorted.back();
    const bool around_zero = gdalmcp_raster::straddles_zero({low, high}) && different.size() > 2;
    const bool single = different.size() <= quantiles;
    if (single) {
        breaks.assign(std::next(different.begin()), different.end());
        c.method = "each value a class";
    } else if (around_zero) {
        const double reach = std::max(-low, high);
        for (const double share : {-2.0 / 3, -1.0 / 3, 0.0, 1.0 / 3, 2.0 / 3}) breaks.push_back(share * reach);
        c.method = "classes of equal width around zero";
    } else {
        breaks = quantile_breaks(sorted);
        c.method = std::to_string(breaks.size() + 1) + " classes of about equal counts (quantiles)";
    }
    const auto colors = steps(around_zero && !single ? "blue_red" : "viridis", breaks.size() + 1);
    std::vector<double> edges{around_zero && !single ? -std::max(-low, high) : low};
    edges.insert(edges.end(), breaks.begin(), breaks.end());
    edges.push_back(around_zero && !single ? std::max(-low, high) : high);
    for (std::size_t i = 0; i <= breaks.size(); ++i)
        c.classes.push_back(
            {single ? short_number(edges[i]) : short_number(edges[i]) + " to " + short_number(edges[i + 1]),
             colors[i]});
    for (const double v : values)
        c.class_of.push_back(std::isfinite(v) ? static_cast<std::int32_t>(class_among(breaks, v)) : -1);
    count(c);
    return c;
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
