#include <gdalmcp/evidence.hpp>

#include "features.hpp"
#include "flow_grid.hpp"
#include "ogr_pour_points.hpp"
#include "ogr_stream_layer.hpp"
#include "tools.hpp"

namespace gdalmcp_hydrology::hydro_streams {
namespace {

const gdalmcp::arg<std::optional<double>> threshold_km2{
    .name = "threshold_km2", .about = "Contributing area of a stream. This or heads.", .unit = "km2", .above = 0.0};
const gdalmcp::arg<std::optional<gdalmcp::vector>> heads{.name = "heads",
                                                         .about = "Points where streams begin, in any CRS."};
const gdalmcp::arg<gdalmcp::choice> order{.name = "order",
                                          .about = "shreve: number of sources upstream.",
                                          .fallback = gdalmcp::choice{"strahler"},
                                          .values = {"strahler", "shreve", "none"}};
const gdalmcp::arg<std::optional<gdalmcp::raster>> accumulation_uri{
    .name = "accumulation", .about = "To compare, in km2 or cells. Default: true areas."};
const gdalmcp::arg<std::optional<gdalmcp::raster>> dem{.name = "dem", .about = "Heights, for the drop of each link."};

const terrain_fields fields;
const auto used_km2 =
    gdalmcp::field<double>{"threshold_km2", "Threshold; absent with heads", "km2"}.as_given().optional();
const auto used_cells = gdalmcp::field<double>{"threshold_cells", "The same by the mean cell area", "cells"}.optional();
const gdalmcp::field<std::int64_t> stream_cells{"stream_cells", "Cells in streams", "cells"};
const gdalmcp::field<std::int64_t> link_count{"links", "Stretches between sources, junctions and ends"};
const gdalmcp::field<std::int64_t> sources{"sources", "Links that begin at a source"};
const auto total_length = gdalmcp::field<double>{"length_m", "Of all links, along cell centres", "m"}.measured();
const auto density = gdalmcp::field<double>{"drainage_density", "Length per area of terrain", "km/km2"}.measured();
const gdalmcp::field<std::int64_t> highest_order{"highest_order", "By 'order'; 0 with none"};
const gdalmcp::field<double> largest_area{"largest_area_km2", "Contributing area at the lowest link's end", "km2"};
const auto drop_unit = gdalmcp::field<std::string>{"drop_unit", "Of the field drop; absent without dem"}.optional();

// What the streams are made from.
struct stream_ground {
    const gdal_raster& raster;
    const flow_grid& flow;
    const cell_sizes& sizes;
    const grid<double>& area;  // contributing, m²
    double cell_area;          // mean, m²
};

stream_order order_of(const std::string& name) {
    return name == "strahler" ? stream_order::strahler : name == "shreve" ? stream_order::shreve : stream_order::none;
}

void require_one_beginning(const gdalmcp::call& call) {
    if (call.given(threshold_km2) != call.given(heads)) return;
    throw gdalmcp::error{
        GDALMCP_INVALID_ARGUMENT,
        call.given(heads) ? "threshold_km2 and heads are both given" : "neither threshold_km2 nor heads is given",
        "give one: where do streams begin?"};
}

// km² of one cell, for an accumulation in cells. Fails the call where cells differ by more than a hundredth.
double even_cell_area(const gdal_raster& given, const stream_ground& ground) {
    double least = ground.sizes.area(0), most = least;
    for (std::size_t r = 0; r < ground.raster.extent().height; ++r) {
        least = std::min(least, ground.sizes.area(r));
        most = std::max(most, ground.sizes.area(r));
    }
    if (most > 1.01 * least)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             given.path() + " counts cells, whose true areas range from " +
                                 gdalmcp::gdal::number_text(least) + " to " + gdalmcp::gdal::number_text(most) +
                                 " m2, and the threshold is an area",
                             "accumulate with unit km2, or leave accumulation out"};
    return ground.cell_area / 1e6;
}

// In km².
grid<double> read_accumulation(gdalmcp::call& call, const stream_ground& ground) {
    const gdal_raster given{*call[accumulation_uri], 1};
    const std::string unit = given.band().GetUnitType();
    if (!unit.empty() && unit != "km2" && unit != "cells")
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "the threshold is in km2, but " + given.path() + " is in " + unit,
                             "accumulate with unit km2 or cells, or leave accumulation out"};
    if (unit.empty()) call.warn(given.path() + " declares no unit: its values are taken for cells");
    auto values = read_accumulated(given, ground.raster, ground.flow.directions, call.part(0.5, 0.55, "reading"));
    if (unit == "km2") return values;
    const double cell = even_cell_area(given, ground);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= cell;
    return values;
}

