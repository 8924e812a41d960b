#include "gdal_compression.hpp"

#include <gdalmcp/gdal.hpp>

namespace gdalmcp_raster {

using gdalmcp::error;

namespace {

bool offers(GDALDriver& driver, const std::string& method) {
    const char* list = driver.GetMetadataItem(GDAL_DMD_CREATIONOPTIONLIST);
    return list && std::string{list}.find("<Value>" + method + "</Value>") != std::string::npos;
}

bool is_jpeg(const packing& p) { return p.method == "JPEG"; }
bool is_webp(const packing& p) { return p.method == "WEBP"; }
bool is_lerc(const packing& p) { return p.method.compare(0, 4, "LERC") == 0; }
bool is_cog(GDALDriver& d) { return EQUAL(d.GetDescription(), "COG"); }

}  // namespace

std::string default_compression(GDALDriver& driver) { return offers(driver, "ZSTD") ? "ZSTD" : "DEFLATE"; }

void check_packing(const packing& p, GDALDriver& driver, GDALDataset& cells) {
    const auto refuse = [](std::string message, std::string hint) {
        throw error{GDALMCP_INVALID_ARGUMENT, std::move(message), std::move(hint)};
    };
    if (p.method != "NONE" && !offers(driver, p.method))
        throw error{GDALMCP_UNSUPPORTED,
                    std::string{"the "} + driver.GetDescription() + " driver has no " + p.method + " here",
                    "use " + default_compression(driver) + " or DEFLATE"};
    if (p.quality && !is_jpeg(p) && !is_webp(p))
        refuse("'quality' is given, but " + p.method + " has none", "leave it out, or choose JPEG or WEBP");
    if (p.max_error && !is_lerc(p))
        refuse("'max_error' is given, but " + p.method + " has none", "leave it out, or choose LERC");
    auto& first = *cells.GetRasterBand(1);
    const auto type = first.GetRasterDataType();
    const std::string what = std::to_string(cells.GetRasterCount()) + " band(s) of " + GDALGetDataTypeName(type);
    const bool pictures = type == GDT_Byte && !first.GetColorTable();
    if (is_jpeg(p) && !pictures)
        refuse("JPEG packs bytes without palette, but the raster is " + what +
                   (first.GetColorTable() ? " with a palette" : ""),
               "use ZSTD or DEFLATE, or LERC with 'max_error' for measurements");
    if (is_webp(p) && (!pictures || cells.GetRasterCount() < 3 || cells.GetRasterCount() > 4))
        refuse("WEBP packs 3 or 4 bands of bytes, but the raster has " + what, "use ZSTD or DEFLATE");
}

void check_method_options(const packing& p, GDALDriver& driver, const creation_options& extra) {
    static const std::vector<std::pair<const char*, std::vector<const char*>>> uses = {
        {"ZLEVEL", {"DEFLATE", "LERC_DEFLATE"}},
        {"ZSTD_LEVEL", {"ZSTD", "LERC_ZSTD"}},
        {"LZMA_PRESET", {"LZMA"}},
        {"JPEG_QUALITY", {"JPEG"}},
        {"JPEGTABLESMODE", {"JPEG"}},
        {"WEBP_LEVEL", {"WEBP"}},
        {"WEBP_LOSSLESS", {"WEBP"}},
        {"LEVEL", {"DEFLATE", "ZSTD", "LZMA", "LERC_DEFLATE", "LERC_ZSTD"}},
        {"PREDICTOR", {"LZW", "DEFLATE", "ZSTD"}}};
    for (const auto& [option, methods] : uses) {
        if (!extra.get(option)) continue;
        std::string all;
        bool used = false;
        for (const char* m : methods) {
            used = used || p.method == m;
            all += (all.empty() ? "" : ", ") + std::string{m};
        }
        if (!used)
            throw error{
                GDALMCP_INVALID_ARGUMENT,
                std::string{"creation option "} + option + " is for " + all + ", but the compression is " + p.method,
                "leave it out, or choose a 'compression' that uses it"};
    }
    const auto below = extra.get("OVERVIEW_COMPRESS");
    const packing overviews{below.value_or(p.method), {}, {}};
    if (below && *below != p.method && (is_jpeg(overviews) || is_webp(overviews) || is_lerc(overviews)))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "creation option OVERVIEW_COMPRESS=" + *below + " changes values in overviews of a raster that " +
                        driver.GetDescription() + " stores by " + p.method,
                    "leave it out, or choose a lossless one"};
}

bool lossless(const packing& p) {
    if (is_jpeg(p)) return false;
    if (is_webp(p)) return p.quality.value_or(75) >= 100;
    const double error = p.max_error.value_or(0);
    return !is_lerc(p) || error == 0 || (p.whole_numbers && error < 1);
}

std::vector<std::string> packing_options(const packing& p, GDALDriver& driver, GDALDataType type) {
    std::vector<std::string> o{"COMPRESS=" + p.method};
    const bool cog = is_cog(driver);
    const auto number = [](double v) { return gdalmcp::detail::number(v); };
    const bool predictable = p.method == "LZW" || p.method == "DEFLATE" || p.method == "ZSTD";
    if (predictable && !p.classes && !p.fewer_bits && !GDALDataTypeIsComplex(type))
        o.push_back(cog ? "PREDICTOR=YES" : GDALDataTypeIsFloating(type) ? "PREDICTOR=3" : "PREDICTOR=2");
    // Two fifths of the processor time of GDAL's level 9, for files of measurements larger by 0 to 13 %.
    if (p.method == "ZSTD" && !p.classes) o.push_back(cog ? "LEVEL=1" : "ZSTD_LEVEL=1");
    if (p.quality && cog) o.push_back("QUALITY=" + number(*p.quality));
    if (p.quality && !cog) {
        if (is_jpeg(p)) o.push_back("JPEG_QUALITY=" + number(*p.quality));
        if (is_webp(p)) o.push_back(*p.quality >= 100 ? "WEBP_LOSSLESS=YES" : "WEBP_LEVEL=" + number(*p.quality));
    }
    if (is_lerc(p)) o.push_back("MAX_Z_ERROR=" + number(p.max_error.value_or(0)));
    return o;
}

}  // namespace gdalmcp_raster
