#include "picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace gdalmcp_raster {

std::string color_text(const color& c) {
    char text[10];
    std::snprintf(text, sizeof text, "#%02x%02x%02x%02x", c[0], c[1], c[2], c[3]);
    return text;
}

std::array<double, 2> percentile_range(const std::vector<double>& cells, const std::vector<unsigned char>& valid,
                                       double low, double high) {
    const auto each = [&](const auto& take) {
        for (std::size_t i = 0; i < cells.size(); ++i)
            if (valid[i] && std::isfinite(cells[i])) take(cells[i]);
    };
    std::int64_t count = 0;
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    each([&](double v) {
        ++count;
        lowest = std::min(lowest, v);
        highest = std::max(highest, v);
    });
    if (count == 0) return {0, 1};
    // Only the values of the bin that holds a rank are copied and ordered; halves, since a range can be beyond doubles.
    std::array<std::int64_t, 4096> bins{};
    const double range_of_bins = highest / 2 - lowest / 2,
                 per_bin = static_cast<double>(bins.size() - 1) / range_of_bins;
    const double scale = std::isfinite(per_bin) ? per_bin : 0;
    const auto bin = [&](double v) { return static_cast<std::size_t>((v / 2 - lowest / 2) * scale); };
    each([&](double v) { ++bins[bin(v)]; });
    const auto at = [&](double p) {
        auto rank = static_cast<std::int64_t>(std::lround(static_cast<double>(count - 1) * p / 100));
        std::size_t of = 0;
        for (; rank >= bins[of]; ++of) rank -= bins[of];
        std::vector<double> same;
        same.reserve(static_cast<std::size_t>(bins[of]));
        each([&](double v) {
            if (bin(v) == of) same.push_back(v);
        });
        std::nth_element(same.begin(), same.begin() + rank, same.end());
        return same[static_cast<std::size_t>(rank)];
    };
    std::array<double, 2> range{at(low), at(high)};
    // What resampling makes of one value differs in the last digits.
    const auto one_value = [](const std::array<double, 2>& r) {
        return r[1] - r[0] <= 1e-12 * std::max(std::abs(r[0]), std::abs(r[1]));
    };
    if (one_value(range)) range = {lowest, highest};
    if (one_value(range)) range[1] = range[0];
    return range;
}

std::uint8_t stretched(double value, const std::array<double, 2>& range) {
    if (range[0] == range[1]) return 0;
    // Halves: a range can be beyond doubles.
    const double share = (value / 2 - range[0] / 2) / (range[1] / 2 - range[0] / 2);
    return static_cast<std::uint8_t>(std::clamp(share, 0.0, 1.0) * 255 + 0.5);
}

namespace {

using stops = std::vector<std::array<int, 3>>;

// Evenly spaced colours. No end of terrain is white, which reads as no data; viridis after van der Walt and Smith
// (2015), blue_red after Brewer's RdBu.
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
        {"terrain", {{20, 70, 60}, {60, 105, 70}, {120, 135, 75}, {180, 160, 95}, {220, 190, 140}, {240, 220, 200}}},
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

namespace {

// The colour at a share of 0 to 1 of the way.
color between(const stops& colors, double share) {
    const double at = share * static_cast<double>(colors.size() - 1);
    const auto low = std::min(static_cast<std::size_t>(at), colors.size() - 2);
    const double rest = at - static_cast<double>(low);
    color c{0, 0, 0, 255};
    for (std::size_t k = 0; k < 3; ++k)
        c[k] = static_cast<std::uint8_t>(std::lround(colors[low][k] * (1 - rest) + colors[low + 1][k] * rest));
    return c;
}

const stops& stops_of(const std::string& name) {
    for (const auto& [known, colors] : known_ramps())
        if (name == known) return colors;
    return known_ramps().front().second;
}

}  // namespace

std::vector<color> ramp(const std::string& name) {
    std::vector<color> out;
    for (int i = 0; i < 256; ++i) out.push_back(between(stops_of(name), i / 255.0));
    return out;
}

std::vector<color> height_ramp(const std::array<double, 2>& range) {
    static const stops sea{{10, 30, 80}, {40, 90, 150}, {150, 195, 220}};
    std::vector<color> out;
    for (int i = 0; i < 256; ++i) {
        const double height = range[0] + (range[1] - range[0]) * i / 255.0;
        const double coast = std::clamp(0.0, range[0], range[1]);
        out.push_back(height < 0
                          ? between(sea, coast > range[0] ? (height - range[0]) / (coast - range[0]) : 0)
                          : between(stops_of("terrain"), range[1] > coast ? (height - coast) / (range[1] - coast) : 0));
    }
    return out;
}

bool straddles_zero(const std::array<double, 2>& range) {
    return range[0] < 0 && range[1] > 0 && 20 * std::min(-range[0], range[1]) >= std::max(-range[0], range[1]);
}

std::array<double, 2> about_zero(const std::array<double, 2>& range) {
    const double reach = std::max(std::abs(range[0]), std::abs(range[1]));
    return {-reach, reach};
}

double relief_exaggeration(const std::vector<double>& cells, const std::vector<unsigned char>& valid, int width,
                           double cell) {
    std::vector<double> steps;
    for (std::size_t i = 0; i + 1 < cells.size(); ++i)
        if (valid[i] && valid[i + 1] && (i + 1) % static_cast<std::size_t>(width) != 0)
            steps.push_back(std::abs(cells[i + 1] - cells[i]));
    if (steps.empty()) return 1;
    const auto steep = steps.begin() + static_cast<std::ptrdiff_t>((steps.size() - 1) * 95 / 100);
    std::nth_element(steps.begin(), steep, steps.end());
    return *steep > 0 ? cell / *steep : 1;
}

color shaded(const color& c, double light, double level) {
    // Full shadow keeps a third of the colour, so that it can still be told.
    const double factor = 1.0 / 3 + 2.0 / 3 * light / level;
    color out = c;
    for (std::size_t k = 0; k < 3; ++k) out[k] = static_cast<std::uint8_t>(std::lround(std::min(255.0, c[k] * factor)));
    return out;
}

std::map<std::int64_t, color> class_colors(const std::vector<double>& cells, const std::vector<unsigned char>& valid) {
    std::map<std::int64_t, color> colors;
    for (std::size_t i = 0; i < cells.size(); ++i)
        if (valid[i] && std::isfinite(cells[i])) colors[static_cast<std::int64_t>(cells[i])];
    // The muted scheme of Tol, P. (2021), Colour Schemes, SRON/EPS/TN/09-002, is told apart without colour vision.
    constexpr std::array<std::array<std::uint8_t, 3>, 9> muted{{{204, 102, 119},
                                                                {51, 34, 136},
                                                                {221, 204, 119},
                                                                {17, 119, 51},
                                                                {136, 204, 238},
                                                                {136, 34, 85},
                                                                {68, 170, 153},
                                                                {153, 153, 51},
                                                                {170, 68, 153}}};
    if (colors.size() <= muted.size()) {
        auto next = muted.begin();
        for (auto& [unused, c] : colors) {
            c = {(*next)[0], (*next)[1], (*next)[2], 255};
            ++next;
        }
        return colors;
    }
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