constexpr std::uint8_t begins_here = 1, not_known = 2;

// begins_here where the contributing area reaches the threshold, or a head lies; not_known where the accumulation that
// is given has no value, and the area of the directions reaches it.
grid<std::uint8_t> beginnings(gdalmcp::call& call, const stream_ground& ground) {
    grid<std::uint8_t> begins{ground.flow.directions.extent()};
    if (const auto points = call[heads]) {
        for (const auto& p : read_points(call, *points, ground.raster, ground.flow.directions, footing::terrain))
            begins[p.cell] = begins_here;
        return begins;
    }
    const double from = *call[threshold_km2];
    call.put(used_km2, from);
    call.put(used_cells, from * 1e6 / ground.cell_area);
    if (call[accumulation_uri]) {
        const auto values = read_accumulation(call, ground);
        for (std::size_t i = 0; i < begins.size(); ++i)
            begins[i] = values[i] >= from                                       ? begins_here
                        : std::isnan(values[i]) && ground.area[i] >= from * 1e6 ? not_known
                                                                                : 0;
        return begins;
    }
    for (std::size_t i = 0; i < begins.size(); ++i) begins[i] = ground.area[i] >= from * 1e6 ? begins_here : 0;
    warn_of_threshold(call, from, ground.cell_area);
    return begins;
}

// The cells of all streams. Warns of those that begin where the accumulation has no value, as at its edges.
std::vector<std::size_t> find_streams(gdalmcp::call& call, const stream_ground& ground) {
    auto begins = beginnings(call, ground);
    auto unknown = begins;
    for (std::size_t i = 0; i < begins.size(); ++i) begins[i] = begins[i] == begins_here;
    auto cells = channels_from(begins, ground.flow.directions, ground.area);
    for (const auto cell : cells) unknown[cell] = 0;
    std::size_t lost = 0;
    for (std::size_t i = 0; i < unknown.size(); ++i) lost += unknown[i] == not_known;
    if (lost > 0)
        call.warn(std::to_string(lost) + " cells that reach the threshold by the directions have no value in " +
                  call[accumulation_uri]->path +
                  " and are no streams: leave accumulation out, or accumulate with edge_contamination keep");
    return cells;
}

grid<double> read_heights(gdalmcp::call& call, const gdal_raster& on) {
    if (!call[dem]) return {};
    const gdal_raster heights{*call[dem], {}};
    heights.require_heights();
    warn_of_heights(call, heights);
    const auto unit = heights.height_unit();
    call.put(drop_unit, unit.empty() ? "unknown" : unit);
    return read_values(heights, on, call.part(0.6, 0.65, "reading"));
}

void write_lines(gdalmcp::call& call, const drawn_links& drawn) {
    gdalmcp_vector::result_file file{call, call[cells_or_features].path, drawn.raster.crs()};
    write_links(call, file, drawn, call.part(0.8, 0.98, "writing"));
    file.close(cells_or_features);
}

