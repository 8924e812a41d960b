// flow_grid.hpp — D8 directions as an input of a tool: their encoding, and what the tools that follow them share.
#pragma once
#include <cmath>
#include <variant>

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
    std::variant<std::monostate, flow_by_angles, flow_by_shares> shared{};  // nothing for D8
};

// What the file's tag or `stated` names: d8, dinf or mfd. Fails the call if they differ.
std::string flow_method(const gdal_raster& raster, const std::optional<std::string>& stated);

// The D8 codes of a raster in the encoding that the call or its tag names, as values of `direction`.
class direction_codes {
public:
    // raster must outlive this.
    direction_codes(gdalmcp::call& call, const gdal_raster& raster);

    // Fails the call on values that are no codes.
    grid<std::uint8_t> read(const placed_tile& tile) const;
    // at: the row of the raster, or the part of one, that `values` are.
    template <class V>  // float, std::uint8_t
    void decode_row(const V* values, const std::uint8_t* valid, const placed_tile& at, std::uint8_t* to) const;

private:
    const gdal_raster& raster_;
    encoding code_;
    std::array<std::optional<std::uint8_t>, 256> decoded_;  // of most files, all values
};

// What the holes of the DEM were taken for, as the directions say; "none" where they do not. Fails the call if it says
// otherwise.
std::string holes_of_directions(const gdalmcp::call& call, const gdal_raster& raster);

// Fails the call if no cell has a direction.
void require_directions(const gdal_raster& raster, std::size_t cells);

// Multiple flow is eight bands that are read together; of everything else there is one.
gdal_raster open_directions(const gdalmcp::raster& source);

// D8 directions in the encoding that the call or the file's tag names; fails the call on values that are none, and on
// files that hold another method.
flow_grid read_directions(gdalmcp::call& call, const gdal_raster& raster, const progress& tick);

// Directions of the method that the file's tag or `stated` names. sizes: of the raster's cells.
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

// Warns where the threshold of a stream is less than the mean area of a cell, m².
void warn_of_threshold(gdalmcp::call& call, double threshold_km2, double cell_area);

// Values of another raster of the call on the grid of the directions, NaN where it has none, scale and offset applied.
grid<double> read_values(const gdal_raster& other, const gdal_raster& on, const progress& tick);

// Of a tile; `other` is known to lie on the grid.
grid<double> read_values(const gdal_raster& other, const placed_tile& tile);

// The same of a flow accumulation. Fails the call where its values fall along the flow as no accumulation does.
grid<double> read_accumulated(const gdal_raster& given, const gdal_raster& on, const grid<std::uint8_t>& directions,
                              const progress& tick);

// Cells of a raster of streams, those above 0. Warns where most are, as of codes or heights.
grid<std::uint8_t> read_channels(gdalmcp::call& call, const gdal_raster& streams, const gdal_raster& on,
                                 const progress& tick);

}  // namespace gdalmcp_hydrology
