// basin_outlets.hpp — pour points of a call as the outlets of basins: the arguments of snapping, the basins, and what a
// result says of one.
#pragma once
#include "flow_grid.hpp"
#include "ogr_pour_points.hpp"
#include "snapping.hpp"

namespace gdalmcp_hydrology {

inline const gdalmcp::arg<gdalmcp::choice> snapping{
    .name = "snap",
    .about = "To the nearest cell of 'streams', the first one downstream, or the largest accumulation.",
    .fallback = gdalmcp::choice{"none"},
    .values = {"none", "nearest_stream", "downstream", "max_accumulation"}};
inline const gdalmcp::arg<std::optional<double>> snap_distance{
    .name = "snap_distance", .about = "How far points may move.", .unit = "m", .above = 0.0};
inline const gdalmcp::arg<std::optional<std::vector<double>>> known_area{
    .name = "known_area",
    .about = "Of each basin, in order: the best match within snap_distance.",
    .unit = "km2",
    .above = 0.0,
    .min_items = 1,
    .or_single = true};

inline const gdalmcp::field<std::int64_t> basin_id{"basin", "Label in the output, from 1"};
inline const auto row_point = gdalmcp::field<std::int64_t>{"point", "FID of the pour point"}.optional();
inline const gdalmcp::field<std::vector<double>> outlet_at{"outlet", "x, y of the outlet cell's centre"};
inline const gdalmcp::field<double> area_own{"area_km2", "Of the labelled cells: without basins of points upstream",
                                             "km2"};
inline const gdalmcp::field<double> area_total{"upstream_km2", "All that drains through the outlet", "km2"};
inline const auto area_before =
    gdalmcp::field<double>{"before_snap_km2", "The same at the point as given", "km2"}.optional();
inline const auto moved_by = gdalmcp::field<double>{"snapped_m", "From the point", "m"}.optional();
inline const gdalmcp::field<std::int64_t> next_down{"to_basin", "The basin it drains into; 0 = none"};
inline const gdalmcp::field<bool> at_edge{"edge", "Inflow from beyond the edge may be missing: report no area"};

struct basin {
    std::optional<placed_point> point;
    std::size_t outlet = off_grid;
    double moved = 0;                    // m
    double own_area = 0;                 // m²
    std::optional<double> known_area{};  // m²
};

// Fails the call where the arguments of snapping lack something or contradict each other. points, channels: whether the
// call has them.
void check_snapping(const gdalmcp::call& call, bool points, bool channels);

// The points of a layer, each snapped as the call says, in their order. Fails the call where the answer is ambiguous,
// far from known_area, or the same for two points.
std::vector<basin> place_basins(gdalmcp::call& call, const gdalmcp::vector& points, const gdal_raster& raster,
                                const snapping_ground& ground);

struct basin_map {
    std::vector<basin> basins;
    grid<std::int32_t> labels;       // numbers of the basins from 1, 0 = none
    std::vector<std::int32_t> next;  // of each basin the next one downstream, 0 = none
    double area = 0;                 // of all of them, m²
};

// What drains to the outlet of each basin and to none above it; sets their own areas. upstream: the area that drains
// through each cell, in m².
basin_map map_basins(std::vector<basin> basins, const grid<std::uint8_t>& directions, const grid<double>& upstream,
                     const progress& tick);

// Warns of basins of points that inflow from beyond the data may miss, and of areas over 10 % off the known ones.
void warn_of_basins(gdalmcp::call& call, const basin_map& map, const accumulation<double>& area);

// Puts the members of a row of a table; `number`: of the basin, from 0.
void put_basin(gdalmcp::place row, const basin_map& map, std::size_t number, const gdal_raster& raster,
               const accumulation<double>& area);

}  // namespace gdalmcp_hydrology
