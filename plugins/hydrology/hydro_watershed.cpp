#include <algorithm>

#include "basins.hpp"
#include "features.hpp"
#include "flow_grid.hpp"
#include "gdal_basin_polygons.hpp"
#include "ogr_pour_points.hpp"
#include "ogr_result_layer.hpp"
#include "snapping.hpp"
#include "tools.hpp"

namespace gdalmcp_hydrology {
namespace {

constexpr std::size_t max_rows = 100;  // of the table in the result

const gdalmcp::arg<std::optional<gdalmcp::vector>> pour_points{.name = "pour_points",
                                                               .about = "Outlets, in any CRS. Default: all basins."};
const gdalmcp::arg<gdalmcp::choice> snapping{
    .name = "snap",
    .about = "Move points: to the nearest cell of 'streams', the first one downstream, or the largest accumulation.",
    .fallback = gdalmcp::choice{"none"},
    .values = {"none", "nearest_stream", "downstream", "max_accumulation"}};
const gdalmcp::arg<std::optional<double>> snap_distance{
    .name = "snap_distance", .about = "How far points may move.", .unit = "m", .above = 0.0};
const gdalmcp::arg<std::optional<std::vector<double>>> known_area{
    .name = "known_area",
    .about = "Of each basin, in the order of the points: the best match within snap_distance is taken.",
    .unit = "km2",
    .above = 0.0,
    .min_items = 1,
    .or_single = true};
const gdalmcp::arg<std::optional<gdalmcp::raster>> streams_uri{.name = "streams",
                                                               .about = "Stream cells (hydro_streams, .tif)."};
const gdalmcp::arg<std::optional<gdalmcp::raster>> accumulation_uri{.name = "accumulation",
                                                                    .about = "For max_accumulation. Default: areas."};

const terrain_fields fields;
const gdalmcp::field<std::int64_t> basin_count{"basin_count", "Basins in the output"};
const gdalmcp::field<std::int64_t> basin_id{"basin", "Label in the output, from 1"};
const auto row_point = gdalmcp::field<std::int64_t>{"point", "FID of the pour point"}.optional();
const gdalmcp::field<std::vector<double>> outlet_at{"outlet", "x, y of the outlet cell's centre"};
const gdalmcp::field<double> area_own{"area_km2", "Of the labelled cells: without basins of points upstream", "km2"};
const gdalmcp::field<double> area_total{"upstream_km2", "All that drains through the outlet", "km2"};
const auto area_before = gdalmcp::field<double>{"before_snap_km2", "The same at the point as given", "km2"}.optional();
const auto moved_by = gdalmcp::field<double>{"snapped_m", "Between cell centres", "m"}.optional();
const gdalmcp::field<std::int64_t> next_down{"to_basin", "The basin it drains into; 0 = none"};
const gdalmcp::field<bool> at_edge{"edge", "Inflow from beyond the edge may be missing: report no area"};
const gdalmcp::table basins_table{
    "basins",
    "In the order of the points; all basins: the 100 largest",
    {basin_id, row_point, outlet_at, area_own, area_total, area_before, moved_by, next_down, at_edge}};
const gdalmcp::field<double> covered{"covered_share", "Share of the terrain that lies in a basin, 0 to 1"};

struct basin {
    std::optional<placed_point> point;
    std::size_t outlet = off_grid;
    double moved = 0;     // m
    double own_area = 0;  // m²
};

snap_to snap_rule(const std::string& name) {
    return name == "nearest_stream"     ? snap_to::nearest_channel
           : name == "downstream"       ? snap_to::downstream
           : name == "max_accumulation" ? snap_to::most_flow
                                        : snap_to::nothing;
}

void check_arguments(const gdalmcp::call& call) {
    const auto rule = call[snapping].value;
    const auto fail = [](const std::string& message, const std::string& hint) {
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, message, hint};
    };
    if (rule == "none") {
        if (call.given(snap_distance) || call.given(known_area))
            fail("snap_distance or known_area is given, but snap is none", "say how to snap, or leave them out");
        return;
    }
    if (!call.given(pour_points)) fail("snap is " + rule + ", but there are no pour_points", "leave snap out");
    if (!call.given(snap_distance)) fail("snap is " + rule + " without snap_distance", "give snap_distance in m");
    if (rule != "max_accumulation" && !call.given(streams_uri))
        fail("snap is " + rule + " without 'streams'", "give streams, from hydro_streams with an output .tif");
    if (rule == "downstream" && call.given(known_area))
        fail("snap is downstream, and known_area is given: downstream there is no choice",
             "snap to nearest_stream or max_accumulation");
}

std::string place_text(const gdal_raster& raster, const grid<double>& area, std::size_t cell) {
    return gdalmcp::gdal::number_text(area[cell] / 1e6) + " km2 at " + raster.cell_text(cell);
}

void refuse_rival(const gdal_raster& raster, const grid<double>& area, const placed_point& point,
                  const snapped_point& found) {
    throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                         "point " + std::to_string(point.feature) + " is ambiguous: snapping finds " +
                             place_text(raster, area, found.cell) +
                             ", but the point itself drains to another stream, " +
                             place_text(raster, area, *found.rival),
                         "give known_area, a smaller snap_distance, or move the point onto the stream that is meant"};
}

