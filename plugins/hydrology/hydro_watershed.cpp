#include <algorithm>

#include "basin_outlets.hpp"
#include "basins.hpp"
#include "features.hpp"
#include "flow_grid.hpp"
#include "ogr_basin_layer.hpp"
#include "tools.hpp"

namespace gdalmcp_hydrology::hydro_watershed {
namespace {

constexpr std::size_t max_points = 100, max_largest = 20;  // rows of the table in the result

const gdalmcp::arg<std::optional<gdalmcp::vector>> pour_points{.name = "pour_points",
                                                               .about = "Outlets, in any CRS. Default: all basins."};
const gdalmcp::arg<std::optional<gdalmcp::raster>> streams_uri{.name = "streams",
                                                               .about = "Stream cells (hydro_streams, .tif)."};
const gdalmcp::arg<std::optional<gdalmcp::raster>> accumulation_uri{.name = "accumulation",
                                                                    .about = "For max_accumulation. Default: areas."};

const terrain_fields fields;
const gdalmcp::field<std::int64_t> basin_count{"basin_count", "Basins in the output"};
const gdalmcp::table basins_table{
    "basins",
    "In the order of the points; all basins: the 20 largest",
    {basin_id, row_point, outlet_at, area_own, area_total, area_before, moved_by, next_down, at_edge}};
const gdalmcp::field<double> covered{"covered_share", "Share of the terrain that lies in a basin, 0 to 1"};

std::vector<basin> all_basins(const grid<std::uint8_t>& directions) {
    std::vector<basin> basins;
    for (const auto end : flow_ends(directions, whole_team())) basins.push_back({{}, end, 0, 0});
    return basins;
}

// The points of the call, snapped to the streams or the accumulation it gives.
std::vector<basin> basins_of_points(gdalmcp::call& call, const gdal_raster& raster, const flow_grid& flow,
                                    const cell_sizes& sizes, const grid<double>& area) {
    grid<std::uint8_t> channels;
    if (call[streams_uri])
        channels = read_channels(call, {*call[streams_uri], 1}, raster, call.part(0.4, 0.45, "reading"));
    grid<double> given;
    if (call[accumulation_uri])
        given = read_accumulated({*call[accumulation_uri], 1}, raster, flow.directions, call.part(0.45, 0.5));
    return place_basins(call, *call[pour_points], raster,
                        {flow.directions, sizes, area, given.size() ? given : area, channels});
}

void put_basins(gdalmcp::call& call, const basin_map& map, const gdal_raster& raster,
                const accumulation<double>& area) {
    std::vector<std::size_t> rows(map.basins.size());
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = k;
    if (call[pour_points]) {
        rows.resize(std::min(rows.size(), max_points));
    } else if (rows.size() > max_largest) {
        std::stable_sort(rows.begin(), rows.end(),
                         [&](auto a, auto b) { return map.basins[a].own_area > map.basins[b].own_area; });
        rows.resize(max_largest);
    }
    if (rows.size() < map.basins.size())
        call.say("the result lists " + std::to_string(rows.size()) + " of " + std::to_string(map.basins.size()) +
                 " basins; the output holds all");
    call.begin(basins_table);
    for (const auto k : rows) put_basin(call.add(basins_table), map, k, raster, area);
}

void write_cells(gdalmcp::call& call, const gdal_raster& raster, const grid<std::int32_t>& labels) {
    gdal_output written{call[cells_or_features].path, raster, GDT_Int32, 1};
    written.nodata(0);
    written.band(1).SetDescription("basins, 0 = none");
    written.write(1, labels, call.part(0.8, 0.98, "writing"));
    written.close();
    call.expect(cells_or_features,
                gdalmcp_datasets::expected_raster(gdalmcp_datasets::without_heights(raster.on()), 1, "Int32"));
}

// Of areas: sums in another order differ in their last digits, also where no cell is left.
double covered_share(const basin_map& map, const flow_grid& flow, const accumulation<double>& area) {
    std::size_t labelled = 0;
    for (std::size_t i = 0; i < map.labels.size(); ++i) labelled += map.labels[i] > 0;
    return labelled == flow.cells ? 1 : std::min(1.0, map.area / area.contributed);
}

void draw_basins(gdalmcp::call& call, const gdal_raster& raster, bool polygons) {
    const auto measured = measure_cells(raster);
    if (!measured.note.empty()) call.warn(measured.note);
    const auto flow = read_directions(call, raster, call.part(0, 0.15, "reading"));
    warn_of_undrained(call, flow.undrained);
    const true_areas areas{raster, measured.sizes};
    const auto area = contributing_area(raster, flow, areas, call.part(0.15, 0.4, "accumulating"));
    auto outlets = call[pour_points] ? basins_of_points(call, raster, flow, measured.sizes, area.values)
                                     : all_basins(flow.directions);
    const auto map = map_basins(std::move(outlets), flow.directions, area.values, call.part(0.5, 0.75, "labelling"));
    fields.put(call, raster, flow.cells);
    call.put(basin_count, static_cast<std::int64_t>(map.basins.size()));
    call.put(covered, covered_share(map, flow, area));
    put_basins(call, map, raster, area);
    warn_of_basins(call, map, area);
    if (!polygons) {
        write_cells(call, raster, map.labels);
        return;
    }
    gdalmcp_vector::result_file file{call, call[cells_or_features].path, raster.crs()};
    write_basins(call, file, {raster, area, map}, 0.8, 0.98);
    file.close(cells_or_features);
}

void run(gdalmcp::call& call) {
    const bool polygons = wants_features(call);
    check_snapping(call, call.given(pour_points), call.given(streams_uri));
    const auto raster = open_directions(call[directions_uri]);
    in_memory(raster, [&] { draw_basins(call, raster, polygons); });
}

}  // namespace

const gdalmcp::tool tool{
    {.name = "hydro_watershed",
     .title = "Basins",
     .about =
         "Basins that drain to pour points, or all, as labelled cells or (vector) polygons. A gauge rarely lies on "
         "the computed channel: snap it.",
     .behaviour = GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {directions_uri, pour_points, snapping, snap_distance, known_area, streams_uri, accumulation_uri, codes,
     as_features, cells_or_features, overwrite},
    {fields.crs.all, fields.width, fields.height, fields.terrain_cells, basin_count, covered, basins_table}};

}  // namespace gdalmcp_hydrology::hydro_watershed
