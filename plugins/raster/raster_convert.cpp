#include "convert_arguments.hpp"
#include "convert_options.hpp"
#include "fidelity.hpp"
#include "format.hpp"
#include "kind.hpp"
#include "raster_tools.hpp"
#include "recoding.hpp"

#include <gdal_alg.h>
#include <gdal_utils.h>

namespace gdalmcp_raster {
namespace {

using namespace conversion;
using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

// A COG, unless the call says something that only a plain GeoTIFF can be.
GDALDriver& target_driver(gdalmcp::call& call) {
    const auto& path = call[target].path;
    if (const auto name = call[driver_wanted]) return driver_for(path, *name);
    auto& by_extension = driver_for(path);
    if (!is(by_extension, "GTiff")) return by_extension;
    auto& cog = driver_for(path, "COG");
    bool plain = !call[tiled].value_or(true);
    for (const auto& o : call[options_given].value_or(std::vector<std::string>{})) {
        const auto name = o.substr(0, o.find('='));
        plain = plain || (!has_option(cog, name) && has_option(by_extension, name));
    }
    return plain ? by_extension : cog;
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

std::int64_t size_of(const std::string& path) {
    VSIStatBufL stat{};
    return VSIStatL(path.c_str(), &stat) == 0 ? static_cast<std::int64_t>(stat.st_size) : 0;
}

// Some drivers clip what they have no type for, with no more than a warning.
void check_types(GDALDriver& driver, GDALDataset& cells) {
    for (auto&& band : cells.GetBands()) {
        const auto first = cells.GetRasterBand(1)->GetRasterDataType(), type = band->GetRasterDataType();
        if (!geotiff(driver) || type == first) continue;
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "band 1 is " + std::string{dtype_name(first)} + ", but band " + std::to_string(band->GetBand()) +
                        " is " + dtype_name(type) + "; a GeoTIFF has one type for all bands",
                    "give \"dtype\": \"" + std::string{dtype_name(GDALDataTypeUnion(first, type))} +
                        "\", or choose 'bands' of one type"};
    }
    const char* list = driver.GetMetadataItem(GDAL_DMD_CREATIONDATATYPES);
    // GeoTIFF has every type, though it does not list all; the text of an ASCII grid holds any number.
    if (!list || geotiff(driver) || is(driver, "AAIGrid")) return;
    const CPLStringList types{CSLTokenizeString(list)};
    for (auto&& band : cells.GetBands()) {
        const auto type = band->GetRasterDataType();
        bool held = false;
        for (int i = 0; i < types.Count(); ++i) {
            const auto t = GDALGetDataTypeByName(types[i]);
            held = held || (t != GDT_Unknown && GDALDataTypeUnion(t, type) == t);
        }
        if (held) continue;
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::string{driver.GetDescription()} + " stores " + list + ", but band " +
                        std::to_string(band->GetBand()) + " is " + dtype_name(type),
                    "give 'dtype', with 'scale' where the values do not fit, or end 'output' in .tif"};
    }
}

// While it lives, keeps the first failure of GDAL's: what follows from it, such as a file that ends too early, is no
// reason. Warnings go to the call, where they would have gone.
class first_failure {
public:
    explicit first_failure(gdalmcp::call& call) : call_{call} { CPLPushErrorHandlerEx(&first_failure::keep, this); }
    ~first_failure() { CPLPopErrorHandler(); }
    first_failure(const first_failure&) = delete;
    first_failure& operator=(const first_failure&) = delete;
    // Makes it GDAL's last word again.
    void restore() const {
        if (!message_.empty()) CPLErrorSetState(CE_Failure, number_, message_.c_str());
    }

private:
    static void CPL_STDCALL keep(CPLErr level, CPLErrorNum number, const char* message) {
        auto& self = *static_cast<first_failure*>(CPLGetErrorHandlerUserData());
        if (level == CE_Warning) self.call_.warn(message);
        if (level != CE_Failure || !self.message_.empty()) return;
        self.number_ = number;
        self.message_ = message;
    }
    gdalmcp::call& call_;
    CPLErrorNum number_ = 0;
    std::string message_;
};

constexpr int smallest_halved = 256;  // cells of the longer side

void build_overviews(gdalmcp::call& call, GDALDataset& cells, pyramid p) {
    const auto& path = call[target].path;
    const int side = std::max(cells.GetRasterXSize(), cells.GetRasterYSize());
    if (p.factors.empty())
        for (int f = 2; side / f >= smallest_halved / 2; f *= 2) p.factors.push_back(f);
    if (p.factors.empty()) return;
    const gdal::dataset_ptr open{GDALDataset::Open(path.c_str(), GDAL_OF_RASTER | GDAL_OF_UPDATE)};
    gdal::step tail{call, 0.8, 0.9};
    if (!open || open->BuildOverviews(p.method.c_str(), static_cast<int>(p.factors.size()), p.factors.data(), 0,
                                      nullptr, gdal::step::report, &tail, nullptr) != CE_None) {
        call.progress(0.9);
        gdal::raise(std::string{"cannot build overviews in "} + CPLGetFilename(path.c_str()),
                    "set \"overviews\": false");
    }
}

gdal::dataset_ptr write(gdalmcp::call& call, GDALDataset& cells, GDALDriver& driver,
                        const std::vector<std::string>& options, const pyramid& p) {
    const auto path = call[target].path;
    gdal::words words;
    for (const auto& o : options) words.add(o);
    gdal::step part{call, 0.3, 0.8};
    // Some drivers write at close, COG among them while copying; both are inside this step.
    const first_failure reason{call};
    gdal::dataset_ptr out{driver.CreateCopy(path.c_str(), &cells, FALSE, words.get(), gdal::step::report, &part)};
    if (!out || CPLGetLastErrorType() == CE_Failure) {
        call.progress(0.8);  // the reason may be that the call was cancelled
        reason.restore();
        gdal::raise(std::string{"cannot write "} + CPLGetFilename(path.c_str()) + " as " + driver.GetDescription(),
                    "choose another format or 'dtype'; raster_info tells what the source holds");
    }
    out.reset();
    if (p.wanted && !is(driver, "COG")) build_overviews(call, cells, p);
    auto written = gdal::open(gdalmcp::raster{path});
    if (written->GetRasterCount() == 0)
        throw error{GDALMCP_UNSUPPORTED,
                    std::string{driver.GetDescription()} + " stores each of the " +
                        std::to_string(cells.GetRasterCount()) + " bands as a raster of its own",
                    "write one band with 'bands', or all to a .tif"};
    const auto size = [](GDALDataset& d) {
        return std::to_string(d.GetRasterXSize()) + " × " + std::to_string(d.GetRasterYSize());
    };
    if (size(cells) != size(*written))
        throw error{GDALMCP_UNSUPPORTED,
                    std::string{driver.GetDescription()} + " made " + size(*written) + " cells of " + size(cells) +
                        ": it moves the cells to a grid of its own",
                    "use raster_reproject for that, or write a .tif"};
    return written;
}

// What became of the values, in words and figures that agree.
bool put_fidelity(gdalmcp::call& call, const fidelity& f, std::int64_t declared, const std::string& format,
                  bool all_bands) {
    const auto hidden = std::max<std::int64_t>(0, f.hidden - declared);
    const auto cells = [](std::int64_t n) { return std::to_string(n) + (n == 1 ? " cell" : " cells"); };
    if (declared) call.warn(cells(declared) + " with the value declared as nodata count as missing now");
    if (f.changed) call.warn(cells(f.changed) + " changed their value; keep the source for measuring");
    if (hidden) call.warn(cells(hidden) + " with data in the source count as missing now");
    if (f.revived)
        call.warn(cells(f.revived) + " without data in the source have a value now: " + format +
                  " does not mark them as the source does");
    const bool lossless = all_bands && f.changed == 0 && hidden == 0 && f.revived == 0;
    call.put(lossless_field, lossless);
    call.put(changed, f.changed + hidden + f.revived);
    return lossless;
}

void put_result(gdalmcp::call& call, GDALDataset& out, kind k, const pyramid& p) {
    auto& first = *out.GetRasterBand(1);
    std::vector<std::string> sizes;
    for (int i = 0; i < first.GetOverviewCount(); ++i)
        sizes.push_back(std::to_string(first.GetOverview(i)->GetXSize()) + "×" +
                        std::to_string(first.GetOverview(i)->GetYSize()));
    call.put(overviews_built, sizes);
    if (!sizes.empty() && p.wanted) call.put(overview_resampling_used, p.method);
    if (sizes.empty() && call[overviews] && p.wanted)
        call.warn("no overviews were built: the raster of " + std::to_string(out.GetRasterXSize()) + " × " +
                  std::to_string(out.GetRasterYSize()) +
                  " cells is too small to need any; \"overviews\": [2] builds one all the same");
    call.put(kind_field, std::string{k == kind::classes ? "classes" : "continuous"});
    call.put(width, out.GetRasterXSize());
    call.put(height, out.GetRasterYSize());
    call.put(band_count, out.GetRasterCount());
    call.put(dtype, std::string{gdal::stored_type_name(first)});
    int has = 0;
    if (const double v = first.GetNoDataValue(&has); has && std::isfinite(v)) call.put(nodata, v);
    crs.put(call, grid_of(out).crs);
}

// How the values are packed, in the driver's word.
std::string compression_name(GDALDriver& driver, const packing& p, const creation_options& extra) {
    if (geotiff(driver)) return p.method;
    for (const char* option : {"COMPRESS", "COMPRESSION", "IC", "TILE_FORMAT"})
        if (const auto v = extra.get(option)) return *v;
    return "driver default";
}

// A lossless method that changed values anyhow: by an option that leaves them too few bits, or by a fault.
void refuse_change(gdalmcp::call& call, std::int64_t n, const std::string& method, const creation_options& extra) {
    if (const auto bits = extra.get("NBITS"))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "creation option NBITS=" + *bits + " cannot hold " + std::to_string(n) + " of the cells",
                    "leave it out, or map the values with 'scale' and 'dtype' first"};
    if (!method.empty())
        throw error{GDALMCP_INTERNAL,
                    std::to_string(n) + " cells read back from " + CPLGetFilename(call[target].path.c_str()) +
                        " differ, although " + method + " is lossless",
                    "try another 'compression', without 'creation_options'"};
}

