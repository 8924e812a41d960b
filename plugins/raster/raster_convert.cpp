#include <gdalmcp/gdal_blocks.hpp>

#include "convert_arguments.hpp"
#include "datasets/gdal_raster_format.hpp"
#include "gdal_convert_output.hpp"
#include "gdal_fidelity.hpp"
#include "gdal_kind.hpp"
#include "gdal_recoding.hpp"
#include "gdal_resampling_doubts.hpp"
#include "gdal_stored_types.hpp"
#include "gdal_undeclared_nodata.hpp"
#include "tools.hpp"

namespace gdalmcp_raster::raster_convert {
namespace {

using namespace conversion;
using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

// The changes of the values, in consistent words and figures.
bool put_fidelity(gdalmcp::call& call, const fidelity& f, std::int64_t declared, const std::string& format,
                  bool all_bands) {
    const auto hidden = std::max<std::int64_t>(0, f.hidden - declared);
    const auto cells = [](std::int64_t n) { return std::to_string(n) + (n == 1 ? " cell" : " cells"); };
    if (declared) call.warn(cells(declared) + " with the value declared as nodata count as missing now");
    if (f.changed)
        call.warn(cells(f.changed) + (f.changed == 1 ? " changed its" : " changed their") +
                  " value; keep the source for measuring");
    if (hidden) call.warn(cells(hidden) + " with data in the source count as missing now");
    if (f.revived)
        call.warn(cells(f.revived) + " without data in the source " + (f.revived == 1 ? "has" : "have") +
                  " a value now: " + format + " does not mark them as the source does");
    const bool lossless = all_bands && f.exact();
    call.put(lossless_field, lossless);
    call.put(changed, f.changed + f.hidden + f.revived);
    return lossless;
}

void put_result(gdalmcp::call& call, GDALDataset& out, kind k, const pyramid& p) {
    auto& first = *out.GetRasterBand(1);
    std::vector<std::string> sizes;
    for (int i = 0; i < first.GetOverviewCount(); ++i)
        sizes.push_back(std::to_string(first.GetOverview(i)->GetXSize()) + "×" +
                        std::to_string(first.GetOverview(i)->GetYSize()));
    call.put(overviews_built, sizes);
    if (!sizes.empty() && p.wanted) {
        call.put(overview_resampling_used, p.method);
        if (k == kind::classes && p.method != "MODE" && p.method != "NEAREST")
            call.warn("the values look like classes, and overviews by " + p.method +
                      " create classes that do not exist");
        warn_of_overviews(call, call[uri].path, out, p.method);
    }
    if (!sizes.empty() && p.wanted && k != kind::classes && !call[overview_method] && p.method == "MODE")
        call.warn(
            "few whole numbers, which may be codes: overviews by MODE; if they are measurements, give "
            "'overview_resampling' average");
    if (sizes.empty() && call[overviews] && p.wanted)
        call.warn("no overviews were built: the raster of " + std::to_string(out.GetRasterXSize()) + " × " +
                  std::to_string(out.GetRasterYSize()) +
                  " cells is too small to need any; \"overviews\": [2] builds one all the same");
    call.put(kind_field, std::string{k == kind::classes ? "classes" : "continuous"});
    call.put(width, out.GetRasterXSize());
    call.put(height, out.GetRasterYSize());
    call.put(band_count, out.GetRasterCount());
    call.put(dtype, std::string{gdal::stored_type_name(first)});
    if (const auto v = shown_nodata(first)) call.put(nodata, *v);
    crs.put(call, grid_of(out).crs);
}

void warn_of_clamping(gdalmcp::call& call, GDALDataset& source, const std::array<double, 4>& scale, std::int64_t cells,
                      bool unscaled) {
    auto& band = *source.GetRasterBand(1);
    const bool packed = !unscaled && (band.GetScale() != 1 || band.GetOffset() != 0);
    call.warn(std::to_string(cells) + (cells == 1 ? " cell lies outside " : " cells lie outside ") +
              gdal::number_text(scale[0]) + " to " + gdal::number_text(scale[1]) + ", clamped to the ends" +
              (packed ? "; 'scale' is of the stored values: with 'unscale' it is of the real ones (stored x " +
                            gdal::number_text(band.GetScale()) + " + " + gdal::number_text(band.GetOffset()) + ")"
                      : ""));
}

// The compression of the values, in the driver's spelling.
std::string compression_name(GDALDriver& driver, const packing& p, const creation_options& extra) {
    if (geotiff(driver)) return p.method;
    for (const char* option : {"COMPRESS", "COMPRESSION", "IC", "TILE_FORMAT"})
        if (const auto v = extra.get(option)) return *v;
    return "driver default";
}

// A lossless method that still changed values has a defect.
void refuse_change(gdalmcp::call& call, std::int64_t n, const std::string& method) {
    throw error{GDALMCP_INTERNAL,
                std::to_string(n) + " cells read back from " + CPLGetFilename(call[target].path.c_str()) +
                    " differ, although " + method + " is lossless",
                "try another 'compression', without 'creation_options'"};
}

void run(gdalmcp::call& call) {
    const auto source = open_raster(call[uri], call[subdataset]);
    const auto given = call[options_given].value_or(std::vector<std::string>{});
    auto& driver = target_driver(call[target].path, call[driver_wanted], call[tiled].value_or(true), given);
    creation_options extra{driver, given};
    const auto numbers = band_numbers(*source, call[bands]);
    const auto view = view_of(*source, numbers);
    const kind k = kind_of(*source->GetRasterBand(numbers.front()));
    const auto how = recoding_of(call, *view);
    packing p;
    std::vector<std::string> defaults;
    if (geotiff(driver)) {
        p = packing_of(call, driver, extra, k);
        defaults = layout_options(call, driver, extra);
    } else {
        defaults = faithful_options(call, driver, extra, type_of_result(*view, how));
    }
    const auto overviews_wanted = pyramid_of(call, driver, *view);
    recoded cells;
    if (how.changes())
        cells = recode(*view, how, call.new_scratch("recoded", ".tif"),
                       [&](double f) { call.progress(0.3 * f, "recoding"); });
    auto& ready = cells.dataset ? *cells.dataset : *view;
    const gdal::small_block_cache enough{std::int64_t{1} << 27};  // the driver reads in order, and holds blocks itself
    if (geotiff(driver)) {
        check_packing(p, driver, ready);
        // Both drivers keep the source's.
        p.fewer_bits = extra.get("NBITS") || ready.GetRasterBand(1)->GetMetadataItem("NBITS", "IMAGE_STRUCTURE");
        const auto type = ready.GetRasterBand(1)->GetRasterDataType();
        p.whole_numbers = GDALDataTypeIsInteger(type) != FALSE;
        for (const auto& o : packing_options(p, driver, type)) defaults.push_back(o);
    }
    if (is(driver, "COG")) {
        for (const auto& o : cog_overviews(overviews_wanted)) defaults.push_back(o);
        defaults.push_back(std::string{"NUM_THREADS="} + CPLGetConfigOption("GDAL_NUM_THREADS", "ALL_CPUS"));
    }
    const auto options = extra.over(defaults);
    check_types(driver, ready);

    const auto written = write(call, ready, driver, options, overviews_wanted);
    const auto read_back = [&](GDALDataset& before, double from, double to, bool unscaled = false) {
        return compare(
            before, *written, [&](double f) { call.progress(from + (to - from) * f, "reading back"); }, unscaled);
    };
    const auto stored = read_back(ready, 0.9, 0.95);
    refuse_few_bits(extra, stored.changed);
    if (stored.changed && geotiff(driver) && lossless(p)) refuse_change(call, stored.changed, p.method);
    const auto kept = cells.dataset ? read_back(*view, 0.95, 1, how.unscale) : stored;
    for (const auto& fact : lost_facts(ready, *written))
        call.warn(std::string{driver.GetDescription()} + " did not keep " + fact);
    if (scale_is_beside(*written))
        call.warn(std::string{driver.GetDescription()} +
                  " has no place for scale and offset: they stand in .aux.xml, and programs other than GDAL's read the "
                  "stored numbers; 'unscale' with dtype Float32 writes real values");
    if (call[nodata_wanted])  // and not the value that marks what is missing
        for (int i = 1; i <= std::min(written->GetRasterCount(), 16); ++i)
            warn_of_undeclared_nodata(call, call[uri].path, *written->GetRasterBand(i));
    const bool mask = alpha_became_mask(ready, *written);
    if (mask)
        call.warn(
            "with this compression the alpha band is stored as a mask: " + std::to_string(written->GetRasterCount()) +
            " bands and a mask instead of " + std::to_string(ready.GetRasterCount()) + " bands");
    call.put(driver_used, std::string{driver.GetDescription()});
    const auto packed = compression_name(driver, p, extra);
    call.put(compression_used, packed);
    if (cells.clamped) warn_of_clamping(call, *view, *how.scale, cells.clamped, how.unscale);
    const bool exact = put_fidelity(call, kept, cells.declared, driver.GetDescription(),
                                    written->GetRasterCount() == view->GetRasterCount());
    call.put(size_bytes, file_size(call[target].path));
    call.put(source_bytes, file_size(call[uri].path));
    call.put(options_used, options);
    put_result(call, *written, k, overviews_wanted);
    call.expect(
        target,
        {.width = ready.GetRasterXSize(), .height = ready.GetRasterYSize(), .bands = written->GetRasterCount()});
    call.say(std::string{driver.GetDescription()} + (packed == "driver default" ? "" : ", " + packed) + ", " +
             std::to_string(file_size(call[target].path)) + " bytes" + (exact ? ", lossless" : ", not lossless"));
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_convert", "Convert raster",
     "Writes a raster in another format, compression or data type; without a lossy option values stay exact. Cells "
     "that "
     "changed are counted.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, target, driver_wanted, compression, quality, max_error, tiled, block_size, overviews, overview_method,
     dtype_wanted, nodata_wanted, scale_wanted, unscale, bands, options_given, subdataset, overwrite},
    {driver_used, compression_used, lossless_field, changed, size_bytes, source_bytes, overviews_built,
     overview_resampling_used, kind_field, width, height, band_count, dtype, nodata, crs.all, options_used}};

}  // namespace gdalmcp_raster::raster_convert