basin snapped_basin(const gdal_raster& raster, const snapping_ground& ground, const placed_point& point,
                    const snap_wish& wish) {
    const auto found = snap(ground, point.cell, wish);
    const auto name = "point " + std::to_string(point.feature);
    if (found.cell == off_grid)
        throw gdalmcp::error{
            GDALMCP_INVALID_ARGUMENT,
            name + " has no stream within snap_distance " + gdalmcp::gdal::number_text(wish.radius) + " m",
            "raise snap_distance, or move the point"};
    if (found.rival) refuse_rival(raster, ground.area, point, found);
    if (wish.known_area) {
        const double ratio = ground.area[found.cell] / *wish.known_area;
        if (ratio > ambiguous_ratio || ratio < 1 / ambiguous_ratio)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 name + ": known_area is " + gdalmcp::gdal::number_text(*wish.known_area / 1e6) +
                                     " km2, but the best match within snap_distance is " +
                                     place_text(raster, ground.area, found.cell),
                                 "check the point and the area, or raise snap_distance"};
    }
    return {point, found.cell, found.moved, 0};
}

void refuse_shared_outlets(const gdal_raster& raster, const std::vector<basin>& basins) {
    std::map<std::size_t, std::int64_t> taken;
    for (const auto& b : basins) {
        const auto [at, fresh] = taken.emplace(b.outlet, b.point->feature);
        if (!fresh)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 "the points " + std::to_string(at->second) + " and " +
                                     std::to_string(b.point->feature) + " have the same outlet, " +
                                     raster.cell_text(b.outlet),
                                 "leave one out, or lower snap_distance"};
    }
}

std::vector<basin> place_basins(gdalmcp::call& call, const gdal_raster& raster, const flow_grid& flow,
                                const cell_sizes& sizes, const grid<double>& area) {
    const auto points = read_points(call, *call[pour_points], raster, flow.directions);
    const auto known = call[known_area];
    if (known && known->size() != points.size())
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "known_area has " + std::to_string(known->size()) + " values for " +
                                 std::to_string(points.size()) + " points",
                             "give one for each point, in their order"};
    grid<std::uint8_t> channels;
    if (call[streams_uri]) channels = read_channels({*call[streams_uri], 1}, raster, call.part(0.4, 0.45, "reading"));
    grid<double> given;
    if (call[accumulation_uri]) given = read_values({*call[accumulation_uri], 1}, raster, call.part(0.45, 0.5));
    const snapping_ground ground{flow.directions, sizes, area, given.size() ? given : area, channels};
    std::vector<basin> basins;
    for (std::size_t i = 0; i < points.size(); ++i) {
        snap_wish wish{snap_rule(call[snapping].value), call[snap_distance].value_or(0), {}};
        if (known) wish.known_area = (*known)[i] * 1e6;
        basins.push_back(snapped_basin(raster, ground, points[i], wish));
    }
    refuse_shared_outlets(raster, basins);
    return basins;
}

std::vector<basin> all_basins(const grid<std::uint8_t>& directions) {
    std::vector<basin> basins;
    for (const auto end : flow_ends(directions)) basins.push_back({{}, end, 0, 0});
    return basins;
}

// What is written and reported.
struct delineation {
    const gdal_raster& raster;
    const accumulation<double>& area;  // m²
    std::vector<basin> basins;
    std::vector<std::int32_t> next;
    grid<std::int32_t> labels;
};

