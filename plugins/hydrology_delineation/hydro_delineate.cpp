// hydro_delineate: the chain from a DEM to basins and streams, in memory, with the picture of it.
#include <gdalmcp/evidence.hpp>

#include <filesystem>
#include <optional>

#include "gdal_basin_map.hpp"
#include "hydrology/ogr_basin_layer.hpp"
#include "hydrology/ogr_stream_layer.hpp"
#include "routed_terrain.hpp"
#include "tools.hpp"

namespace gdalmcp_hydrology_delineation::hydro_delineate {
namespace {

using gdalmcp::field;

constexpr std::size_t max_rows = 100;  // of the table in the result

using gdalmcp::standard::described;
const auto uri = described(gdalmcp::standard::raster_uri, "Raw DEM.");
const gdalmcp::arg<gdalmcp::vector> outlets{.name = "outlets", .about = "Points."};
const auto method = described(conditioning, "As in hydro_condition.");
const gdalmcp::arg<double> threshold{
    .name = "threshold_km2", .about = "Contributing area of a stream.", .unit = "km2", .above = 0.0};
const auto snap_rule = described(snapping, "As in hydro_watershed.");
const auto distance = described(snap_distance, "Of snap.");
const auto known = described(known_area, "Of each basin.");
const auto nodata_meaning = described(holes, "Required if any is enclosed.");
const auto depth = described(max_depth, "Height unit; as in hydro_condition.");
const auto length = described(max_length, "As in hydro_condition.");
const auto one_band = described(band, "Default: the only one.");
const auto output = described(gdalmcp::standard::vector_output, "Default: a managed .gpkg.");

const terrain_fields fields;
const field<std::string> height_unit{"height_unit", "Of the DEM and the field drop; 'unknown' if not declared"};
const field<std::int64_t> depressions{"depressions", "Of the DEM as given"};
const field<double> deepest_depression{"deepest_depression", "Below its spill level, in the height unit"};
const field<std::int64_t> raised{"cells_raised", "By filling", "cells"};
const auto lowered = field<std::int64_t>{"cells_lowered", "By breaching", "cells"}.optional();
const auto deepest = field<double>{"deepest_cut", "In the height unit"}.optional();
const auto longest = field<double>{"longest_cut_m", "Along its path", "m"}.optional();
const field<std::int64_t> undrained_cells{"undrained_cells", "Cells with no way down", "cells"};

const field<std::string> used_method{"method", "Of conditioning"};
const auto used_depth = field<double>{"max_depth", "In the height unit"}.optional();
const auto used_length = field<double>{"max_length_m", "Of breach and hybrid", "m"}.optional();
const field<std::string> used_flow{"flow", "Flow method: d8, flats resolved"};
const auto used_km2 = field<double>{"threshold_km2", "Where streams begin", "km2"}.as_given();
const field<double> used_cells{"threshold_cells", "The same by the mean cell area", "cells"};
const field<std::string> used_snap{"snap", "How outlets were moved"};
const auto used_distance = field<double>{"snap_distance", "At most", "m"}.optional();
const gdalmcp::record choices{"choices",
                              "All choices behind the result",
                              {used_method, used_depth, used_length, fields.nodata_holes, used_flow, used_km2,
                               used_cells, used_snap, used_distance}};

const auto stream_km = field<double>{"stream_km", "Streams in it", "km"}.measured();
const field<std::int64_t> stream_order_in{"order", "Highest Strahler order; 0 without stream"};
const field<std::int64_t> basin_count{"basin_count", "Basins in the output"};
const gdalmcp::table basins_table{"basins",
                                  "In the order of the points, the first 100",
                                  {basin_id, row_point, outlet_at, area_own, area_total, area_before, moved_by,
                                   next_down, at_edge, stream_km, stream_order_in}};
const field<std::int64_t> link_count{"links", "Stream links in the basins"};

// The channel cells of the whole terrain, each before those below it.
std::vector<std::size_t> find_channels(gdalmcp::call& call, const accumulation<double>& area) {
    auto cells = channel_cells(area.values, call[threshold] * 1e6, whole_team());
    if (cells.empty())
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "no cell reaches threshold_km2 " + gdalmcp::gdal::number_text(call[threshold]) +
                                 ": the largest contributing area is " +
                                 gdalmcp::gdal::number_text(area.maximum / 1e6) + " km2",
                             "give a lower threshold, or an elevation model that covers the whole basin"};
    return cells;
}

grid<std::uint8_t> marked(const shape& extent, const std::vector<std::size_t>& cells) {
    grid<std::uint8_t> channels{extent};
    for (const auto cell : cells) channels[cell] = 1;
    return channels;
}

// The streams within the basins. A link ends at every outlet, so that each lies in one basin.
struct basin_network {
    std::vector<std::size_t> cells;
    std::vector<stream_link> links;
    std::vector<basin_streams> by_basin;
};

basin_network streams_within(const basin_map& map, std::vector<std::size_t> channels, const routed_terrain& terrain,
                             const cell_sizes& sizes) {
    basin_network found;
    const auto& directions = terrain.flow.directions;
    std::erase_if(channels, [&](std::size_t cell) { return map.labels[cell] == 0; });
    found.cells = std::move(channels);
    std::vector<std::uint8_t> ends(found.cells.size());
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const auto below = receiver(directions, found.cells[i]);
        ends[i] = below != off_grid && map.labels[below] != map.labels[found.cells[i]];
    }
    found.links = links_of({directions, terrain.height, sizes, found.cells}, stream_order::strahler, ends);
    found.by_basin.resize(map.basins.size());
    for (const auto& link : found.links) {
        auto& in = found.by_basin[static_cast<std::size_t>(map.labels[found.cells[link.cells.front()]] - 1)];
        in.length += link.length;
        in.order = std::max(in.order, link.order);
    }
    return found;
}

