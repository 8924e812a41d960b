#include "gdal_convert_options.hpp"

#include "convert_arguments.hpp"
#include "datasets/gdal_raster_format.hpp"

namespace gdalmcp_raster::conversion {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

namespace {

// A setting given by an argument or a creation option: by one of them, or by both alike.
template <class T, class Text>
std::optional<T> either(const std::optional<T>& argument, const char* name, const std::optional<T>& option,
                        const char* key, Text text) {
    if (argument && option && !(*argument == *option))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::string{"'"} + name + "' is " + text(*argument) + ", but the creation option is " + key + "=" +
                        text(*option),
                    "give one of the two"};
    return argument ? argument : option;
}
std::optional<double> either(const std::optional<double>& argument, const char* name, creation_options& extra,
                             const char* key) {
    return either(argument, name, extra.take_number(key), key, gdal::number_text);
}

std::optional<double> quality_of(gdalmcp::call& call, creation_options& extra, const char* key) {
    const auto q = either(call[quality], "quality", extra, key);
    if (q && !(*q > 0 && *q <= 100))
        throw error{GDALMCP_INVALID_ARGUMENT, std::string{key} + " is " + gdal::number_text(*q), "give 1 to 100"};
    return q;
}

}  // namespace

GDALDriver& target_driver(const std::string& path, const std::optional<std::string>& driver, bool tiled,
                          const std::vector<std::string>& options) {
    if (driver) return driver_for(path, *driver);
    auto& by_extension = driver_for(path);
    if (!is(by_extension, "GTiff")) return by_extension;
    auto& cog = driver_for(path, "COG");
    bool plain = !tiled;
    for (const auto& o : options) {
        const auto name = o.substr(0, o.find('='));
        plain = plain || (!has_option(cog, name) && has_option(by_extension, name));
    }
    return plain ? by_extension : cog;
}

