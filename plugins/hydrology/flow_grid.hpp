// flow_grid.hpp — D8 directions as an input of a tool: their encoding, and what the tools that follow them share.
#pragma once
#include <cmath>

#include "accumulation.hpp"
#include "encoding.hpp"
#include "flow_shares.hpp"
#include "terrain.hpp"

namespace gdalmcp_hydrology {

inline const gdalmcp::arg<gdalmcp::raster> directions_uri{.name = "directions",
                                                          .about = "D8 directions, from hydro_flow_direction."};

inline const gdalmcp::arg<std::optional<gdalmcp::choice>> codes{.name = "encoding",
                                                                .about = "Of the directions. Default: the file's tag.",
                                                                .values = {"esri", "whitebox", "taudem", "grass"}};

// How rasters hold what is not a D8 code: nodata of angles and shares, and the angles of WhiteboxTools, clockwise from
// north, with -1 for undrained cells as in radians.
inline constexpr float angle_nodata = -32768;
float to_degrees(float radians);
float to_radians(float degrees);
inline constexpr double default_exponent = 1.1;

struct flow_grid {
    // Of D-infinity and multiple flow: 0, `undrained` or `no_terrain`.
    grid<std::uint8_t> directions;
    std::string holes = "none";
    std::size_t undrained = 0, cells = 0;
    std::function<shares<double>(std::size_t)> shares_at{};  // nullptr for D8
};

// D8 directions in the encoding that the call or the file's tag names; fails the call on values that are none, and on
// files that hold another method.
flow_grid read_directions(gdalmcp::call& call, const gdal_raster& raster, const progress& tick);

// Directions of the method that the file's tag or `stated` names. sizes: of the raster's cells; it must outlive the
// result.
flow_grid read_flow(gdalmcp::call& call, const gdal_raster& raster, const std::optional<std::string>& stated,
                    const cell_sizes& sizes, const progress& tick);

// The flow of angles, negative where undrained, no_angle without terrain; of shares, all 0 where undrained or without
// terrain, which `directions` tells apart.
flow_grid angle_flow(grid<float> angles, const cell_sizes& sizes);
flow_grid share_flow(std::vector<shares<float>> all, const grid<std::uint8_t>& terrain);

// Fails the call: the directions form a loop.
[[noreturn]] void refuse_loop(const gdal_raster& raster, std::size_t cell);

// Fails the call on loops, and where less or more arrives at the outlets than was contributed.
template <class V>
void require_sound(const gdal_raster& raster, const accumulation<V>& flow);

// The contributing area of each cell in m², its own included: true areas, 0 without terrain. Fails the call on loops.
accumulation<double> contributing_area(const gdal_raster& raster, const flow_grid& flow, const true_areas& areas,
                                       const progress& tick);

// Values of another raster of the call on the grid of the directions, NaN where it has none, scale and offset applied.
grid<double> read_values(const gdal_raster& other, const gdal_raster& on, const progress& tick);

// Cells of a raster of streams, those above 0.
grid<std::uint8_t> read_channels(const gdal_raster& streams, const gdal_raster& on, const progress& tick);

}  // namespace gdalmcp_hydrology
