// raster_polygonize: connected cells of one value as polygons, by GDALPolygonize. Memory: two rows of cells, the
// outlines of the polygons that the current row belongs to, and one number for each polygon found so far.
#include "arguments.hpp"
#include "datasets/gdal_output.hpp"
#include "gdal_cell_selection.hpp"
#include "gdal_polygon_sink.hpp"
#include "raster/gdal_class_areas.hpp"
#include "raster/gdal_common_window.hpp"
#include "raster/gdal_undeclared_nodata.hpp"
#include "tools.hpp"
#include "vector/ogr_output_layer.hpp"
#include "vector/ogr_transformation.hpp"

namespace gdalmcp_raster_more::raster_polygonize {
namespace {

constexpr std::size_t max_rows = 100;  // of the table in the result

const auto class_uri =
    standard::described(standard::raster_uri, "Whole numbers: path, file:// or query://result/{id}.");
const arg<std::int64_t> connectedness{
    .name = "connectedness", .about = "8 also joins cells that meet at a corner.", .fallback = 4, .min = 4, .max = 8};
const arg<std::optional<double>> min_area{
    .name = "min_area", .about = "Smaller polygons are left out and counted.", .unit = "m²", .above = 0.0};
const arg<std::optional<std::vector<std::int64_t>>> values_wanted{
    .name = "values", .about = "Codes to outline. Default: all.", .min_items = 1, .or_single = true};
const arg<std::optional<gdalmcp::raster>> mask{
    .name = "mask", .about = "Raster on the same grid; where it is 0 or nodata, cells are left out."};
const arg<std::string> field_name{.name = "field_name",
                                  .about = "Attribute with the code.",
                                  .fallback = std::string{"value"},
                                  .min_length = 1,
                                  .max_length = 60};
const auto& layer_file = standard::vector_output;

const field<std::int64_t> feature_count{"feature_count", "Polygons written"};
const field<std::int64_t> class_count{"class_count", "Different codes among them"};
const field<std::int64_t> row_value{"value", "Code"};
const auto row_name = field<std::string>{"name", "Where declared"}.optional();
const field<std::int64_t> row_features{"feature_count", "Polygons"};
const field<std::int64_t> row_cells{"cell_count", "Cells in them", "cells"};
const auto row_area =
    field<double>{"area_m2", "On the ellipsoid; absent, as the others, without a CRS", "m²"}.optional();
const auto row_hectares = field<double>{"area_ha", "The same", "ha"}.optional();
const gdalmcp::table class_table{"classes",
                                 "By code; of more than 100 those with the most cells",
                                 {row_value, row_name, row_features, row_cells, row_area, row_hectares}};
const field<bool> truncated{"truncated", "'classes' omits some"};
const auto area_total = field<double>{"area_m2", "Of all polygons written", "m²"}.optional();
const auto left_out_count = field<std::int64_t>{"left_out_count", "Polygons smaller than min_area"}.optional();
const auto left_out_area = field<double>{"left_out_area_m2", "Their area", "m²"}.optional();
const field<std::int64_t> excluded_count{
    "excluded_count", "Cells without data, and those that mask, values or geometry exclude", "cells"};
const gdal::crs_record layer_crs{"crs", "CRS of the polygons"};
const auto used_geometry = gdal::geometry_used.optional();
const auto used_geometry_crs = gdal::geometry_crs_used.optional();

void check_arguments(const gdalmcp::call& call, const gdalmcp_vector::format& target) {
    if (call[connectedness] != 4 && call[connectedness] != 8)
        throw error{GDALMCP_INVALID_ARGUMENT, "'connectedness' is " + std::to_string(call[connectedness]),
                    "give 4 (cells that share a side) or 8 (also a corner)"};
    const auto name = call[field_name];
    for (const char* taken : {"area_m2", "class_name"})
        if (EQUAL(name.c_str(), taken))
            throw error{GDALMCP_INVALID_ARGUMENT, "'field_name' is " + name + ", which the layer has already",
                        "give another name"};
    if (EQUAL(target.driver, "ESRI Shapefile") && name.size() > 10)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'field_name' " + name + " has " + std::to_string(name.size()) + " bytes, and a Shapefile keeps 10",
                    "give a shorter name, or write to .gpkg"};
}

// The band whose cells become polygons, and which of them do.
struct polygon_source {
    std::string path;
    gdal::dataset_ptr file;
    int number = 1;
    grid whole, on;  // of the file, of the window
    window part;
    std::optional<zone_mask> zone;