void put_choices(gdalmcp::call& call, const routed_terrain& terrain, double cell_area) {
    auto at = call.at(choices);
    at.put(used_method, call[conditioning].value);
    if (call[max_depth]) at.put(used_depth, *call[max_depth]);
    if (terrain.surface.max_length) at.put(used_length, *terrain.surface.max_length);
    at.put(fields.nodata_holes, terrain.flow.holes);
    at.put(used_flow, "d8");
    at.put(used_km2, call[threshold]);
    at.put(used_cells, call[threshold] * 1e6 / cell_area);
    at.put(used_snap, call[snapping].value);
    if (call[snap_distance]) at.put(used_distance, *call[snap_distance]);
}

void put_terrain(gdalmcp::call& call, const gdal_raster& dem, const routed_terrain& terrain) {
    const auto unit = dem.height_unit();
    fields.put(call, dem, terrain.flow.cells);
    call.put(height_unit, unit.empty() ? "unknown" : unit);
    call.put(depressions, static_cast<std::int64_t>(terrain.surface.filled.depressions));
    call.put(deepest_depression, terrain.surface.filled.deepest * dem.scale());
    call.put(raised, static_cast<std::int64_t>(terrain.surface.filled.cells_changed));
    if (const auto& cuts = terrain.surface.cuts) {
        call.put(lowered, static_cast<std::int64_t>(cuts->cells_lowered));
        call.put(deepest, cuts->deepest * dem.scale());
        call.put(longest, cuts->longest);
    }
    call.put(undrained_cells, static_cast<std::int64_t>(terrain.flow.undrained));
}

// Of basins beside others that have streams.
void warn_of_no_stream(gdalmcp::call& call, const basin_map& map, const basin_network& streams,
                       const accumulation<double>& area) {
    constexpr std::size_t most_named = 5;
    std::vector<std::string> without;
    for (std::size_t k = 0; k < map.basins.size(); ++k)
        if (streams.by_basin[k].order == 0)
            without.push_back("basin " + std::to_string(k + 1) + " (" +
                              gdalmcp::evidence::text(area.values[map.basins[k].outlet] / 1e6) + " km2)");
    if (without.empty()) return;
    std::string names;
    for (std::size_t i = 0; i < std::min(most_named, without.size()); ++i) names += (i ? ", " : "") + without[i];
    if (without.size() > most_named) names = std::to_string(without.size()) + " basins, " + names + " among them,";
    call.warn(names + (without.size() == 1 ? " has no stream: its outlet lies" : " have no stream: their outlets lie") +
              " where less than threshold_km2 " + gdalmcp::gdal::number_text(call[threshold]) +
              " drains; move the point onto the stream that is meant, or snap to nearest_stream");
}