recoding recoding_of(gdalmcp::call& call, GDALDataset& cells) {
    recoding r;
    if (const auto name = call[dtype_wanted]) {
        const auto type = GDALGetDataTypeByName(name->value.c_str());
        bool other = call[unscale];  // whose values are Float64 where no type is named
        for (auto&& band : cells.GetBands()) other = other || type != band->GetRasterDataType();
        if (other) r.type = type;
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

namespace {

bool says(const creation_options& extra, const char* option, bool yes) {
    const auto v = extra.get(option);
    return v && is_yes(*v) == yes;
}

std::optional<double> number_of(const creation_options& extra, const char* option) {
    auto copy = extra;
    return copy.take_number(option);
}

// Of GTiff and COG.
bool packing_returns_every_value(gdalmcp::call& call, GDALDriver& driver, const creation_options& extra,
                                 GDALDataType type) {
    const auto asked = call[compression];
    packing p{asked ? asked->value : extra.get("COMPRESS").value_or(default_compression(driver)), call[quality],
              call[max_error]};
    if (!p.quality) p.quality = number_of(extra, is(driver, "COG") ? "QUALITY" : "WEBP_LEVEL");
    if (p.method == "WEBP" && !p.quality && says(extra, "WEBP_LOSSLESS", true)) p.quality = 100;
    if (!p.max_error) p.max_error = number_of(extra, "MAX_Z_ERROR");
    p.whole_numbers = GDALDataTypeIsInteger(type) != FALSE;
    if (p.method == "JXL") return !says(extra, "JXL_LOSSLESS", false);
    static const std::vector<std::string> known = {"NONE", "LZW",  "PACKBITS",     "DEFLATE",   "ZSTD",
                                                   "LZMA", "LERC", "LERC_DEFLATE", "LERC_ZSTD", "WEBP"};
    return std::find(known.begin(), known.end(), p.method) != known.end() && lossless(p);
}

}  // namespace

bool returns_every_value(gdalmcp::call& call, GDALDriver& driver, const creation_options& extra, GDALDataType type,
                         int band_count) {
    if (extra.get("NBITS")) return false;
    if (geotiff(driver)) return packing_returns_every_value(call, driver, extra, type);
    const auto q = call[quality] ? call[quality] : number_of(extra, "QUALITY");
    const bool whole_quality = !q || *q >= 100;
    if (keeps(driver) || is(driver, "PNG") || is(driver, "netCDF")) return true;
    if (is(driver, "JP2OpenJPEG"))
        return whole_quality && !says(extra, "REVERSIBLE", false) && !says(extra, "YCBCR420", true) &&
               !says(extra, "1BIT_ALPHA", true);
    if (is(driver, "WEBP")) return whole_quality && !says(extra, "LOSSLESS", false);
    if (is(driver, "JPEGXL")) return whole_quality && !says(extra, "LOSSLESS", false) && !extra.get("DISTANCE");
    // Numbers in as many digits as they need.
    if (is(driver, "AAIGrid")) return !extra.get("DECIMAL_PRECISION") && !extra.get("SIGNIFICANT_DIGITS");
    if (is(driver, "GPKG")) {
        const auto tiles = extra.get("TILE_FORMAT");
        // With alpha, a tile of transparent cells is left out, colours and all.
        const bool picture = type == GDT_Byte && (band_count == 1 || band_count == 3);
        return whole_quality && (tiles ? picture && EQUAL(tiles->c_str(), "PNG") : picture || band_count == 1);
    }
    return false;
}

packing packing_of(gdalmcp::call& call, GDALDriver& driver, creation_options& extra, kind k) {
    packing p;
    const auto asked = call[compression];
    const auto same = [](const std::string& s) { return s; };
    p.method = either(asked ? std::optional{asked->value} : std::nullopt, "compression", extra.take("COMPRESS"),
                      "COMPRESS", same)
                   .value_or(default_compression(driver));
    check_method_options(p, driver, extra);
    p.quality = quality_of(call, extra,
                           is(driver, "COG")    ? "QUALITY"
                           : p.method == "WEBP" ? "WEBP_LEVEL"
                                                : "JPEG_QUALITY");
    if (const auto v = extra.take("WEBP_LOSSLESS"); v && is_yes(*v)) {
        if (p.quality.value_or(100) < 100)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "quality " + gdal::number_text(*p.quality) +
                            " changes values, but the creation option is WEBP_LOSSLESS=YES",
                        "give one of the two"};
        p.quality = 100;
    }
    p.max_error = either(call[max_error], "max_error", extra, "MAX_Z_ERROR");
    p.classes = k == kind::classes;
    return p;
}

namespace {

std::vector<std::string> cog_layout(const std::optional<double>& side) {
    std::vector<std::string> o{"BIGTIFF=IF_SAFER"};
    if (side) o.push_back("BLOCKSIZE=" + gdal::number_text(*side));
    return o;
}

std::vector<std::string> geotiff_layout(gdalmcp::call& call, creation_options& extra,
                                        const std::optional<double>& side) {
    const auto option = extra.take("TILED");
    const bool tiles =
        either(call[tiled], "tiled", option ? std::optional{is_yes(*option)} : std::nullopt, "TILED", [](bool b) {
            return std::string{b ? "true" : "false"};
        }).value_or(true);
    const auto width = either(side, "block_size", extra, "BLOCKXSIZE"),
               height = either(side, "block_size", extra, "BLOCKYSIZE");
    if (width && !tiles && !side)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "creation option BLOCKXSIZE is given, but strips are as wide as the raster",
                    "leave it out, or store in tiles"};
    std::vector<std::string> o{"BIGTIFF=IF_SAFER"};
    if (tiles) o.emplace_back("TILED=YES");
    if (tiles && width) o.push_back("BLOCKXSIZE=" + gdal::number_text(*width));
    if (height) o.push_back("BLOCKYSIZE=" + gdal::number_text(*height));
    return o;
}

}  // namespace

std::vector<std::string> layout_options(gdalmcp::call& call, GDALDriver& driver, creation_options& extra) {
    const auto side = call[block_size];
    if (side && *side % 16 != 0)
        throw error{GDALMCP_INVALID_ARGUMENT, "'block_size' " + std::to_string(*side) + " is not a multiple of 16",
                    "use 256 or 512"};
    std::optional<double> given;
    if (side) given = static_cast<double>(*side);
    if (!is(driver, "COG")) return geotiff_layout(call, extra, given);
    if (!call[tiled].value_or(true))
        throw error{GDALMCP_INVALID_ARGUMENT, "a COG is always tiled, but 'tiled' is false",
                    "set \"driver\": \"GTiff\""};
    return cog_layout(either(given, "block_size", extra, "BLOCKSIZE"));
}