void put_basins(gdalmcp::call& call, const delineation& d) {
    std::vector<std::size_t> rows(d.basins.size());
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = k;
    if (rows.size() > max_rows) {
        std::stable_sort(rows.begin(), rows.end(),
                         [&](auto a, auto b) { return d.basins[a].own_area > d.basins[b].own_area; });
        rows.resize(max_rows);
    }
    call.begin(basins_table);
    for (const auto k : rows) {
        const auto& b = d.basins[k];
        const auto [x, y] = d.raster.centre(d.labels.extent().row(b.outlet), d.labels.extent().column(b.outlet));
        auto row = call.add(basins_table);
        row.put(basin_id, static_cast<std::int64_t>(k + 1));
        row.put(outlet_at, {x, y});
        row.put(area_own, b.own_area / 1e6);
        row.put(area_total, d.area.values[b.outlet] / 1e6);
        row.put(next_down, d.next[k]);
        row.put(at_edge, d.area.contaminated[b.outlet] != 0);
        if (!b.point) continue;
        row.put(row_point, b.point->feature);
        row.put(area_before, d.area.values[b.point->cell] / 1e6);
        row.put(moved_by, b.moved);
    }
}

void write_cells(gdalmcp::call& call, const std::string& path, const delineation& d) {
    gdal_output written{path, d.raster, GDT_Int32, 1};
    written.nodata(0);
    written.band(1).SetDescription("basins, 0 = none");
    written.write(1, d.labels, call.part(0.8, 0.85, "writing"));
    written.close();
}

void write_polygons(gdalmcp::call& call, const delineation& d) {
    const auto scratch = call.new_scratch("basins", ".tif");
    write_cells(call, scratch, d);
    const auto file = gdalmcp::gdal::open(gdalmcp::raster{scratch});
    auto outlines = outline_basins(call, *file->GetRasterBand(1), 0.85, 0.95);
    result_layer layer{call,
                       call[cells_or_features].path,
                       d.raster.crs(),
                       "basins",
                       wkbMultiPolygon,
                       {{"basin", OFTInteger64},
                        {"point", OFTInteger64},
                        {"area_km2", OFTReal},
                        {"up_km2", OFTReal},
                        {"to_basin", OFTInteger64},
                        {"snapped_m", OFTReal},
                        {"edge", OFTInteger}}};
    for (auto& [label, shape] : outlines) {
        const auto k = static_cast<std::size_t>(label - 1);
        const auto& b = d.basins[k];
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        layer.add(std::move(shape), {static_cast<double>(label), b.point ? static_cast<double>(b.point->feature) : none,
                                     b.own_area / 1e6, d.area.values[b.outlet] / 1e6, static_cast<double>(d.next[k]),
                                     b.point ? b.moved : none, static_cast<double>(d.area.contaminated[b.outlet])});
    }
    layer.close(cells_or_features);
}

void run(gdalmcp::call& call) {
    const bool polygons = wants_features(call);
    check_arguments(call);
    const gdal_raster raster{call[directions_uri], {}};
    const auto measured = measure_cells(raster);
    if (!measured.note.empty()) call.warn(measured.note);
    const auto flow = read_directions(call, raster, call.part(0, 0.15, "reading"));
    const true_areas areas{raster, measured.sizes};
    const auto area = contributing_area(raster, flow, areas, call.part(0.15, 0.4, "accumulating"));
    delineation d{raster, area, {}, {}, {}};
    d.basins =
        call[pour_points] ? place_basins(call, raster, flow, measured.sizes, area.values) : all_basins(flow.directions);
    std::vector<std::size_t> outlets;
    for (const auto& b : d.basins) outlets.push_back(b.outlet);
    d.labels = label_basins(flow.directions, outlets, call.part(0.5, 0.75, "labelling"));
    d.next = next_basins(flow.directions, d.labels, outlets);
    double inside = 0;
    for (std::size_t i = 0; i < d.labels.size(); ++i) {
        if (d.labels[i] == 0) continue;
        const double cell = areas.of(i);
        d.basins[static_cast<std::size_t>(d.labels[i] - 1)].own_area += cell;
        inside += cell;
    }
    fields.put(call, raster, flow.cells);
    call.put(basin_count, static_cast<std::int64_t>(d.basins.size()));
    call.put(covered, inside / area.contributed);
    put_basins(call, d);
    if (polygons) {
        write_polygons(call, d);
    } else {
        write_cells(call, call[cells_or_features].path, d);
        call.expect(cells_or_features, gdalmcp_datasets::expected_raster(raster.on(), 1, "Int32"));
    }
}

}  // namespace

const gdalmcp::tool hydro_watershed{
    {.name = "hydro_watershed",
     .title = "Basins",
     .about =
         "Basins that drain to pour points, or all, as labelled cells or (vector) polygons. A gauge rarely lies on "
         "the computed channel: snap it, and compare upstream_km2 with the known area.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {directions_uri, pour_points, snapping, snap_distance, known_area, streams_uri, accumulation_uri, codes,
     as_features, cells_or_features, overwrite},
    {fields.crs.all, fields.width, fields.height, fields.terrain_cells, basin_count, covered, basins_table}};

}  // namespace gdalmcp_hydrology