void put_basins(gdalmcp::call& call, const gdal_raster& dem, const basin_map& map, const basin_network& streams,
                const accumulation<double>& area) {
    call.put(basin_count, static_cast<std::int64_t>(map.basins.size()));
    call.begin(basins_table);
    for (std::size_t k = 0; k < std::min(max_rows, map.basins.size()); ++k) {
        auto row = call.add(basins_table);
        put_basin(row, map, k, dem, area);
        row.put(stream_km, streams.by_basin[k].length / 1000);
        row.put(stream_order_in, streams.by_basin[k].order);
    }
    warn_of_basins(call, map, area);
    call.put(link_count, static_cast<std::int64_t>(streams.links.size()));
    if (!streams.links.empty()) warn_of_no_stream(call, map, streams, area);
    if (streams.links.empty())
        call.warn("no stream lies in the basins: none of them reaches threshold_km2 " +
                  gdalmcp::gdal::number_text(call[threshold]));
}

void check_arguments(const gdalmcp::call& call) {
    check_conditioning(call);
    check_snapping(call, true, true);
    const auto extension = std::filesystem::path{call[output].path}.extension().string();
    if (extension != ".gpkg")
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "the result has two layers, basins and streams, and 'output' is a " + extension,
                             "give an output .gpkg; vector_convert writes a layer of it to other formats"};
}

void delineate(gdalmcp::call& call, const gdal_raster& dem) {
    dem.require_heights();
    warn_of_heights(call, dem);
    const auto measured = measure_cells(dem);
    if (!measured.note.empty()) call.warn(measured.note);
    std::optional<memory_to_come> areas_to_come{std::in_place, whole_team(), dem.extent().size() * sizeof(double)};
    const auto terrain = route_terrain(call, dem, measured.sizes);
    areas_to_come.reset();
    const auto& directions = terrain.flow.directions;
    const true_areas areas{dem, measured.sizes};
    const auto area = contributing_area(dem, terrain.flow, areas, call.part(0.5, 0.65, "accumulating"));
    const double cell_area = area.contributed / static_cast<double>(terrain.flow.cells);
    warn_of_threshold(call, call[threshold], cell_area);
    auto channels = find_channels(call, area);
    const auto channel_grid = marked(dem.extent(), channels);
    const snapping_ground ground{directions, measured.sizes, area.values, area.values, channel_grid};
    const auto map = map_basins(place_basins(call, call[outlets], dem, ground), directions, area.values,
                                call.part(0.65, 0.8, "labelling"));
    const auto streams = streams_within(map, std::move(channels), terrain, measured.sizes);

    put_terrain(call, dem, terrain);
    put_choices(call, terrain, cell_area);
    put_basins(call, dem, map, streams, area);
    gdalmcp_vector::result_file file{call, call[output].path, dem.crs()};
    write_basins(call, file, {dem, area, map, &streams.by_basin}, 0.8, 0.9);
    write_links(call, file, {dem, area, streams.cells, streams.links, true, &map.labels},
                call.part(0.9, 0.95, "writing"));
    file.close(output);
    attach_basin_map(call, call[uri], dem, map, call[output].path);
    const auto count = map.basins.size();
    call.say(std::to_string(count) + (count == 1 ? " basin, " : " basins, ") +
             gdalmcp::gdal::number_text(gdalmcp::significant(map.area / 1e6, 5)) + " km2, with " +
             std::to_string(streams.links.size()) + " stream links.");
}

void run(gdalmcp::call& call) {
    check_arguments(call);
    const gdal_raster dem{call[uri], call[band]};
    in_memory(dem, [&] { delineate(call, dem); });
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "hydro_delineate",
     .title = "Delineate basins",
     .about = "Basins above outlets and their streams from a raw DEM in one call, by D8: layers basins and streams of "
              "a GeoPackage, with a map.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, outlets, method, threshold, snap_rule, distance, known, nodata_meaning, depth, length, one_band, output,
     gdalmcp::standard::overwrite},
    {fields.crs.all, fields.width, fields.height, fields.terrain_cells, height_unit, depressions, deepest_depression,
     raised, lowered, deepest, longest, undrained_cells, choices, basin_count, basins_table, link_count}};

}  // namespace gdalmcp_hydrology_delineation::hydro_delineate