void run(gdalmcp::call& call) {
    const auto source = open_raster(call[uri], call[subdataset]);
    auto& driver = target_driver(call);
    creation_options extra{driver, call[options_given].value_or(std::vector<std::string>{})};
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
        defaults = faithful_options(call, driver, extra, *view);
    }
    const auto overviews_wanted = pyramid_of(call, driver, *view, k);
    recoded cells;
    if (how.changes())
        cells = recode(*view, how, call.new_scratch("recoded", ".tif"),
                       [&](double f) { call.progress(0.3 * f, "recoding"); });
    auto& ready = cells.dataset ? *cells.dataset : *view;
    if (geotiff(driver)) {
        check_packing(p, driver, ready);
        p.fewer_bits = extra.get("NBITS").has_value();
        for (const auto& o : packing_options(p, driver, ready.GetRasterBand(1)->GetRasterDataType()))
            defaults.push_back(o);
    }
    if (is(driver, "COG")) {
        for (const auto& o : cog_overviews(overviews_wanted)) defaults.push_back(o);
        defaults.push_back(std::string{"NUM_THREADS="} + CPLGetConfigOption("GDAL_NUM_THREADS", "ALL_CPUS"));
    }
    const auto options = extra.over(defaults);
    check_types(driver, ready);

    const auto written = write(call, ready, driver, options, overviews_wanted);
    const auto read_back = [&](GDALDataset& before, double from, double to) {
        return compare(before, *written, [&](double f) { call.progress(from + (to - from) * f, "reading back"); });
    };
    const bool promised = geotiff(driver) && lossless(p);
    if (promised || extra.get("NBITS"))
        if (const auto f = read_back(ready, 0.9, 0.95); f.changed)
            refuse_change(call, f.changed, promised ? p.method : std::string{}, extra);
    const auto kept = read_back(*view, 0.95, 1);
    for (const auto& fact : lost_facts(ready, *written))
        call.warn(std::string{driver.GetDescription()} + " did not keep " + fact);
    const bool mask = alpha_became_mask(ready, *written);
    if (mask)
        call.warn(
            "with this compression the alpha band is stored as a mask: " + std::to_string(written->GetRasterCount()) +
            " bands and a mask instead of " + std::to_string(ready.GetRasterCount()) + " bands");
    call.put(driver_used, std::string{driver.GetDescription()});
    const auto packed = compression_name(driver, p, extra);
    call.put(compression_used, packed);
    const bool exact = put_fidelity(call, kept, cells.declared, driver.GetDescription(),
                                    written->GetRasterCount() == view->GetRasterCount());
    call.put(size_bytes, size_of(call[target].path));
    call.put(source_bytes, size_of(call[uri].path));
    call.put(options_used, options);
    put_result(call, *written, k, overviews_wanted);
    call.expect(target, "{\"width\":" + std::to_string(ready.GetRasterXSize()) +
                            ",\"height\":" + std::to_string(ready.GetRasterYSize()) +
                            ",\"bands\":" + std::to_string(written->GetRasterCount()) + "}");
    call.say(std::string{driver.GetDescription()} + (packed == "driver default" ? "" : ", " + packed) + ", " +
             std::to_string(size_of(call[target].path)) + " bytes" + (exact ? ", lossless" : ", not lossless"));
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
     dtype_wanted, nodata_wanted, scale_wanted, unscale, bands, options_given, subdataset, overwrite},
    {driver_used, compression_used, lossless_field, changed, size_bytes, source_bytes, overviews_built,
     overview_resampling_used, kind_field, width, height, band_count, dtype, nodata, crs.all, options_used}};

}  // namespace gdalmcp_raster
