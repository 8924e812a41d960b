#include "gdal_convert_options.hpp"

#include "convert_arguments.hpp"

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
                                          GDALDataset& cells) {
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
    if (is(driver, "GPKG") && !q && cells.GetRasterBand(1)->GetRasterDataType() == GDT_Byte)
        o.emplace_back("TILE_FORMAT=PNG");
    if (q) o.push_back("QUALITY=" + gdal::number_text(good));
    return o;
}

namespace {

std::string gdal_spelling(const std::string& method) {
    std::string s;
    for (const char c : method)
        if (c != '_') s += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return s;
}

}  // namespace

pyramid pyramid_of(gdalmcp::call& call, GDALDriver& driver, GDALDataset& cells, kind k) {
    pyramid p;
    const auto levels = call[overviews];
    p.wanted = levels ? levels->wanted : is(driver, "COG");
    const auto asked = call[overview_method];
    p.method = asked ? gdal_spelling(asked->value) : overview_resampling(k);
    if (p.wanted && k == kind::classes && p.method != "MODE" && p.method != "NEAREST")
        call.warn("the values look like classes, and overviews by " + p.method + " create classes that do not exist");
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