std::vector<std::string> faithful_options(gdalmcp::call& call, GDALDriver& driver, creation_options& extra,
                                          GDALDataType type) {
    const bool has_quality = has_option(driver, "QUALITY");
    if (call[compression] || call[max_error] || call[tiled] || call[block_size] || (call[quality] && !has_quality))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    std::string{"compression, max_error, tiled, block_size and, but for JPEG, WEBP and JPEG 2000, "
                                "quality are for GeoTIFF, but the format is "} +
                        driver.GetDescription(),
                    "give the driver's own options in 'creation_options', or end 'output' in .tif"};
    std::optional<double> q;
    if (has_quality) q = quality_of(call, extra, "QUALITY");
    const double good = q.value_or(100);
    const bool exact = good >= 100;
    for (const auto& [option, value] : {std::pair{"REVERSIBLE", "NO"}, {"LOSSLESS", "NO"}, {"YCBCR420", "YES"}})
        if (const auto v = extra.get(option); exact && v && is_yes(*v) == is_yes(value))
            throw error{GDALMCP_INVALID_ARGUMENT,
                        std::string{"creation option "} + option + "=" + *v + " changes values",
                        "give 'quality' below 100 with it, to state the loss"};
    for (const char* option : {"TARGETSIZE", "PSNR"})
        if (extra.get(option))
            throw error{GDALMCP_INVALID_ARGUMENT, std::string{"creation option "} + option + " changes values",
                        "use 'quality', which states the loss"};
    if (!exact && extra.get("LOSSLESS") && is_yes(*extra.get("LOSSLESS")))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "quality " + gdal::number_text(good) + " changes values, but the creation option is LOSSLESS=YES",
                    "give one of the two"};
    if (is(driver, "JP2OpenJPEG") && exact) return {"REVERSIBLE=YES", "QUALITY=100"};
    if (is(driver, "WEBP") && exact) return {"LOSSLESS=YES"};
    std::vector<std::string> o;
    // The driver's default stores tiles without transparency as JPEG.
    if (is(driver, "GPKG") && !q && type == GDT_Byte) o.emplace_back("TILE_FORMAT=PNG");
    if (q) o.push_back("QUALITY=" + gdal::number_text(good));
    return o;
}

pyramid pyramid_of(gdalmcp::call& call, GDALDriver& driver, GDALDataset& cells) {
    pyramid p;
    const auto levels = call[overviews];
    p.wanted = levels ? levels->wanted : is(driver, "COG");
    if (!p.wanted) return p;
    const auto asked = call[overview_method];
    p.method = asked ? gdal_spelling(asked->value) : overview_resampling(*cells.GetRasterBand(1));
    if (!levels) return p;
    const int side = std::max(cells.GetRasterXSize(), cells.GetRasterYSize());
    std::int64_t halved = 1;
    for (const auto f : levels->factors) {
        const std::int64_t least = p.factors.empty() ? 2 : p.factors.back() + 1;
        halved *= 2;
        if (f < least || f > side)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "overview factor " + std::to_string(f) + " is not between " + std::to_string(least) + " and " +
                            std::to_string(side) + ", the cells of the longer side",
                        "give rising factors, such as [2, 4, 8]"};
        if (is(driver, "COG") && f != halved)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "a COG halves each overview, but factor " + std::to_string(f) + " is given where " +
                            std::to_string(halved) + " is due",
                        "give [2, 4, 8, …], or set \"driver\": \"GTiff\""};
        p.factors.push_back(static_cast<int>(f));
    }
    return p;
}

std::vector<std::string> cog_overviews(const pyramid& p) {
    if (!p.wanted) return {"OVERVIEWS=NONE"};
    // The source's own overviews may use another resampling.
    std::vector<std::string> o{"OVERVIEWS=IGNORE_EXISTING", "OVERVIEW_RESAMPLING=" + p.method};
    if (!p.factors.empty()) o.push_back("OVERVIEW_COUNT=" + std::to_string(p.factors.size()));
    return o;
}

}  // namespace gdalmcp_raster::conversion
