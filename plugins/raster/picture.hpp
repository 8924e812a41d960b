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

// Values at two percentiles (0 to 100) of the valid cells; both the same value, to twelve digits = widened so that a
// picture can be made.
// valid: 0 = no data. {0, 1} when no cell is valid.
std::array<double, 2> percentile_range(const std::vector<double>& cells, const std::vector<unsigned char>& valid,
                                       double low, double high);

// 0 at range[0], 255 at range[1], clamped.
std::uint8_t stretched(double value, const std::array<double, 2>& range);

// Names that ramp() accepts: gray, viridis, terrain, blue_red. Each tells low from high without colour vision: all but
// blue_red grow lighter, and blue and red grow darker from their light middle.
const std::vector<const char*>& ramp_names();
// 256 opaque colours from low to high.
std::vector<color> ramp(const std::string& name);

// The terrain ramp above zero and shades of blue below it, for heights of this range.
std::vector<color> height_ramp(const std::array<double, 2>& range);

// Both signs have a share of the range that is worth a colour: a twentieth of the other's.
bool straddles_zero(const std::array<double, 2>& range);
// The range with zero in its middle.
std::array<double, 2> about_zero(const std::array<double, 2>& range);

// The factor that makes differences between neighbours steep enough for a hillshade: 95 of 100 are then below a cell's
// width. Planes have no relief: 1.
double relief_exaggeration(const std::vector<double>& cells, const std::vector<unsigned char>& valid, int width,
                           double cell);
// light: 0 to 255, of which level ground has `level`. Darker on slopes that face away.
color shaded(const color& c, double light, double level);

// Colours that stay apart for codes without a palette, by order of the codes; up to nine are told apart without colour
// vision.
std::map<std::int64_t, color> class_colors(const std::vector<double>& cells, const std::vector<unsigned char>& valid);

}  // namespace gdalmcp_raster
