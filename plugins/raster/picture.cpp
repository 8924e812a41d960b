#include "picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace gdalmcp_raster {

std::string color_text(const color& c) {
    char text[10];
    std::snprintf(text, sizeof text, "#%02x%02x%02x%02x", c[0], c[1], c[2], c[3]);
    return text;
}

std::array<double, 2> percentile_range(const std::vector<double>& cells, const std::vector<unsigned char>& valid,
                                       double low, double high) {
    std::vector<double> sorted;
    for (std::size_t i = 0; i < cells.size(); ++i)
        if (valid[i] && std::isfinite(cells[i])) sorted.push_back(cells[i]);
    if (sorted.empty()) return {0, 1};
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&](double p) {
        return sorted[static_cast<std::size_t>(std::lround(static_cast<double>(sorted.size() - 1) * p / 100))];
    };
    std::array<double, 2> range{at(low), at(high)};
    if (range[0] == range[1]) range = {sorted.front(), sorted.back()};
    if (range[0] == range[1]) range[1] = range[0] + 1;
    return range;
}

std::uint8_t stretched(double value, const std::array<double, 2>& range) {
    return static_cast<std::uint8_t>(
        std::lround(std::clamp((value - range[0]) / (range[1] - range[0]), 0.0, 1.0) * 255));
}

namespace {

using stops = std::vector<std::array<int, 3>>;

// Evenly spaced colours. No end of terrain is white, which reads as no data; viridis after van der Walt and Smith
// (2015).
const std::vector<std::pair<const char*, stops>>& known_ramps() {
    static const std::vector<std::pair<const char*, stops>> all{
        {"gray", {{0, 0, 0}, {255, 255, 255}}},
        {"viridis",
         {{68, 1, 84},
          {72, 40, 120},
          {62, 74, 137},
          {49, 104, 142},
          {38, 130, 142},
          {31, 158, 137},
          {53, 183, 121},
          {109, 205, 89},
          {180, 222, 44},
          {253, 231, 37}}},
        {"terrain", {{40, 110, 70}, {140, 180, 100}, {225, 215, 150}, {170, 120, 80}, {130, 100, 90}, {190, 180, 190}}},
        {"blue_red", {{33, 102, 172}, {146, 197, 222}, {247, 247, 247}, {244, 165, 130}, {178, 24, 43}}}};
    return all;
}

}  // namespace

const std::vector<const char*>& ramp_names() {
    static const std::vector<const char*> names = [] {
        std::vector<const char*> n;
        for (const auto& [name, unused] : known_ramps()) n.push_back(name);
        return n;
    }();
    return names;
}

std::vector<color> ramp(const std::string& name) {
    const stops* found = &known_ramps().front().second;
    for (const auto& [known, colors] : known_ramps())
        if (name == known) found = &colors;
    std::vector<color> out(256);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double at = static_cast<double>(i) / 255 * static_cast<double>(found->size() - 1);
        const auto low = std::min(static_cast<std::size_t>(at), found->size() - 2);
        const double rest = at - static_cast<double>(low);
        for (std::size_t k = 0; k < 3; ++k)
            out[i][k] =
                static_cast<std::uint8_t>(std::lround((*found)[low][k] * (1 - rest) + (*found)[low + 1][k] * rest));
        out[i][3] = 255;
    }
    return out;
}

std::map<std::int64_t, color> class_colors(const std::vector<double>& cells, const std::vector<unsigned char>& valid) {
    std::map<std::int64_t, color> colors;
    for (std::size_t i = 0; i < cells.size(); ++i)
        if (valid[i] && std::isfinite(cells[i])) colors[static_cast<std::int64_t>(cells[i])];
    double hue = 0.1;
    for (auto& [unused, c] : colors) {
        // Steps of the golden angle keep neighbours in the list apart; three waves a third of a turn apart make the
        // hue.
        for (std::size_t k = 0; k < 3; ++k)
            c[k] = static_cast<std::uint8_t>(
                std::lround(150 + 90 * std::cos(2 * 3.14159265358979323846 * (hue - static_cast<double>(k) / 3))));
        c[3] = 255;
        hue += 0.618033988749895;
    }
    return colors;
}

}  // namespace gdalmcp_raster