    GDALRasterBand& band() const { return *file->GetRasterBand(number); }
};

polygon_source opened(gdalmcp::call& call) {
    polygon_source s;
    s.path = call[class_uri].path;
    s.file = open_raster(call[class_uri], call[subdataset]);
    s.whole = grid_of(*s.file);
    require_band(s.path, s.file->GetRasterCount(), call[standard::band]);
    s.number = static_cast<int>(call[standard::band]);
    require_real(s.band());
    tell_stored_codes(call, s.path, s.band());
    if (!s.whole.georeferenced) {
        call.warn("the raster has no geotransform: coordinates are columns and rows, from the upper left corner down");
        s.whole.crs.Clear();
    }
    s.part = {0, 0, s.whole.width, s.whole.height};
    if (const auto area = call[standard::geometry]) {
        const auto placed = gdal::place_geometry(*area, call[standard::geometry_crs], {s.whole.crs, s.whole.extent()});
        placed.tell(call);
        placed.put(call);
        s.zone.emplace(*placed.shape, s.whole, false);
        s.part = s.zone->bounds();
    }
    s.on = part_of(s.whole, s.part);
    return s;
}

cell_census select_cells(gdalmcp::call& call, polygon_source& s, GDALRasterBand& to) {
    gdal::dataset_ptr other;
    if (const auto given = call[mask]) {
        other = open_raster(*given);
        require_same_grid({s.path, s.whole}, {given->path, grid_of(*other)});
        require_real(*other->GetRasterBand(1));
        tell_stored_codes(call, given->path, *other->GetRasterBand(1));
    }
    cell_selection selection{s.band(), other ? other->GetRasterBand(1) : nullptr, s.zone ? &*s.zone : nullptr,
                             call[values_wanted]};
    auto selected = selection.write(call.part(0, 0.3, "selecting cells"), s.part, to);
    if (const auto wanted = call[values_wanted])
        for (const auto v : *wanted)
            if (!selected.contains(v)) call.warn("no cell to outline has the value " + std::to_string(v));
    return selected;
}

// GeoJSON holds WGS 84 only: polygons are transformed on the way out.
std::optional<gdalmcp_vector::transformation> way_out(gdalmcp::call& call, const polygon_source& s,
                                                      const OGRSpatialReference& to) {
    if (s.on.crs.IsEmpty())
        throw error{GDALMCP_INVALID_ARGUMENT, s.path + " has no CRS, and GeoJSON holds WGS 84 only (RFC 7946)",
                    "write to .gpkg"};
    if (!gdalmcp_vector::same_coordinates(s.on.crs, to))
        call.warn("GeoJSON holds WGS 84 only (RFC 7946): the corners were transformed from " +
                  gdal::crs_label(s.on.crs) + " to OGC:CRS84; area_m2 was measured before");
    return std::optional<gdalmcp_vector::transformation>{
        std::in_place, s.on.crs, to, gdal::wgs84_bounds(s.on.extent(), s.on.crs), true, [&](const std::string& text) {
            call.warn(text);
        }};
}

void outline(gdalmcp::call& call, const polygon_source& s, GDALDataset& selected, polygon_sink& sink) {
    const auto view = windowed(*s.file, s.part);
    auto& cells = *(view ? *view : *s.file).GetRasterBand(s.number);
    if (sink.outline(cells, *selected.GetRasterBand(1), call[connectedness] == 8, {call, 0.3, 0.95})) return;
    call.progress(0.95);  // throws if the reason is that the call was cancelled
    gdal::raise("cannot outline the cells of " + s.path);
}

// Every selected cell must be in one polygon, and none in two.
void require_every_cell(const cell_census& selected, const polygon_sink& made) {
    for (const auto& [value, cells] : selected) {
        std::int64_t outlined = 0;
        for (const auto* sums : {&made.kept(), &made.left_out()})
            if (const auto at = sums->find(value); at != sums->end()) outlined += at->second.cells;
        if (outlined != cells)
            throw error{GDALMCP_INTERNAL,
                        "the polygons of value " + std::to_string(value) + " hold " + std::to_string(outlined) +
                            " cells, but the raster has " + std::to_string(cells),
                        "report this with the raster"};
    }
}

polygon_sum total_of(const polygon_sums& all) {
    polygon_sum total;
    for (const auto& [value, one] : all) total.add(one);
    return total;
}

void put_classes(gdalmcp::call& call, const polygon_sums& sums, const gdal::class_names& names) {
    std::vector<std::pair<std::int64_t, polygon_sum>> rows{sums.begin(), sums.end()};
    if (rows.size() > max_rows) {
        std::stable_sort(rows.begin(), rows.end(),
                         [](const auto& a, const auto& b) { return a.second.cells > b.second.cells; });
        rows.resize(max_rows);
        std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    call.begin(class_table);
    for (const auto& [value, sum] : rows) {
        auto row = call.add(class_table);
        row.put(row_value, value);
        if (const auto name = names.of(value); !name.empty()) row.put(row_name, name);
        row.put(row_features, sum.count);
        row.put(row_cells, sum.cells);
        if (!std::isfinite(sum.area)) continue;
        row.put(row_area, sum.area);
        row.put(row_hectares, sum.area / 10'000);
    }
    call.put(class_count, static_cast<std::int64_t>(sums.size()));
    call.put(truncated, sums.size() > max_rows);
}

void report(gdalmcp::call& call, const polygon_source& s, const polygon_sink& made, const gdal::class_names& names) {
    const auto kept = total_of(made.kept()), small = total_of(made.left_out());
    call.put(feature_count, kept.count);
    put_classes(call, made.kept(), names);
    if (std::isfinite(kept.area)) call.put(area_total, kept.area);
    if (call[min_area]) {
        call.put(left_out_count, small.count);
        call.put(left_out_area, small.area);
    }
    call.put(excluded_count, static_cast<std::int64_t>(s.whole.width) * s.whole.height - kept.cells - small.cells);
    if (kept.count == 0)
        call.warn(small.count > 0 ? "every polygon is smaller than min_area; the output is a layer without features"
                                  : "no cell is left to outline; the output is a layer without features");
    if (made.invalid() > 0)
        call.warn(std::to_string(made.invalid()) +
                  " polygons touch themselves at a corner, which programs that check geometries call invalid; "
                  "\"connectedness\": 4 makes valid ones");
}

void run(gdalmcp::call& call) {
    const auto path = call[layer_file].path;
    const auto target = gdalmcp_vector::format_of(path);
    check_arguments(call, target);
    auto s = opened(call);
    gdalmcp_raster::warn_of_undeclared_nodata(call, s.path, s.band());
    const auto areas = areas_of(call, s.on);
    if (!areas && call[min_area])
        throw error{GDALMCP_INVALID_ARGUMENT, "'min_area' is in m², and the cells of " + s.path + " have no known area",
                    "state its CRS with raster_reproject and 'src_crs' first, or leave 'min_area' out"};
    raster_output selected_file{call.new_scratch("selected", ".tif"), s.on, GDT_Byte, 1, {"COMPRESS=LZW"}};
    const auto selected = select_cells(call, s, selected_file.band(1));
    const auto selection = selected_file.flushed();

    const gdal::class_names names{s.band()};
    const bool named =
        std::any_of(selected.begin(), selected.end(), [&](const auto& one) { return !names.of(one.first).empty(); });
    polygon_terms terms{.value_field = call[field_name],
                        .shapefile = EQUAL(target.driver, "ESRI Shapefile") != 0,
                        .areas = areas ? &*areas : nullptr,
                        .names = named ? &names : nullptr,
                        .min_area = call[min_area].value_or(0),
                        .check_validity = call[connectedness] == 8};
    polygon_sink sink{s.on, terms};
    const auto out_crs = target.wgs84_only ? *gdal::parse_crs("OGC:CRS84") : s.on.crs;
    auto moved = target.wgs84_only ? way_out(call, s, out_crs) : std::nullopt;
    auto file = create_vector(path, target.driver);
    gdalmcp_vector::output_layer layer{
        *file,
        target,
        *file,
        sink,
        {wkbPolygon, false, out_crs.IsEmpty() ? nullptr : &out_crs, gdalmcp_vector::all_fields(*sink.GetLayerDefn())},
        [&](const std::string& text) { call.say(text); }};
    sink.pass_on = [&](OGRFeature& feature, gdal::geometry_ptr shape) {
        // From 1, but as formats count that number features themselves.
        feature.SetFID(layer.written() + (target.keeps_ids ? 1 : 0));
        if (moved) shape = moved->apply_or_fail(*shape, feature.GetFID());
        layer.add(feature, std::move(shape));
    };
    outline(call, s, *selection, sink);
    require_every_cell(selected, sink);
    layer.finish();
    close_vector(std::move(file), path);
    call.expect(layer_file, {.crs = gdal::crs_text(out_crs), .features = layer.written()});
    report(call, s, sink, names);
    layer_crs.put(call, out_crs);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_polygonize", "Outline classes as polygons",
     "Connected cells of one class code become a polygon along their edges, with code, class name and true area. Make "
     "classes of measurements first, with raster_classify.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {class_uri, standard::band, connectedness, min_area, values_wanted, mask, standard::geometry,
     standard::geometry_crs, field_name, layer_file, subdataset, overwrite},
    {feature_count, class_count, class_table, truncated, area_total, left_out_count, left_out_area, excluded_count,
     layer_crs.all, used_geometry, used_geometry_crs}};

}  // namespace gdalmcp_raster_more::raster_polygonize