void write_cells(gdalmcp::call& call, const stream_ground& ground, const std::vector<std::size_t>& cells,
                 const std::vector<stream_link>& links) {
    constexpr std::int32_t no_data = -1;
    grid<std::int32_t> values{ground.flow.directions.extent(), no_data};
    for (std::size_t i = 0; i < values.size(); ++i)
        if (ground.flow.directions[i] != no_terrain) values[i] = 0;
    for (const auto& link : links)
        for (const auto number : link.cells)
            values[cells[number]] = link.order ? static_cast<std::int32_t>(link.order) : 1;
    gdal_output written{call[cells_or_features].path, ground.raster, GDT_Int32, 1};
    written.nodata(no_data);
    written.band(1).SetDescription(("streams, " + call[order].value + ", 0 = none").c_str());
    written.write(1, values, call.part(0.8, 0.98, "writing"));
    written.close();
    call.expect(cells_or_features,
                gdalmcp_datasets::expected_raster(gdalmcp_datasets::without_heights(ground.raster.on()), 1, "Int32"));
}

void report(gdalmcp::call& call, const stream_ground& ground, const std::vector<std::size_t>& cells,
            const std::vector<stream_link>& links) {
    double length = 0, largest = 0;
    std::int64_t highest = 0;
    std::vector<std::uint8_t> fed(links.size());
    for (const auto& link : links) {
        length += link.length;
        highest = std::max<std::int64_t>(highest, link.order);
        largest = std::max(largest, ground.area[cells[link.cells.back()]]);
        if (link.below != off_grid) fed[link.below] = 1;
    }
    call.put(stream_cells, static_cast<std::int64_t>(cells.size()));
    call.put(link_count, static_cast<std::int64_t>(links.size()));
    call.put(sources, std::count(fed.begin(), fed.end(), 0));
    call.put(total_length, length);
    call.put(density, length / 1000 / (ground.cell_area * static_cast<double>(ground.flow.cells) / 1e6));
    call.put(highest_order, highest);
    call.put(largest_area, largest / 1e6);
    call.say(std::to_string(links.size()) + " links, " + gdalmcp::evidence::text(length / 1000) +
             " km, highest order " + std::to_string(highest) + ".");
}

void draw_streams(gdalmcp::call& call, const gdal_raster& raster, bool lines) {
    const auto measured = measure_cells(raster);
    if (!measured.note.empty()) call.warn(measured.note);
    const auto flow = read_directions(call, raster, call.part(0, 0.2, "reading"));
    const auto area = contributing_area(raster, flow, {raster, measured.sizes}, call.part(0.2, 0.5, "accumulating"));
    const stream_ground ground{raster, flow, measured.sizes, area.values,
                               area.contributed / static_cast<double>(flow.cells)};
    const auto cells = find_streams(call, ground);
    if (cells.empty())
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "no cell reaches the threshold: the largest contributing area is " +
                                 gdalmcp::evidence::text(area.maximum / 1e6) + " km2",
                             "give a lower threshold, or an elevation model that covers the whole basin"};
    const auto heights = read_heights(call, raster);
    const auto links = links_of({flow.directions, heights, measured.sizes, cells}, order_of(call[order].value));
    warn_of_undrained(call, flow.undrained);
    fields.put(call, raster, flow.cells);
    report(call, ground, cells, links);
    if (lines)
        write_lines(call, {raster, area, cells, links, heights.size() > 0});
    else
        write_cells(call, ground, cells, links);
}

void run(gdalmcp::call& call) {
    const bool lines = wants_features(call);
    require_one_beginning(call);
    const auto raster = open_directions(call[directions_uri]);
    in_memory(raster, [&] { draw_streams(call, raster, lines); });
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "hydro_streams",
     .title = "Stream network",
     .about =
         "Streams along flow directions: cells with their order, or (vector) links from source or junction to the "
         "next with from_node, to_node, to_link, order, length_m, drop, area_km2, edge (1: inflow may be missing).",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {directions_uri, threshold_km2, heads, order, accumulation_uri, dem, codes, as_features, cells_or_features,
     overwrite},
    {fields.crs.all, fields.width, fields.height, fields.terrain_cells, used_km2, used_cells, stream_cells, link_count,
     sources, total_length, density, highest_order, largest_area, drop_unit}};

}  // namespace gdalmcp_hydrology::hydro_streams
