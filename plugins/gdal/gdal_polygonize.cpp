// gdal_polygonize: connected cells of one value as polygons, with the value.
#include "argument_names.hpp"
#include "arguments.hpp"
#include "datasets/gdal_output.hpp"
#include "raster/gdal_common_window.hpp"
#include "raster_more/gdal_cell_selection.hpp"
#include "raster_more/gdal_polygon_sink.hpp"
#include "tools.hpp"
#include "vector/ogr_output_layer.hpp"
#include "vector/ogr_transformation.hpp"

namespace gdalmcp_gdal::gdal_polygonize {
namespace {

using namespace gdalmcp_raster_more;

const arg<gdalmcp::raster> source{.name = "src_dataset",
                                  .about = "Path to a raster or vector dataset accessible to the server"};
const auto target = target_argument<gdalmcp::output_vector>(
    "dst_vector", "Optional path; null means the server will create a temporary file. .gpkg, .shp, .geojson, …");
const auto band =
    gdalmcp::arg<std::int64_t>{.name = "band", .about = "Band number to polygonize", .fallback = 1, .min = 1};
const arg<std::optional<gdalmcp::raster>> mask{
    .name = "mask", .about = "Optional mask dataset on the same grid; where it is 0 or nodata, cells are left out"};
const arg<std::string> field_name{.name = "field_name",
                                  .about = "Name of attribute to store pixel value",
                                  .fallback = std::string{"DN"},
                                  .min_length = 1,
                                  .max_length = 60};
const arg<bool> eight{
    .name = "eight_connected", .about = "Also join cells that meet at a corner only", .fallback = false};

const uri_of_output vector_uri{"vector_uri", "URI of the polygonised vector file"};

struct outlined_band {
    std::string path;
    gdal::dataset_ptr file;
    grid on;
    GDALRasterBand* band;
};

outlined_band opened(gdalmcp::call& call) {
    outlined_band b{call[source].path, open_raster(call[source]), grid(), nullptr};
    require_band(b.path, b.file->GetRasterCount(), call[band]);
    b.on = grid_of(*b.file);
    b.band = b.file->GetRasterBand(static_cast<int>(call[band]));
    require_real(*b.band);
    if (b.band->GetScale() != 1 || b.band->GetOffset() != 0)
        call.warn("values are as stored: scale " + gdal::number_text(b.band->GetScale()) + " and offset " +
                  gdal::number_text(b.band->GetOffset()) + " of band " + std::to_string(call[band]) + " of " + b.path +
                  " are not applied; gdal_translate with unscale makes a copy of the true values");
    if (!b.on.georeferenced) {
        call.warn("the raster has no geotransform: coordinates are columns and rows, from the upper left corner down");
        b.on.crs.Clear();
    }
    return b;
}

// Marks the cells to outline: those with data, where the mask has data other than 0.
void select(gdalmcp::call& call, const outlined_band& b, GDALRasterBand& to) {
    gdal::dataset_ptr other;
    if (const auto given = call[mask]) {
        other = open_raster(*given);
        require_same_grid({b.path, b.on}, {given->path, grid_of(*other)});
        require_real(*other->GetRasterBand(1));
    }
    cell_selection selection{*b.band, other ? other->GetRasterBand(1) : nullptr, nullptr, std::nullopt};
    selection.write(call.part(0, 0.3, "selecting cells"), {0, 0, b.on.width, b.on.height}, to);
}

void check_field(const std::string& name, const gdalmcp_vector::format& form) {
    if (EQUAL(form.driver, "ESRI Shapefile") && name.size() > 10)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'field_name' " + name + " has " + std::to_string(name.size()) + " bytes, and a Shapefile keeps 10",
                    "give a shorter name, or write to .gpkg"};
}

// GeoJSON holds WGS 84 only: polygons are transformed on the way out.
std::optional<gdalmcp_vector::transformation> way_out(gdalmcp::call& call, const outlined_band& b,
                                                      const OGRSpatialReference& to) {
    if (b.on.crs.IsEmpty())
        throw error{GDALMCP_INVALID_ARGUMENT, b.path + " has no CRS, and GeoJSON holds WGS 84 only (RFC 7946)",
                    "write to .gpkg"};
    if (!gdalmcp_vector::same_coordinates(b.on.crs, to))
        call.warn("GeoJSON holds WGS 84 only (RFC 7946): the corners were transformed from " +
                  gdal::crs_label(b.on.crs) + " to OGC:CRS84");
    return std::optional<gdalmcp_vector::transformation>{
        std::in_place, b.on.crs, to, gdal::wgs84_bounds(b.on.extent(), b.on.crs), true, [&](const std::string& text) {
            call.warn(text);
        }};
}

void run_named(gdalmcp::call& call) {
    const auto& path = call[target].path;
    const auto form = gdalmcp_vector::format_of(path);
    check_field(call[field_name], form);
    const auto b = opened(call);
    raster_output selected{call.new_scratch("selected", ".tif"), b.on, GDT_Byte, 1, {"COMPRESS=LZW"}};
    select(call, b, selected.band(1));
    const auto selection = selected.flushed();

    const bool shapefile = EQUAL(form.driver, "ESRI Shapefile");
    const polygon_terms terms{.value_field = call[field_name], .shapefile = shapefile, .check_validity = call[eight]};
    polygon_sink sink{b.on, terms};
    const auto crs = form.wgs84_only ? *gdal::parse_crs("OGC:CRS84") : b.on.crs;
    auto moved = form.wgs84_only ? way_out(call, b, crs) : std::nullopt;
    auto file = create_vector(path, form.driver);
    gdalmcp_vector::output_layer layer{
        *file,
        form,
        *file,
        sink,
        {wkbPolygon, false, crs.IsEmpty() ? nullptr : &crs, gdalmcp_vector::all_fields(*sink.GetLayerDefn())},
        [&](const std::string& text) { call.say(text); }};
    sink.pass_on = [&](OGRFeature& feature, gdal::geometry_ptr shape) {
        feature.SetFID(layer.written() + (form.keeps_ids ? 1 : 0));
        if (moved) shape = moved->apply_or_fail(*shape, feature.GetFID());
        layer.add(feature, std::move(shape));
    };
    if (!sink.outline(*b.band, *selection->GetRasterBand(1), call[eight], {call, 0.3, 0.95})) {
        call.progress(0.95);  // throws if the reason is that the call was cancelled
        gdal::raise("cannot outline the cells of " + b.path);
    }
    layer.finish();
    close_vector(std::move(file), path);
    call.expect(target, {.crs = gdal::crs_text(crs), .features = layer.written()});
    if (sink.invalid() > 0)
        call.warn(std::to_string(sink.invalid()) +
                  " polygons touch themselves at a corner, which programs that check geometries call invalid");
    call.say(std::to_string(layer.written()) + " polygons");
}

void run(gdalmcp::call& call) {
    with_names({{"output", "dst_vector"}}, [&] { run_named(call); });
}

}  // namespace

const gdalmcp::tool tool{{"gdal_polygonize", "gdal_polygonize",
                          "Creates vector polygons from connected regions of pixels sharing the same value.",
                          GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
                         run,
                         {source, target, band, mask, field_name, eight, overwrite},
                         {vector_uri}};

}  // namespace gdalmcp_gdal::gdal_polygonize
