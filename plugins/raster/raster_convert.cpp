#include "arguments.hpp"
#include "compression.hpp"
#include "format.hpp"
#include "kind.hpp"
#include "raster_tools.hpp"
#include "recoding.hpp"

#include <gdal_alg.h>
#include <gdal_utils.h>

namespace gdalmcp_raster {
namespace {

using gdalmcp::arg;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;

const arg<gdalmcp::output_raster> target{.name = "output",
                                         .about =
                                             "Path to write in a writable workspace. The extension is the format: .tif "
                                             "a Cloud Optimized GeoTIFF, .png, .jp2, "
                                             ".nc, .img and whatever GDAL writes here.",
                                         .examples = {"\"scene_cog.tif\""},
                                         .required_output = true};
const arg<std::optional<std::string>> driver_wanted{
    .name = "driver",
    .about = "GDAL driver, for example GTiff for a plain tiled GeoTIFF. Default: from the extension; COG for .tif.",
    .examples = {"\"GTiff\""}};
const arg<std::optional<gdalmcp::choice>> compression{
    .name = "compression",
    .about =
        "GeoTIFF and COG only. ZSTD, DEFLATE, LZW, LZMA, PACKBITS, NONE return every value exactly; LERC exactly or "
        "within "
        "max_error; JPEG and WEBP change values and are for pictures. Default: ZSTD, or DEFLATE where missing.",
    .values = {"ZSTD", "DEFLATE", "LZW", "LZMA", "PACKBITS", "LERC", "LERC_DEFLATE", "LERC_ZSTD", "JPEG", "WEBP",
               "NONE"}};
const arg<std::optional<double>> quality{
    .name = "quality",
    .about = "JPEG and WEBP: 1 (small) to 100 (good; WEBP 100 is exact). Default: 75.",
    .min = 1,
    .max = 100};
const arg<std::optional<double>> max_error{.name = "max_error",
                                           .about = "LERC: largest change of a stored value. Default: 0, exact.",
                                           .unit = "units of the stored values",
                                           .min = 0};
const arg<std::optional<bool>> tiled{.name = "tiled",
                                     .about = "Store in tiles (true) or strips. COG is always tiled. Default: true."};
const arg<std::optional<std::int64_t>> block_size{
    .name = "block_size",
    .about = "Side of a tile, a multiple of 16. Default: 512 for COG, 256 for GTiff.",
    .unit = "cells",
    .min = 64,
    .max = 4096};
const arg<std::optional<bool>> overviews{
    .name = "overviews",
    .about = "Build overviews (halved copies for zooming out). Default: true for COG, false else."};
const arg<std::optional<gdalmcp::choice>> overview_method{
    .name = "overview_resampling",
    .about =
        "How overviews are made. Default by kind: mode for classes (palette, category names, or codes by look), "
        "average for "
        "measurements.",
    .values = {"nearest", "average", "mode", "rms", "bilinear", "cubic", "cubic_spline", "lanczos"}};
const arg<std::optional<gdalmcp::choice>> dtype_wanted{
    .name = "dtype",
    .about =
        "Data type of the result. Values it cannot hold are refused with their number unless 'scale' maps them. "
        "Default: as "
        "it is.",
    .values = {"Byte", "UInt16", "Int16", "UInt32", "Int32", "Float32", "Float64"}};
const arg<std::optional<double>> nodata_wanted{
    .name = "nodata",
    .about =
        "Nodata value of the result; cells without data get it. Where the source marks nothing, it declares that "
        "cells of this value are missing. Default: the source's."};
const arg<std::optional<std::vector<double>>> scale_wanted{
    .name = "scale",
    .about = "[from, to, new_from, new_to]: maps values linearly and clamps to the ends. Default: none.",
    .examples = {"[0, 10000, 0, 255]"},
    .min_items = 4,
    .max_items = 4};
const arg<bool> unscale{
    .name = "unscale",
    .about =
        "Apply the bands' scale and offset: stored values become real ones, Float64 unless 'dtype' says "
        "otherwise. Default false.",
    .fallback = false};
const arg<std::optional<std::vector<std::string>>> creation_options{
    .name = "creation_options",
    .about = "Further options of the driver, KEY=VALUE, after those of the other arguments. Default: none.",
    .examples = {"[\"NUM_THREADS=ALL_CPUS\"]"}};

const field<std::string> driver_used{"driver", "GDAL driver"};
const field<std::string> compression_used{"compression",
                                          "Compression; 'driver default' for formats other than GeoTIFF"};
const field<bool> lossless_field{"lossless", "Every valid cell has exactly the value it had in the source"};
const field<std::int64_t> changed{"changed_cells", "Valid cells whose value was changed by dtype, scale or unscale",
                                  "cells"};
const field<std::int64_t> size_bytes{"size_bytes", "Size of the written file", "bytes"};
const field<std::int64_t> source_bytes{"source_size_bytes", "Size of the source file", "bytes"};
const field<std::vector<std::string>> overviews_built{"overviews_built", "Sizes of the overviews, columns×rows",
                                                      "cells"};
const auto overview_resampling_used =
    field<std::string>{"overview_resampling", "How overviews were made, where there are any"}.optional();
const field<std::string> kind_field{"kind", "classes or continuous; decides how overviews are made"};
const field<std::int64_t> band_count{"count", "Bands"};
const field<std::string> dtype{"dtype", "Data type of the bands"};
const auto nodata = field<double>{"nodata", "Nodata value; left out when there is none or it is NaN"}.optional();
const field<std::vector<std::string>> options_used{"creation_options", "Options given to the driver"};

bool is(GDALDriver& d, const char* name) { return EQUAL(d.GetDescription(), name); }
bool geotiff(GDALDriver& d) { return is(d, "GTiff") || is(d, "COG"); }

GDALDriver& target_driver(gdalmcp::call& call) {
    if (const auto name = call[driver_wanted]) return driver_for(call[target].path, *name);
    auto& byextension = driver_for(call[target].path);
    return is(byextension, "GTiff") ? driver_for(call[target].path, "COG") : byextension;
}

// The bands asked for, in their order, as a view of the source.
gdal::dataset_ptr view_of(GDALDataset& source, const std::vector<int>& numbers) {
    gdal::words words{"-of", "VRT"};
    for (const int b : numbers) words.add("-b", std::to_string(b));
    const std::unique_ptr<GDALTranslateOptions, decltype(&GDALTranslateOptionsFree)> options{
        GDALTranslateOptionsNew(words.get(), nullptr), &GDALTranslateOptionsFree};
    int usage_error = 0;
    gdal::dataset_ptr view{
        GDALDataset::FromHandle(GDALTranslate("", GDALDataset::ToHandle(&source), options.get(), &usage_error))};
    if (!view) gdal::raise("cannot read the bands of " + std::string{source.GetDescription()});
    return view;
}

recoding recoding_of(gdalmcp::call& call, GDALDataset& cells) {
    recoding r;
    if (const auto name = call[dtype_wanted]) {
        const auto type = GDALGetDataTypeByName(name->value.c_str());
        if (type != cells.GetRasterBand(1)->GetRasterDataType()) r.type = type;
    }
    if (const auto s = call[scale_wanted]) {
        if ((*s)[0] == (*s)[1])
            throw error{GDALMCP_INVALID_ARGUMENT, "'scale' maps from " + gdal::number_text((*s)[0]) + " to itself",
                        "give [from, to, new_from, new_to] with from ≠ to"};
        r.scale = {{(*s)[0], (*s)[1], (*s)[2], (*s)[3]}};
    }
    r.unscale = call[unscale];
    int has = 0;
    const double own = cells.GetRasterBand(1)->GetNoDataValue(&has);
    if (const auto n = call[nodata_wanted]; n && !(has && own == *n)) r.nodata = n;
    return r;
}

packing packing_of(gdalmcp::call& call, GDALDriver& driver, GDALDataset& cells, kind k) {
    packing p;
    const auto asked = call[compression];
    if (!geotiff(driver)) {
        if (asked || call[quality] || call[max_error] || call[tiled] || call[block_size])
            throw error{
                GDALMCP_INVALID_ARGUMENT,
                std::string{
                    "compression, quality, max_error, tiled and block_size are for GeoTIFF, but the format is "} +
                    driver.GetDescription(),
                "give the driver's own options in 'creation_options', or end 'output' in .tif"};
        return p;
    }
    p.method = asked ? asked->value : default_compression(driver);
    p.quality = call[quality];
    p.max_error = call[max_error];
    p.classes = k == kind::classes;
    check_packing(p, driver, cells);
    return p;
}

std::vector<std::string> layout_options(gdalmcp::call& call, GDALDriver& driver) {
    std::vector<std::string> o;
    const auto side = call[block_size];
    if (side && *side % 16 != 0)
        throw error{GDALMCP_INVALID_ARGUMENT, "'block_size' " + std::to_string(*side) + " is not a multiple of 16",
                    "use 256 or 512"};
    if (is(driver, "COG")) {
        if (!call[tiled].value_or(true))
            throw error{GDALMCP_INVALID_ARGUMENT, "a COG is always tiled, but 'tiled' is false",
                        "set \"driver\": \"GTiff\""};
        o.push_back("BIGTIFF=IF_SAFER");
        if (side) o.push_back("BLOCKSIZE=" + std::to_string(*side));
    } else if (is(driver, "GTiff")) {
        o.push_back("BIGTIFF=IF_SAFER");
        const bool tiles = call[tiled].value_or(true);
        if (tiles) o.push_back("TILED=YES");
        if (side) o.push_back("BLOCKYSIZE=" + std::to_string(*side));
        if (side && tiles) o.push_back("BLOCKXSIZE=" + std::to_string(*side));
    }
    return o;
}

// What the format needs in order not to lose anything, unless the caller says otherwise.
std::vector<std::string> faithful_options(GDALDriver& driver) {
    if (is(driver, "JP2OpenJPEG")) return {"REVERSIBLE=YES", "QUALITY=100"};
    if (is(driver, "WEBP")) return {"LOSSLESS=YES"};
    return {};
}

std::string gdal_spelling(const std::string& method) {
    std::string s;
    for (const char c : method)
        if (c != '_') s += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return s;
}

// The same cells, band by band; formats that cannot be read back the same way are not lossless.
bool same_cells(GDALDataset& a, GDALDataset& b, const std::function<void(double)>& report) {
    if (a.GetRasterCount() != b.GetRasterCount()) return false;
    std::vector<double> p, q;
    std::vector<unsigned char> p_valid, q_valid;
    const window w{0, 0, a.GetRasterXSize(), a.GetRasterYSize()};
    const int n = a.GetRasterCount(), step = strip_rows(w);
    for (int i = 1; i <= n; ++i)
        for (int row = 0; row < w.height; row += step) {
            report((i - 1 + static_cast<double>(row) / w.height) / n);
            const int rows = std::min(step, w.height - row);
            read_strip(*a.GetRasterBand(i), w, row, rows, p, p_valid);
            read_strip(*b.GetRasterBand(i), w, row, rows, q, q_valid);
            for (std::size_t k = 0; k < p.size(); ++k)
                if ((p_valid[k] != 0) != (q_valid[k] != 0) ||
                    (p_valid[k] && p[k] != q[k] && !(std::isnan(p[k]) && std::isnan(q[k]))))
                    return false;
        }
    return true;
}

void warn_of_lost_facts(gdalmcp::call& call, GDALDataset& before, GDALDataset& after) {
    const std::string format = after.GetDriver()->GetDescription();
    const auto lost = [&](bool is_lost, const std::string& what) {
        if (is_lost) call.warn(format + " did not keep " + what);
    };
    const grid g = grid_of(before), h = grid_of(after);
    lost(!g.crs.IsEmpty() && (h.crs.IsEmpty() || !gdal::detail::coincide(g.crs, h.crs)),
         "the CRS " + gdal::crs_text(g.crs));
    bool moved = g.georeferenced != h.georeferenced;
    for (std::size_t i = 0; i < 6; ++i)
        moved = moved || std::abs(g.geotransform[i] - h.geotransform[i]) > 1e-6 * g.cell_width();
    lost(g.georeferenced && moved, "the geotransform");
    const bool masked = after.GetRasterBand(1)->GetMaskFlags() == GMF_PER_DATASET &&
                        before.GetRasterBand(before.GetRasterCount())->GetColorInterpretation() == GCI_AlphaBand;
    if (before.GetRasterCount() == after.GetRasterCount() + 1 && masked)
        call.warn(
            "with this compression the alpha band is stored as a mask: " + std::to_string(after.GetRasterCount()) +
            " bands and a mask instead of " + std::to_string(before.GetRasterCount()) + " bands");
    else
        lost(before.GetRasterCount() != after.GetRasterCount(), "all bands");
    for (int i = 1; i <= std::min(before.GetRasterCount(), after.GetRasterCount()); ++i) {
        auto &a = *before.GetRasterBand(i), &b = *after.GetRasterBand(i);
        const std::string band = " of band " + std::to_string(i);
        int has = 0, kept = 0;
        const double u = a.GetNoDataValue(&has), v = b.GetNoDataValue(&kept);
        lost(has && (!kept || (u != v && !(std::isnan(u) && std::isnan(v)))), "the nodata value" + band);
        lost(a.GetRasterDataType() != b.GetRasterDataType(),
             std::string{"the data type "} + dtype_name(a.GetRasterDataType()) + band);
        lost(a.GetScale() != b.GetScale() || a.GetOffset() != b.GetOffset(), "scale and offset" + band);
        lost(a.GetColorTable() && !b.GetColorTable(), "the palette" + band);
        lost(a.GetCategoryNames() && !b.GetCategoryNames(), "the category names" + band);
        lost(a.GetDescription()[0] && !EQUAL(a.GetDescription(), b.GetDescription()), "the name" + band);
        lost(a.GetUnitType()[0] && !EQUAL(a.GetUnitType(), b.GetUnitType()), "the unit" + band);
    }
}

std::int64_t size_of(const std::string& path) {
    VSIStatBufL stat{};
    return VSIStatL(path.c_str(), &stat) == 0 ? static_cast<std::int64_t>(stat.st_size) : 0;
}

gdal::dataset_ptr write(gdalmcp::call& call, GDALDataset& cells, GDALDriver& driver,
                        const std::vector<std::string>& options, const std::string& method) {
    const auto path = call[target].path;
    gdal::words words;
    for (const auto& o : options) words.add(o);
    gdal::step part{call, 0.3, 0.8};
    // Some drivers write at close, COG among them while copying; both are inside this step.
    gdal::dataset_ptr out{driver.CreateCopy(path.c_str(), &cells, FALSE, words.get(), gdal::step::report, &part)};
    if (!out || CPLGetLastErrorType() == CE_Failure) {
        call.progress(0.8);  // the reason may be that the call was cancelled
        gdal::raise("cannot write " + path + " as " + driver.GetDescription(),
                    "choose another format or 'dtype'; raster_info tells what the source holds");
    }
    out.reset();
    if (!method.empty() && !is(driver, "COG")) {
        const gdal::dataset_ptr open{GDALDataset::Open(path.c_str(), GDAL_OF_RASTER | GDAL_OF_UPDATE)};
        std::vector<int> levels;
        for (int f = 2; std::max(cells.GetRasterXSize(), cells.GetRasterYSize()) / f >= 128; f *= 2)
            levels.push_back(f);
        gdal::step tail{call, 0.8, 0.9};
        if (!open ||
            (!levels.empty() && open->BuildOverviews(method.c_str(), static_cast<int>(levels.size()), levels.data(), 0,
                                                     nullptr, gdal::step::report, &tail, nullptr) != CE_None)) {
            call.progress(0.9);
            gdal::raise("cannot build overviews in " + path, "set \"overviews\": false");
        }
    }
    return gdal::open(gdalmcp::raster{path});
}

void put_result(gdalmcp::call& call, GDALDataset& out, kind k, const std::string& method) {
    auto& first = *out.GetRasterBand(1);
    std::vector<std::string> sizes;
    for (int i = 0; i < first.GetOverviewCount(); ++i)
        sizes.push_back(std::to_string(first.GetOverview(i)->GetXSize()) + "×" +
                        std::to_string(first.GetOverview(i)->GetYSize()));
    call.put(overviews_built, sizes);
    if (!sizes.empty() && !method.empty()) call.put(overview_resampling_used, method);
    call.put(kind_field, std::string{k == kind::classes ? "classes" : "continuous"});
    call.put(width, out.GetRasterXSize());
    call.put(height, out.GetRasterYSize());
    call.put(band_count, out.GetRasterCount());
    call.put(dtype, std::string{dtype_name(first.GetRasterDataType())});
    int has = 0;
    if (const double v = first.GetNoDataValue(&has); has && std::isfinite(v)) call.put(nodata, v);
    crs.put(call, grid_of(out).crs);
}

void run(gdalmcp::call& call) {
    const auto source = open_raster(call[uri], call[subdataset]);
    auto& driver = target_driver(call);
    const auto numbers = band_numbers(*source, call[bands]);
    const auto view = view_of(*source, numbers);
    const kind k = kind_of(*source->GetRasterBand(numbers.front()));
    const auto how = recoding_of(call, *view);
    recoded cells;
    if (how.changes())
        cells = recode(*view, how, call.new_scratch("recoded", ".tif"),
                       [&](double f) { call.progress(0.3 * f, "recoding"); });
    auto& ready = cells.dataset ? *cells.dataset : *view;

    const auto p = packing_of(call, driver, ready, k);
    const bool with_overviews = call[overviews].value_or(is(driver, "COG"));
    const auto asked = call[overview_method];
    const std::string method = asked ? gdal_spelling(asked->value) : overview_resampling(k);
    if (k == kind::classes && with_overviews && method != "MODE" && method != "NEAREST")
        call.warn("the values look like classes, and overviews by " + method + " show classes that are not there");
    std::vector<std::string> options = layout_options(call, driver);
    if (!p.method.empty())
        for (const auto& o : packing_options(p, driver, ready.GetRasterBand(1)->GetRasterDataType()))
            options.push_back(o);
    if (is(driver, "COG")) {
        // The source's own overviews may have been made in another way.
        options.push_back(with_overviews ? "OVERVIEWS=IGNORE_EXISTING" : "OVERVIEWS=NONE");
        if (with_overviews) options.push_back("OVERVIEW_RESAMPLING=" + method);
        options.push_back(std::string{"NUM_THREADS="} + CPLGetConfigOption("GDAL_NUM_THREADS", "ALL_CPUS"));
    }
    for (const auto& o : faithful_options(driver)) options.push_back(o);
    for (const auto& o : call[creation_options].value_or(std::vector<std::string>{})) {
        if (o.find('=') == std::string::npos)
            throw error{GDALMCP_INVALID_ARGUMENT, "creation option '" + o + "' is not KEY=VALUE",
                        "write it as KEY=VALUE"};
        options.push_back(o);
    }

    const auto written = write(call, ready, driver, options, with_overviews ? method : std::string{});
    const bool exact = same_cells(ready, *written, [&](double f) { call.progress(0.9 + 0.1 * f, "reading back"); });
    if (!exact && geotiff(driver) && lossless(p) && call[creation_options].value_or(std::vector<std::string>{}).empty())
        throw error{GDALMCP_INTERNAL,
                    "cells read back from " + call[target].path + " differ, although " + p.method + " is lossless",
                    "try another 'compression'"};
    warn_of_lost_facts(call, ready, *written);
    if (cells.declared)
        call.warn(std::to_string(cells.declared) + " cells have the value declared as nodata and count as missing now");
    if (cells.changed)
        call.warn(std::to_string(cells.changed) + " valid cells changed their value by dtype, scale or unscale");
    if (!exact) call.warn("the format or compression changed values; keep the source for measuring");
    call.put(driver_used, std::string{driver.GetDescription()});
    call.put(compression_used, p.method.empty() ? std::string{"driver default"} : p.method);
    call.put(lossless_field, exact && cells.changed == 0);
    call.put(changed, cells.changed);
    call.put(size_bytes, size_of(call[target].path));
    call.put(source_bytes, size_of(call[uri].path));
    call.put(options_used, options);
    put_result(call, *written, k, with_overviews ? method : std::string{});
    call.expect(target, "{\"width\":" + std::to_string(ready.GetRasterXSize()) +
                            ",\"height\":" + std::to_string(ready.GetRasterYSize()) +
                            ",\"bands\":" + std::to_string(written->GetRasterCount()) + "}");
    call.say(std::string{driver.GetDescription()} + (p.method.empty() ? "" : ", " + p.method) + ", " +
             std::to_string(size_of(call[target].path)) + " bytes" +
             (exact && cells.changed == 0 ? ", lossless" : ", not lossless"));
}

}  // namespace

const gdalmcp::tool raster_convert{
    {"raster_convert", "Convert raster",
     "Writes a raster in another format, compression or data type. .tif becomes a Cloud Optimized GeoTIFF, compressed "
     "without "
     "loss, with overviews by mode for classes and by average for measurements. The result says whether every value "
     "returned "
     "exactly (read back and compared) and warns of facts the format does not keep. A dtype that cannot hold the "
     "values is "
     "refused with their number unless 'scale' maps them. JPEG and WEBP are for pictures only.",
     GDALMCP_DESTRUCTIVE | GDALMCP_IDEMPOTENT},
    run,
    {uri, target, driver_wanted, compression, quality, max_error, tiled, block_size, overviews, overview_method,
     dtype_wanted, nodata_wanted, scale_wanted, unscale, bands, creation_options, subdataset, overwrite},
    {driver_used, compression_used, lossless_field, changed, size_bytes, source_bytes, overviews_built,
     overview_resampling_used, kind_field, width, height, band_count, dtype, nodata, crs.all, options_used}};

}  // namespace gdalmcp_raster
