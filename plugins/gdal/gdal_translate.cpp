// gdal_translate: a part of a raster, on fewer or more cells, with other values, in another format.
#include "argument_names.hpp"
#include "arguments.hpp"
#include "datasets/gdal_flow_tags.hpp"
#include "datasets/gdal_output.hpp"
#include "datasets/gdal_raster_source.hpp"
#include "raster/gdal_common_window.hpp"
#include "raster/gdal_creation_options.hpp"
#include "raster/gdal_fidelity.hpp"
#include "raster/gdal_marking.hpp"
#include "raster/gdal_recoding.hpp"
#include "raster/gdal_stored_types.hpp"
#include "raster/gdal_warp_request.hpp"
#include "resampling.hpp"
#include "tools.hpp"

namespace gdalmcp_gdal::gdal_translate {
namespace {

using namespace gdalmcp_raster;

const arg<gdalmcp::raster> source{.name = "src_dataset",
                                  .about = "Path to a raster or vector dataset accessible to the server"};
const auto target = target_argument<gdalmcp::output_raster>("dst_dataset", about_raster_target);
const arg<std::optional<std::string>> format{
    .name = "output_format", .about = "GDAL output format (e.g. GTiff, COG, JPEG). Default: by extension, else GTiff"};
const arg<std::optional<std::vector<std::string>>> bands{
    .name = "bands", .about = "List of band numbers to copy, as strings. Default: all", .pattern = "^[1-9][0-9]*$"};
const arg<std::optional<std::vector<double>>> projwin{
    .name = "projwin",
    .about = "Subwindow in georeferenced coordinates: ulx, uly, lrx, lry",
    .unit = "units of the CRS",
    .min_items = 4,
    .max_items = 4};
const auto resample_alg = method_argument(
    "resample_alg", "Resampling algorithm (nearest, bilinear, cubic, etc.). Default: nearest", translate_methods());
const arg<std::optional<std::vector<std::int64_t>>> outsize{.name = "outsize",
                                                            .about = "Columns and rows of the result",
                                                            .unit = "cells",
                                                            .min = 1,
                                                            .min_items = 2,
                                                            .max_items = 2};
const auto dtype = gdalmcp::arg<std::optional<choice>>{.name = "ot",
                                                       .about = "Data type of the result. Default: the source's",
                                                       .values = standard::dtype.values,
                                                       .synonyms = standard::dtype.synonyms};
const arg<std::optional<std::vector<double>>> scale{
    .name = "scale", .about = "Rescale values: from, to, new from, new to", .min_items = 4, .max_items = 4};
const arg<bool> unscale{
    .name = "unscale", .about = "Apply the bands' scale and offset; Float64 unless 'ot' is given", .fallback = false};
const arg<std::optional<std::vector<std::string>>> options_given{.name = "co",
                                                                 .about = "Creation options of the format, KEY=VALUE"};

const uri_of_output output_uri{"output_uri", "URI of the converted raster"};

constexpr const char* formats = "GTiff, COG, PNG, JPEG, WEBP, JP2OpenJPEG, HFA, netCDF, AAIGrid or GPKG";

GDALDriver& driver_of(gdalmcp::call& call) {
    const auto named = call[format].value_or("");
    auto& driver = driver_for(call[target].path, named);
    if (named.empty() || has_extension_of(driver, call[target].path)) return driver;
    throw error{GDALMCP_INVALID_ARGUMENT,
                "'output_format' is " + std::string{driver.GetDescription()} + ", but the file to write is " +
                    CPLGetFilename(call[target].path.c_str()),
                std::string{"end 'dst_dataset' as the format does, or give one of "} + formats};
}

void check_window(GDALDataset& from, const std::vector<double>& w) {
    const grid on = grid_of(from);
    if (!on.georeferenced || on.rotated())
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::string{"'projwin' is given, but "} + from.GetDescription() +
                        (on.georeferenced ? " is rotated" : " has no geotransform"),
                    "leave 'projwin' out; raster_reproject makes a grid along the axes of a CRS"};
    OGREnvelope asked;
    asked.Merge(w[0], w[1]);
    asked.Merge(w[2], w[3]);
    const auto own = on.extent();
    if (!own.Intersects(asked))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'projwin' " + gdal::extent_text(asked, on.crs) + " does not touch the raster, which covers " +
                        gdal::extent_text(own, on.crs),
                    "give ulx, uly, lrx, lry inside it"};
    if (!own.Contains(asked))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "'projwin' " + gdal::extent_text(asked, on.crs) + " reaches beyond the raster, which covers " +
                        gdal::extent_text(own, on.crs),
                    "give a window inside it; gdalwarp fills what lies outside with nodata"};
}

