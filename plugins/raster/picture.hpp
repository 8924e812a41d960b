// picture.hpp — cells as colours: stretches, colour ramps and class colours, over plain arrays.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gdalmcp_raster {

using color = std::array<std::uint8_t, 4>;  // red, green, blue, alpha

std::string color_text(const color& c);  // "#rrggbbaa"

// Values at two percentiles (0 to 100) of the valid cells; both the same value = widened so that a picture can be made.
// valid: 0 = no data. {0, 1} when no cell is valid.
std::array<double, 2> percentile_range(const std::vector<double>& cells, const std::vector<unsigned char>& valid,
                                       double low, double high);

// 0 at range[0], 255 at range[1], clamped.
std::uint8_t stretched(double value, const std::array<double, 2>& range);

// Names that ramp() accepts: gray, viridis, terrain, blue_red.
const std::vector<const char*>& ramp_names();
// 256 opaque colours from low to high.
std::vector<color> ramp(const std::string& name);

// Colours that stay apart for codes without a palette, by order of the codes.
std::map<std::int64_t, color> class_colors(const std::vector<double>& cells, const std::vector<unsigned char>& valid);

}  // namespace gdalmcp_raster
