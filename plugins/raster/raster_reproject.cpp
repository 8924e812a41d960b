#include <gdalmcp/gdal_blocks.hpp>

#include <cmath>

#include "arguments.hpp"
#include "datasets/gdal_output.hpp"
#include "gdal_collar.hpp"
#include "gdal_common_window.hpp"
#include "gdal_resampling_doubts.hpp"
#include "gdal_warp.hpp"
#include "gdal_warp_operation.hpp"
#include "resampling.hpp"
#include "tools.hpp"

namespace gdalmcp_raster::raster_reproject {
namespace {

using gdalmcp::arg;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;

const arg<gdalmcp::output_crs> dst_crs{.name = "dst_crs",
                                       .about = "Target CRS: EPSG:3857, WKT, PROJJSON or a PROJ string."};
const arg<gdalmcp::choice> resampling{.name = "resampling",
                                      .about =
                                          "nearest or mode for classes; bilinear, cubic, lanczos for measurements; "
                                          "average, rms, med, q1, q3, min, max for coarser cells; sum for totals.",
                                      .values = resampling_choices(),
                                      .synonyms = resampling_synonyms()};
const arg<std::optional<gdalmcp::crs>> src_crs{.name = "src_crs",
                                               .about = "CRS to read the raster in; required when the file has none."};
const auto resolution =
    resolution_argument("Cell size, one number or [x, y]. Default: as in the source.", "units of dst_crs");
const arg<std::optional<std::int64_t>> width_wanted{
    .name = "width", .about = "Columns, without 'resolution'.", .unit = "cells", .min = 1};
const arg<std::optional<std::int64_t>> height_wanted{
    .name = "height", .about = "Rows, without 'resolution'.", .unit = "cells", .min = 1};
const arg<std::optional<std::vector<double>>> bounds_wanted{
    .name = "bounds", .about = "Extent [minx, miny, maxx, maxy] in bounds_crs.", .min_items = 4, .max_items = 4};
const arg<std::optional<gdalmcp::crs>> bounds_crs{.name = "bounds_crs", .about = "Default: dst_crs."};
const arg<bool> tap{.name = "tap", .about = "Align the extent to multiples of 'resolution'.", .fallback = false};
const arg<std::optional<double>> nodata_wanted{.name = "nodata",
                                               .about = "Default: the source's, an unused value, or a mask."};
const arg<std::optional<gdalmcp::raster>> align_to{
    .name = "align_to", .about = "Raster whose grid the result takes; its CRS must be dst_crs."};
const arg<std::optional<gdalmcp::vector>> cutline{
    .name = "cutline", .about = "Polygons to keep; cells outside become nodata, the extent stays."};
const arg<std::optional<std::string>> cutline_layer{.name = "cutline_layer", .about = "Layer of 'cutline'."};
const arg<std::optional<std::string>> operation{.name = "operation",
                                                .about = "PROJ pipeline or operation code. Default: PROJ's best."};
const auto& allow_ballpark = gdalmcp::standard::allow_ballpark;
const arg<std::optional<double>> epoch{
    .name = "epoch", .about = "Coordinate epoch for a dynamic CRS.", .unit = "decimal year", .min = 1900, .max = 2200};
const arg<std::optional<gdalmcp::choice>> vertical{
    .name = "vertical",
    .about =
        "transform: values are heights in metres, shifted between compound CRSs. Default: transform where both CRSs "
        "have a vertical axis.",
    .values = {"keep", "transform"}};
const arg<std::optional<double>> error_threshold{.name = "error_threshold",
                                                 .about = "Greatest displacement of a cell; 0: exact.",
                                                 .unit = "cells of the input",
                                                 .min = 0};

const gdal::crs_record from_record{"src_crs", "CRS the raster was read in"};
const gdal::crs_record to_record{"dst_crs", "CRS of the result"};
const gdal::operation_record transformation;
const field<std::string> resampling_used{"resampling", "none: cells unchanged"};
const field<double> threshold_used{"error_threshold", "As used", "cells of the input"};
const field<std::vector<double>> pixel_size{"pixel_size", "[width, height] of a cell", "units of dst_crs"};
const field<std::int64_t> band_count{"count", "Bands"};
const field<std::string> dtype{"dtype", "Data type of the bands"};
const auto nodata_used = field<double>{"nodata", "Absent when there is none or it is NaN"}.optional();
const field<double> warp_seconds{"warp_seconds", "Time spent in the warp itself, writing included", "s"};
const field<std::string> outside{"outside", "How cells outside the source are marked: none, nodata, alpha, mask"};
const field<std::string> command{"equivalent_command", "GDAL command with the same pixels"};

warp_request request_of(gdalmcp::call& call) {
    warp_request r;
    r.dst_crs = gdal::crs_argument(call[dst_crs].text, "dst_crs");
    if (r.dst_crs.IsGeocentric()) gdal::require_plane(r.dst_crs, call[dst_crs].text, "dst_crs");
    if (const auto c = call[src_crs]) r.src_crs = gdal::crs_argument(c->text, "src_crs");
    r.resampling = call[resampling].value;
    if (const auto size = call[resolution]) r.resolution = {size->front(), size->back()};
    r.width = call[width_wanted];
    r.height = call[height_wanted];
    if (const auto b = call[bounds_wanted]) r.bounds = {{(*b)[0], (*b)[1], (*b)[2], (*b)[3]}};
    if (const auto c = call[bounds_crs]) r.bounds_crs = gdal::crs_argument(c->text, "bounds_crs");
    r.aligned = call[tap];
    r.nodata = call[nodata_wanted];
    if (const auto other = call[align_to]) r.align_to = grid_of(*gdal::open(*other));
    if (const auto shapes = call[cutline]) set_cutline(r, *shapes, call[cutline_layer]);
    r.operation = call[operation].value_or("");
    r.epoch = call[epoch];
    if (const auto heights = call[vertical]) r.shift_heights = heights->value == "transform";
    r.error_threshold = call[error_threshold];
    return r;
}

constexpr double usual_threshold = 0.125;  // cells of the input, as gdalwarp has it

void warn_of_threshold(gdalmcp::call& call, double threshold) {
    if (threshold <= usual_threshold) return;
    call.warn("with error_threshold " + gdal::number_text(threshold) +
              " the value of a cell may come from as many cells of the input away; without it from " +
              gdal::number_text(usual_threshold) + ", with 0 from none");
}

// The request and its outcome.
struct reprojection {
    warp_request& request;
    const OGRSpatialReference& from;
    const gdal::operation& used;
    bool assigned;  // cells and grid are the source's
    marking mark;
};

warped write(gdalmcp::call& call, GDALDataset& source, const reprojection& r, const std::string& path) {
    gdal::step whole{call, 0, 0.95};
    const destination to{path, keeping_driver_for(path), call.new_scratch("warp", ".tif"), gdal::step::report, &whole};
    try {
        return r.assigned ? assign_crs(source, r.request, to) : warp({&source}, r.request, to);
    } catch (const gdalmcp::error&) {
        call.progress(0.95);  // the reason may be that the call was cancelled
        throw;
    }
}

// Without them the result reaches as far as the source does, in some CRSs to infinity.
std::string bounds_hint(const OGRSpatialReference& crs) {
    double west = 0, south = 0, east = 0, north = 0;
    const bool known = crs.GetAreaOfUse(&west, &south, &east, &north, nullptr) && west < east;
    return "the source reaches to where " + gdal::crs_text(crs) + " has no end: give 'bounds' of the part you need" +
           (known ? ", its area of use is \"bounds\": " + gdal::box_text(west, south, east, north) +
                        ", \"bounds_crs\": \"OGC:CRS84\""
                  : "");
}

std::string command_line(const reprojection& r) {
    std::string line = r.assigned ? "gdal_translate" : "gdalwarp";
    auto words = r.assigned ? std::vector<std::string>{"-a_srs", gdal::crs_text(r.request.dst_crs)}
                            : gdalwarp_arguments(r.request, true);
    if (r.assigned && !r.request.type.empty()) words.insert(words.end(), {"-ot", r.request.type});
    for (const auto& word : words)
        line += word.find_first_of(" []{}\"'()") == std::string::npos ? " " + word : " '" + word + "'";
    return line + " SOURCE TARGET";
}

void put_result(gdalmcp::call& call, const reprojection& r, GDALDataset& out, const grid& g) {
    from_record.put(call, r.from);
    to_record.put(call, g.crs);
    transformation.put(call, r.used);
    call.put(resampling_used, r.assigned ? "none" : r.request.resampling);
    call.put(threshold_used, r.assigned ? 0 : r.request.error_threshold.value_or(usual_threshold));
    call.put(transform, g.affine());
    call.put(width, g.width);
    call.put(height, g.height);
    call.put(pixel_size, {g.cell_width(), g.cell_height()});
    bounds.put(call, g.extent(), g.crs);
    call.put(band_count, out.GetRasterCount());
    auto& first = *out.GetRasterBand(1);
    call.put(dtype, dtype_name(first.GetRasterDataType()));
    // A format without masks keeps the alpha band.
    const bool alpha = r.mark == marking::mask && first.GetMaskFlags() & GMF_ALPHA;
    call.put(outside, name_of(alpha ? marking::alpha : r.mark));
    if (const auto v = shown_nodata(first)) call.put(nodata_used, *v);
    call.put(command, command_line(r));
}

struct total {
    double sum = 0, size = 0;  // of the cells with data; of their values without signs
};

total total_of(GDALRasterBand& band) {
    gdal::block_job job;
    job.read(band, GDT_Float64);
    std::vector<total> parts(job.size().workers);
    job.run([](double) {},
            [&](const gdal::block& b) {
                const auto* cells = b.in<double>(0, 0);
                const auto* valid = b.valid(0, 0);
                total here;
                for (std::int64_t i = 0; i < b.cells(); ++i)
                    if (valid[i]) here.sum += cells[i], here.size += std::abs(cells[i]);
                parts[b.worker].sum += here.sum;
                parts[b.worker].size += here.size;
            });
    total all;
    for (const auto& p : parts) all.sum += p.sum, all.size += p.size;
    return all;
}

// GDAL's sum gives a cell's parts to the cells they lie in, but some parts to none: at the outline of a map, and where
// edges of both grids coincide but for rounding.
void warn_of_lost_totals(gdalmcp::call& call, GDALDataset& source, GDALDataset& result) {
    constexpr double noticed = 1e-4;
    for (int b = 1; b <= std::min(source.GetRasterCount(), result.GetRasterCount()); ++b) {
        const auto before = total_of(*source.GetRasterBand(b)), after = total_of(*result.GetRasterBand(b));
        if (!(std::abs(after.sum - before.sum) > noticed * before.size)) continue;
        const auto text = [](double v) { return gdal::number_text(gdalmcp::significant(v, 6)); };
        call.warn("band " + std::to_string(b) + " of the result adds up to " + text(after.sum) + ", that of " +
                  call[uri].path + " to " + text(before.sum) +
                  ": where the total counts, sum the input itself, with aggregate_zonal or raster_stats");
        return;
    }
}

void run(gdalmcp::call& call) {
    const auto source = open_raster(call[uri], call[subdataset]);
    auto request = request_of(call);
    const auto from = source_crs(*source, request);
    for (const auto& line : settle(request, *source)) call.say(line);
    const grid source_grid = grid_of(*source);
    const kept keeps = keep_cells(*source, request);
    const auto area = source_grid.georeferenced ? gdal::wgs84_bounds(source_grid.extent(), from) : std::nullopt;
    auto used = operation_of(request, from, area, call[allow_ballpark]);
    warn_of_source(call, request, *source);
    if (keeps != kept::no && source_grid.crs.IsEmpty()) {
        used.name = "none: the raster had no CRS; one was assigned, not transformed to";
        call.say("the raster had no CRS: " + gdal::crs_label(request.dst_crs) + " was assigned; cells are unchanged");
    } else if (keeps != kept::no) {
        call.say("source and target CRS are the same and no grid is requested: no cell was resampled");
    }

    const bool assigned = keeps == kept::all;
    const reprojection r{request, from, used, assigned, assigned ? marking::none : mark_collar(*source, request)};
    const std::string path = call[output].path;
    auto written = write(call, *source, r, path);
    if (!assigned)
        require_valid_cell(*written.dataset, {source.get()},
                           call.given(bounds_wanted) || call.given(align_to) || call.given(cutline)
                               ? "check 'bounds', 'cutline' and 'src_crs' against the source, which covers " +
                                     gdal::extent_text(source_grid.extent(), from)
                               : bounds_hint(request.dst_crs));
    const grid result = grid_of(*written.dataset);
    warn_of_operation(call, used, result);
    if (!assigned) {
        for (int i = 1; i <= std::min(source->GetRasterCount(), written.dataset->GetRasterCount()); ++i)
            if (!computes_values(request.resampling))
                tell_lost_table(call, call[uri].path, *source->GetRasterBand(i), *written.dataset->GetRasterBand(i));
        if (!copies_cells(*source, request, result)) {
            warn_of_threshold(call, request.error_threshold.value_or(usual_threshold));
            if (request.resampling == "sum" && !call.given(bounds_wanted) && !call.given(align_to) &&
                !call.given(cutline))
                warn_of_lost_totals(call, *source, *written.dataset);
            warn_of_resampling(call, call[uri].path, *source, band_numbers(*source, {}), request.resampling,
                               *written.dataset);
        }
    }
    put_result(call, r, *written.dataset, result);
    call.put(warp_seconds, std::round(1000 * written.seconds) / 1000);
    const std::string type = dtype_name(written.dataset->GetRasterBand(1)->GetRasterDataType());
    auto asked = expected_raster(result, written.dataset->GetRasterCount(), type);
    asked.crs = gdal::crs_text(request.dst_crs);
    call.expect(output, asked);
    close(std::move(written.dataset), path);
    call.say(std::to_string(result.width) + " × " + std::to_string(result.height) + " cells in " +
             gdal::crs_label(request.dst_crs) +
             (assigned ? std::string{} : ", " + request.resampling + ", by '" + used.name + "'"));
    call.progress(1);
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_reproject", "Reproject raster",
     "Writes a raster in another CRS or on another grid, as gdalwarp does. Resample once, from the original; align_to "
     "puts rasters on one grid. Not to measure: areas in m2 are true on any CRS.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri,           dst_crs,       resampling,     output, src_crs,       resolution,      width_wanted,
     height_wanted, bounds_wanted, bounds_crs,     tap,    nodata_wanted, align_to,        cutline,
     cutline_layer, operation,     allow_ballpark, epoch,  vertical,      error_threshold, subdataset,
     overwrite},
    {from_record.all, to_record.all, transformation.all, resampling_used, threshold_used, transform, width, height,
     pixel_size, bounds.all, band_count, dtype, outside, nodata_used, warp_seconds, command}};

}  // namespace gdalmcp_raster::raster_reproject
