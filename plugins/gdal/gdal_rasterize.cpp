// gdal_rasterize: one value, or an attribute, in the cells that features cover.
#include "argument_names.hpp"
#include "arguments.hpp"
#include "datasets/gdal_output.hpp"
#include "tools.hpp"
#include "vector/ogr_field_marks.hpp"
#include "vector/ogr_whole_values.hpp"

namespace gdalmcp_gdal::gdal_rasterize {
namespace {

using namespace gdalmcp_datasets;

const arg<gdalmcp::vector> source{.name = "src_vector",
                                  .about = "Path to a raster or vector dataset accessible to the server"};
const auto target = target_argument<gdalmcp::output_raster>("dst_raster", about_raster_target);
const arg<double> burn_value{.name = "burn_value", .about = "Pixel value to burn into the raster; other cells are 0"};
const arg<std::int64_t> width{.name = "width", .about = "Output raster width in pixels", .min = 1, .max = 1e6};
const arg<std::int64_t> height{.name = "height", .about = "Output raster height in pixels", .min = 1, .max = 1e6};
const arg<std::vector<double>> extent{.name = "extent",
                                      .about = "Spatial extent of the output raster: minX, minY, maxX, maxY",
                                      .unit = "units of the layer's CRS",
                                      .min_items = 4,
                                      .max_items = 4};
const arg<bool> invert{
    .name = "invert", .about = "If true, burn all pixels except those covered by geometries", .fallback = false};
const arg<std::optional<std::string>> attribute{.name = "a",
                                                .about = "Numeric attribute to burn instead of burn_value"};
const arg<bool> all_touched{.name = "at",
                            .about =
                                "All cells that lines or polygons touch, not only those on the line or with "
                                "their centre inside",
                            .fallback = false};
const auto dtype = gdalmcp::arg<std::optional<choice>>{.name = "ot",
                                                       .about = "Data type of the result. Default: Float64",
                                                       .values = standard::dtype.values,
                                                       .synonyms = standard::dtype.synonyms};

const uri_of_output raster_uri{"raster_uri", "URI of the rasterized output"};

// A path alone, as the document has it.
gdalmcp::parameter source_parameter() {
    return {source.name,
            R"({"type":"string","minLength":1,"x-gdalmcp":"input-vector","description":)" +
                gdal::json_quote(source.about) + "}",
            true, ""};
}

OGREnvelope box_of(gdalmcp::call& call) {
    const auto e = call[extent];
    if (e[0] >= e[2] || e[1] >= e[3])
        throw error{GDALMCP_INVALID_ARGUMENT, "'extent' " + gdal::box_text(e[0], e[1], e[2], e[3]) + " has no area",
                    "give minX, minY, maxX, maxY with minX < maxX and minY < maxY"};
    require_size(static_cast<double>(call[width]), static_cast<double>(call[height]), "the raster",
                 "give a smaller 'width' and 'height'");
    OGREnvelope box;
    box.Merge(e[0], e[1]);
    box.Merge(e[2], e[3]);
    return box;
}

// Features off the raster leave every cell as it is, most often because the extent is in another CRS.
void require_features(gdalmcp::call& call, OGRLayer& layer, const OGREnvelope& box) {
    OGREnvelope all;
    if (layer.GetExtent(&all, TRUE) != OGRERR_NONE)
        throw error{GDALMCP_INVALID_ARGUMENT, "layer " + std::string{layer.GetName()} + " has no features with a place",
                    "look at it with vector_info"};
    if (call[invert] || all.Intersects(box)) return;
    const OGRSpatialReference none;
    const auto& crs = layer.GetSpatialRef() ? *layer.GetSpatialRef() : none;
    throw error{GDALMCP_INVALID_ARGUMENT,
                "no feature lies in 'extent' " + gdal::extent_text(box, crs) + ": the features extend over " +
                    gdal::extent_text(all, crs),
                "give 'extent' in the units of the layer's CRS"};
}

// GDAL would clamp or round a value to the type.
void require_held(const std::string& type_name, double value, const std::string& what) {
    int clamped = 0, rounded = 0;
    const auto type = GDALGetDataTypeByName(type_name.c_str());
    GDALAdjustValueToDataType(type, value, &clamped, &rounded);
    if (clamped || (rounded && GDALDataTypeIsInteger(type)))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    what + " is " + gdal::number_text(value) + ", which " + type_name + " cannot hold",
                    "give another 'ot', or leave it out"};
}

std::string type_of(gdalmcp::call& call, OGRLayer& layer) {
    const auto name = call[dtype] ? call[dtype]->value : std::string{"Float64"};
    const auto field = call[attribute];
    if (!field) {
        require_held(name, call[burn_value], "'burn_value'");
        return name;
    }
    const int at = layer.GetLayerDefn()->GetFieldIndex(field->c_str());
    gdalmcp_vector::marked_fields marks{layer, {at}};
    layer.ResetReading();
    for (const auto& f : layer) {
        if (f->IsFieldSetAndNotNull(at))
            require_held(name, f->GetFieldAsDouble(at),
                         "attribute '" + *field + "' of feature " + std::to_string(f->GetFID()));
        marks.see(*f);
    }
    layer.ResetReading();
    marks.tell(call, gdalmcp_vector::marks_left_out::before);
    return name;
}

void require_number(OGRLayer& layer, const std::string& field) {
    const auto& fields = *layer.GetLayerDefn();
    const int at = fields.GetFieldIndex(field.c_str());
    const auto type = at < 0 ? OFTString : fields.GetFieldDefn(at)->GetType();
    if (type == OFTInteger || type == OFTInteger64 || type == OFTReal) return;
    throw error{GDALMCP_INVALID_ARGUMENT,
                "layer " + std::string{layer.GetName()} + " has no numeric attribute '" + field + "'",
                "vector_info lists its fields"};
}

gdal::words words_of(gdalmcp::call& call, OGRLayer& layer, const OGREnvelope& box, const std::string& type) {
    auto& driver = creating_driver_for(call[target].path);
    gdal::words words{"-of", driver.GetDescription(), "-l", layer.GetName(), "-ot", type};
    for (const auto& option : plain_options(driver)) words.add("-co", option);
    const bool outside = call[invert] && !call[attribute];
    if (const auto field = call[attribute])
        words.add("-a", *field);
    else if (outside)  // "-i" of GDAL 3.6 takes the cells that two polygons cover for uncovered ones
        words.add("-init", gdal::number_text(call[burn_value]), "-burn", "0");
    else
        words.add("-burn", gdal::number_text(call[burn_value]));
    words.add("-ts", std::to_string(call[width]), std::to_string(call[height]), "-te");
    for (const double v : {box.MinX, box.MinY, box.MaxX, box.MaxY}) words.add(gdal::number_text(v));
    if (call[invert] && !outside) words.add("-i");
    if (call[all_touched]) words.add("-at");
    return words;
}

void run_named(gdalmcp::call& call) {
    const auto box = box_of(call);
    const auto from = gdal::open(call[source]);
    auto& layer = gdal::layer_of(*from, call[standard::layer]);
    if (const auto field = call[attribute]) require_number(layer, *field);
    if (const auto field = call[attribute]) gdalmcp_vector::warn_of_total_per_cell(call, layer, *field);
    require_features(call, layer, box);
    if (!layer.GetSpatialRef()) call.warn("layer " + std::string{layer.GetName()} + " has no CRS, nor has the result");
    const auto type = type_of(call, layer);
    if (!call[attribute] && call[burn_value] == 0) call.warn("'burn_value' is 0, which all other cells are as well");
    gdal::step whole{call, 0, 0.95};
    CPLErrorReset();
    auto made = rasterize(*from, call[target].path, words_of(call, layer, box, type), {gdal::step::report, &whole});
    if (!made || CPLGetLastErrorType() >= CE_Failure) {
        call.progress(0.95);  // the reason may be that the call was cancelled
        gdal::raise("cannot rasterize " + std::string{layer.GetName()});
    }
    const grid on = grid_of(*made);
    close(std::move(made), call[target].path);
    call.expect(target, expected_raster(on, 1, type));
    call.say(std::to_string(on.width) + " × " + std::to_string(on.height) + " cells in " +
             (on.crs.IsEmpty() ? "no CRS" : gdal::crs_label(on.crs)));
}

void run(gdalmcp::call& call) {
    with_names({{"output", "dst_raster"}}, [&] { run_named(call); });
}

}  // namespace

const gdalmcp::tool tool{{"gdal_rasterize", "gdal_rasterize", "Burns vector geometries into raster band(s).",
                          GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
                         run,
                         {source_parameter(), target, burn_value, width, height, extent, invert, attribute, all_touched,
                          dtype, standard::layer, overwrite},
                         {raster_uri}};

}  // namespace gdalmcp_gdal::gdal_rasterize