void warn_of_made_nodata(gdalmcp::call& call, GDALDataset& from, int band) {
    const auto& method = call[resample_alg]->value;
    const auto own = nodata_of(*from.GetRasterBand(band));
    if (own && may_make(from, *own, method, {0, 0, from.GetRasterXSize(), from.GetRasterYSize()}))
        call.warn(method + " may make the nodata value " + gdal::number_text(*own) + " of " + call[source].path +
                  " out of its data, and such cells count as missing; raster_reproject gives the result another one");
}

// The part and the bands, on the cells asked for.
gdal::dataset_ptr view_of(gdalmcp::call& call, GDALDataset& from) {
    gdal::words words{"-of", "VRT"};
    const auto texts = call[bands];
    const auto chosen = band_numbers(from, texts ? std::optional{numbers_of(*texts)} : std::nullopt);
    for (const int b : chosen) {
        words.add("-b", std::to_string(b));
        if (call[outsize] && call[resample_alg])
            refuse_pooled_offset(call[source].path, *from.GetRasterBand(b), call[resample_alg]->value);
    }
    const int last = from.GetRasterCount();
    if (is_alpha(*from.GetRasterBand(last)) && std::find(chosen.begin(), chosen.end(), last) == chosen.end())
        call.warn("'bands' leaves out the alpha band " + std::to_string(last) +
                  ": cells that it hides are data in the result; raster_convert keeps them as a mask");
    if (const auto w = call[projwin]) {
        check_window(from, *w);
        words.add("-projwin");
        for (const double v : *w) words.add(gdal::number_text(v));
    }
    const auto size = call[outsize];
    if (size && call[resample_alg]) warn_of_made_nodata(call, from, chosen.front());
    if (size) words.add("-outsize", std::to_string(size->front()), std::to_string(size->back()));
    // From the cells themselves, as in gdalwarp: overviews may be of another method, or older than they are.
    const bool has_overviews = from.GetRasterBand(1)->GetOverviewCount() > 0;
    if (size && has_overviews) words.add("-ovr", "NONE");
    if (const auto method = call[resample_alg]) words.add("-r", translate_resampling(method->value));
    auto view = translate(from, "", std::move(words));
    if (!view) gdal::raise("cannot read that part of " + std::string{from.GetDescription()});
    if (declares_directions(*view) && !on_same_cells(grid_of(from), grid_of(*view)))
        disown_directions(call[source].path, *view);
    for (std::size_t i = 0; i < chosen.size(); ++i) {  // GDAL loses them without overviews, and of a part
        auto &band = *from.GetRasterBand(chosen[i]), &shown = *view->GetRasterBand(static_cast<int>(i) + 1);
        shown.SetDescription(band.GetDescription());
        shown.SetUnitType(band.GetUnitType());
    }
    return view;
}

recoding recoding_of(gdalmcp::call& call, GDALDataset& cells) {
    recoding r;
    if (const auto name = call[dtype]) {
        const auto type = GDALGetDataTypeByName(name->value.c_str());
        bool other = call[unscale];
        for (auto&& band : cells.GetBands()) other = other || type != band->GetRasterDataType();
        if (other) r.type = type;
    }
    if (const auto s = call[scale]) {
        if ((*s)[0] == (*s)[1])
            throw error{GDALMCP_INVALID_ARGUMENT, "'scale' maps from " + gdal::number_text((*s)[0]) + " to itself",
                        "give [from, to, new from, new to] with from ≠ to"};
        r.scale = {{(*s)[0], (*s)[1], (*s)[2], (*s)[3]}};
    }
    r.unscale = call[unscale];
    return r;
}

// recode() advises in the words of raster_convert, which has a 'nodata' as well.
recoded recode_here(gdalmcp::call& call, GDALDataset& view, const recoding& how) {
    try {
        return recode(view, how, call.new_scratch("recoded", ".tif"),
                      [&](double f) { call.progress(0.3 * f, "recoding"); });
    } catch (error& e) {
        constexpr std::string_view theirs = "'dtype'";
        if (e.hint.find("'nodata'") != std::string::npos)
            e.hint = "with raster_convert: " + e.hint;
        else if (const auto at = e.hint.find(theirs); at != std::string::npos)
            e.hint.replace(at, theirs.size(), "'ot'");
        throw;
    }
}

// Bits are few for what the driver was given, not for what was recoded before.
void check_bits(GDALDataset& given, GDALDataset& written, const creation_options& options) {
    if (!options.get("NBITS")) return;
    with_names({{"dtype", "ot"}}, [&] { refuse_few_bits(options, compare(given, written, [](double) {}).changed); });
}

// source: the cells before they were recoded, `before` the same as given to the driver.
void report_changes(gdalmcp::call& call, GDALDataset& source, GDALDataset& before, GDALDataset& after,
                    const char* driver) {
    const auto f = compare(
        source, after, [&](double part) { call.progress(0.85 + 0.15 * part, "reading back"); }, call[unscale]);
    const auto cells = [](std::int64_t n) { return std::to_string(n) + (n == 1 ? " cell" : " cells"); };
    if (f.changed)
        call.warn(cells(f.changed) + (f.changed == 1 ? " changed its" : " changed their") +
                  " value; keep the source for measuring");
    if (f.hidden) call.warn(cells(f.hidden) + " with data in the source count as missing now");
    if (f.revived)
        call.warn(cells(f.revived) + " without data in the source " + (f.revived == 1 ? "has" : "have") +
                  " a value now: " + driver + " does not mark them as the source does");
    for (const auto& fact : lost_facts(before, after)) call.warn(std::string{driver} + " did not keep " + fact);
}

void run_named(gdalmcp::call& call) {
    const auto from = open_raster(call[source]);
    auto& driver = driver_of(call);
    const creation_options extra{driver, call[options_given].value_or(std::vector<std::string>{})};
    const auto view = view_of(call, *from);
    const auto how = recoding_of(call, *view);
    recoded cells;
    if (how.changes()) cells = recode_here(call, *view, how);
    auto& ready = cells.dataset ? *cells.dataset : *view;
    check_types(driver, ready, {.type = "ot", .output = "dst_dataset"});
    const auto& path = call[target].path;
    copy_raster(call, ready, path, driver,
                {.options = extra.over(plain_options(driver)),
                 .from = 0.3,
                 .to = 0.85,
                 .hint = "choose another 'output_format' or 'ot'; gdalinfo lists what the source holds"});
    const auto written = gdal::open(gdalmcp::raster{path});
    check_bits(ready, *written, extra);
    report_changes(call, *view, ready, *written, driver.GetDescription());
    call.expect(
        target,
        {.width = ready.GetRasterXSize(), .height = ready.GetRasterYSize(), .bands = written->GetRasterCount()});
    call.say(std::to_string(ready.GetRasterXSize()) + " × " + std::to_string(ready.GetRasterYSize()) + " cells, " +
             driver.GetDescription());
}

void run(gdalmcp::call& call) {
    with_names({{"output", "dst_dataset"}}, [&] { run_named(call); });
}

}  // namespace

const gdalmcp::tool tool{
    {"gdal_translate", "gdal_translate",
     "Converts raster data between formats and can also subset, resample and rescale pixels.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {source, target, format, bands, projwin, resample_alg, outsize, dtype, scale, unscale, options_given, overwrite},
    {output_uri}};

}  // namespace gdalmcp_gdal::gdal_translate
