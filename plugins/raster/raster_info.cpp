#include <gdalmcp/gdal_subdatasets.hpp>

#include <gdalmcp/gdal_class_names.hpp>

#include "arguments.hpp"
#include "datasets/gdal_band_label.hpp"
#include "datasets/gdal_inner_resampling.hpp"
#include "gdal_kind.hpp"
#include "picture.hpp"
#include "tools.hpp"

namespace gdalmcp_raster::raster_info {
namespace {

using gdalmcp::field;
using gdalmcp::json_text;
using gdalmcp::table;

constexpr int palette_rows = 32;

const gdalmcp::arg<std::optional<std::int64_t>> band{
    .name = "band", .about = "Describe this band only. Default: all.", .min = 1};

const field<std::string> driver{"driver", "GDAL driver"};
const field<std::string> path{"path", "Of the file"};
const field<std::int64_t> count{"count", "Bands"};

const field<std::int64_t> index{"index", "Band number, counted from 1"};
const field<std::string> dtype{"dtype", "Data type: Byte, UInt16, Int16, UInt32, Int32, Float32, Float64, CInt16, …"};
const auto nodata = field<double>{"nodata",
                                  "Value that marks missing cells, before scale and offset; left out when there is "
                                  "none or it is NaN (see nodata_is_nan)"}
                        .optional();
const auto nodata_is_nan = field<bool>{"nodata_is_nan", "The nodata value is NaN"}.optional();
const field<std::string> mask{"mask", "How valid cells are marked: all_valid, nodata, alpha, mask_band"};
const field<std::string> description{"description", "Name of the band, with date and level; may be empty"};
const field<std::string> color_interpretation{"color_interpretation",
                                              "Gray, Palette, Red, Green, Blue, Alpha, Undefined, …"};
const field<double> scale{"scale", "Value = stored value × scale + offset"};
const field<double> offset{"offset", "See scale"};
const field<std::string> unit{"unit", "Unit of the values; empty when not declared"};
const field<std::vector<std::int64_t>> block_size{"block_size", "[columns, rows] of the blocks the band is stored in",
                                                  "cells"};
const field<std::vector<std::string>> overviews{"overviews", "Sizes of the overviews, columns×rows", "cells"};

const field<std::int64_t> palette_value{"value", "Stored value"};
const field<std::string> palette_color{"color", "#rrggbbaa"};
const auto palette_label = field<std::string>{"label", "Name of the class, where the data has one"}.optional();
const auto palette = table{
    "palette",
    "Colour table: first 32 entries, without those of the colour that fills the rest",
    {palette_value, palette_color,
     palette_label}}.optional();
const auto palette_count = field<std::int64_t>{"palette_count", "Entries of the colour table"}.optional();
const table band_table{"bands",
                       "The bands",
                       {index, dtype, nodata, nodata_is_nan, mask, description, color_interpretation, scale, offset,
                        unit, block_size, overviews, palette, palette_count}};

const field<std::vector<double>> pixel_size{"pixel_size", "[width, height] of a cell", "units of the CRS"};
const field<std::string> area_or_point{"area_or_point", "Area or Point (values for cell centres)"};
const field<std::string> compression{"compression", "none: not compressed or unknown"};
const field<std::string> layout{"layout", "COG, tiled or striped"};
const field<std::int64_t> size_bytes{"size_bytes", "Of the file", "bytes"};
const field<std::vector<std::string>> subdatasets{"subdatasets", "Names for 'subdataset'"};

const field<std::int64_t> gcp_count{"count", "Bands"};
const field<std::string> gcp_crs{"crs", "CRS of the ground control points"};
const auto gcps = gdalmcp::record{"gcps", "Ground control points", {gcp_count, gcp_crs}}.optional();
const field<json_text> tags{"tags", "Metadata, first 100 items"};
const field<std::vector<std::string>> hints{"hints", "Cautions for this raster"};

color color_of(const GDALColorEntry& c) {
    const auto byte = [](short v) { return static_cast<std::uint8_t>(v); };
    return {byte(c.c1), byte(c.c2), byte(c.c3), byte(c.c4)};
}

// Meaningful entries: without those of the filler colour of unused entries.
std::vector<int> used_entries(const GDALColorTable& t) {
    std::map<std::string, int> alike;
    const auto text_of = [&](int i) { return color_text(color_of(*t.GetColorEntry(i))); };
    for (int i = 0; i < t.GetColorEntryCount(); ++i) ++alike[text_of(i)];
    const auto most =
        std::max_element(alike.begin(), alike.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    const bool filled = t.GetColorEntryCount() > palette_rows && most->second > t.GetColorEntryCount() / 4;
    std::vector<int> entries;
    for (int i = 0; i < t.GetColorEntryCount(); ++i)
        if (!filled || text_of(i) != most->first) entries.push_back(i);
    return entries;
}

void put_palette(gdalmcp::place& at, GDALRasterBand& b) {
    const auto* colors = b.GetColorTable();
    if (!colors || colors->GetColorEntryCount() == 0) return;
    const gdalmcp::gdal::class_names names{b};
    auto entries = used_entries(*colors);
    if (entries.size() > palette_rows) entries.resize(palette_rows);
    at.begin(palette);
    for (const int i : entries) {
        auto row = at.add(palette);
        row.put(palette_value, i);
        row.put(palette_color, color_text(color_of(*colors->GetColorEntry(i))));
        if (const auto name = names.of(i); !name.empty()) row.put(palette_label, name);
    }
    at.put(palette_count, colors->GetColorEntryCount());
}

// read: the same band with its intended values, if its bytes are signed.
void put_band(gdalmcp::place at, GDALRasterBand& b, GDALRasterBand& read) {
    at.put(index, b.GetBand());
    at.put(dtype, gdalmcp::gdal::stored_type_name(b));
    int has = 0;
    if (const double v = read.GetNoDataValue(&has); has && std::isnan(v))
        at.put(nodata_is_nan, true);
    else if (has)
        at.put(nodata, v);
    at.put(mask, std::string{mask_kind(read)});
    at.put(description, band_label(b));
    at.put(color_interpretation, std::string{GDALGetColorInterpretationName(b.GetColorInterpretation())});
    at.put(scale, b.GetScale());
    at.put(offset, b.GetOffset());
    at.put(unit, std::string{b.GetUnitType()});
    int bx = 0, by = 0;
    b.GetBlockSize(&bx, &by);
    at.put(block_size, {bx, by});
    std::vector<std::string> sizes;
    for (int i = 0; i < b.GetOverviewCount(); ++i)
        sizes.push_back(std::to_string(b.GetOverview(i)->GetXSize()) + "×" +
                        std::to_string(b.GetOverview(i)->GetYSize()));
    at.put(overviews, sizes);
    put_palette(at, b);
}

std::string layout_of(GDALDataset& d) {
    const char* said = d.GetMetadataItem("LAYOUT", "IMAGE_STRUCTURE");
    if (said && EQUAL(said, "COG")) return "COG";
    int bx = 0, by = 0;
    d.GetRasterBand(1)->GetBlockSize(&bx, &by);
    return bx < d.GetRasterXSize() || (by > 1 && bx == by) ? "tiled" : "striped";
}

// Metadata is UTF-8 by agreement only.
std::string utf8(const char* text) {
    if (CPLIsUTF8(text, -1)) return text;
    char* recoded = CPLRecode(text, CPL_ENC_ISO8859_1, CPL_ENC_UTF8);
    std::string out = recoded;
    CPLFree(recoded);
    return out;
}

std::string tags_of(GDALDataset& d) {
    std::string json;
    int n = 0;
    for (char** item = d.GetMetadata(); item && *item && n < 100; ++item, ++n) {
        char* key = nullptr;
        const char* value = CPLParseNameValue(*item, &key);
        if (key && value)
            json += (json.empty() ? "" : ",") + gdalmcp::gdal::json_quote(utf8(key)) + ":" +
                    gdalmcp::gdal::json_quote(utf8(value));
        CPLFree(key);
    }
    return "{" + json + "}";
}

std::vector<std::string> hints_of(GDALDataset& d, const grid& g) {
    std::vector<std::string> h;
    auto& first = *d.GetRasterBand(1);
    const auto placed_by = irregular_location(d);
    if (g.crs.IsEmpty() && placed_by.empty()) h.emplace_back("no CRS: raster_reproject needs 'src_crs'");
    if (!g.georeferenced && placed_by.empty())
        h.emplace_back("no geotransform: coordinates are column and row numbers");
    if (!placed_by.empty())
        h.emplace_back("georeferenced by " + placed_by + " only: raster_reproject makes a regular grid of it");
    if (auto why = g.georeferenced ? gdalmcp::gdal::misplaced(g.extent(), g.crs) : std::string{}; !why.empty())
        h.push_back(std::move(why));
    if (g.rotated()) h.emplace_back("rows and columns are rotated against the axes of the CRS");
    if (g.south_up()) h.emplace_back("south-up: row 0 is the southernmost");
    if (g.mirrored()) h.emplace_back("mirrored: column 0 is the easternmost");
    if (g.crs.IsGeographic())
        h.emplace_back("geographic CRS: cells are angles, their width in metres shrinks with latitude");
    if (std::max(g.width, g.height) > 2048 && first.GetOverviewCount() == 0)
        h.emplace_back(
            "no overviews: raster_index builds some beside the file, raster_convert to a COG a copy with them; "
            "pictures are then fast");
    if (std::max(g.width, g.height) > 2048 && layout_of(d) == "striped")
        h.emplace_back("striped, not tiled: reading windows is slow");
    if (first.GetColorTable())
        h.emplace_back("palette: values are codes; resample with nearest or mode only; raster_stats counts them");
    if (const auto offset = offset_in_tags(first); !offset.empty())
        h.push_back("offset in the tags, " + offset +
                    ": not applied; ratios such as NDVI need it added to the numbers");
    if (const auto method = gdalmcp_datasets::inner_resampling(d); !method.empty())
        h.push_back("resamples its sources by " + method + ": its cells are computed from theirs");
    if (first.GetMaskFlags() & GMF_ALL_VALID)
        h.emplace_back("no nodata value, alpha or mask: every cell counts as valid");
    if (first.GetScale() != 1 || first.GetOffset() != 0)
        h.emplace_back("scale and offset: raster_stats applies them, stored values are raw");
    return h;
}

constexpr std::size_t max_described = 100;  // bands

std::string container_hint(const std::vector<std::string>& names) {
    if (names.empty()) return "it holds no raster bands that GDAL reads; width and height mean nothing";
    return "a container: name one of 'subdatasets' in the calls that follow; width and height are GDAL's placeholders";
}

void run(gdalmcp::call& call) {
    auto file = gdalmcp::gdal::open_stored(call[uri]);
    const auto names = gdalmcp::gdal::subdataset_names(*file);
    const auto wanted = call[subdataset];
    // A container is described without naming one of its rasters; the only one stands for it.
    const bool as_it_is = file->GetRasterCount() == 0 && !wanted && names.size() != 1;
    const auto d = as_it_is ? std::move(file) : stored_raster_of(std::move(file), call[uri], wanted);
    auto& described = *d;
    const bool container = described.GetRasterCount() == 0;
    const auto signed_view =
        gdalmcp::gdal::has_signed_bytes(described) ? open_raster(call[uri], wanted) : gdalmcp::gdal::dataset_ptr{};
    auto& read = signed_view ? *signed_view : described;
    const grid g = container ? grid() : grid_of(described);

    call.put(driver, described.GetDriver() ? std::string{described.GetDriver()->GetDescription()} : std::string{});
    call.put(path, call[uri].path);
    call.put(width, described.GetRasterXSize());
    call.put(height, described.GetRasterYSize());
    call.put(count, described.GetRasterCount());
    call.begin(band_table);
    const auto one = call[band];
    auto numbers = band_numbers(described, one ? std::optional{std::vector{*one}} : std::nullopt);
    if (numbers.size() > max_described) numbers.resize(max_described);
    for (const int b : numbers) {
        put_band(call.add(band_table), *described.GetRasterBand(b), *read.GetRasterBand(b));
        tell_ignored_scale(call, call[uri].path, *described.GetRasterBand(b));
    }
    crs.put(call, g.crs);
    call.put(transform, g.affine());
    bounds.put(call, g.extent(), g.crs);
    call.put(pixel_size, {g.cell_width(), g.cell_height()});
    const char* point = described.GetMetadataItem(GDALMD_AREA_OR_POINT);
    call.put(area_or_point, std::string{point && EQUAL(point, GDALMD_AOP_POINT) ? "Point" : "Area"});
    const char* packed = described.GetMetadataItem("COMPRESSION", "IMAGE_STRUCTURE");
    call.put(compression, std::string{packed ? packed : "none"});
    call.put(layout, container ? std::string{"container"} : layout_of(described));
    call.put(size_bytes, file_size(call[uri].path));
    call.put(subdatasets, names);
    if (described.GetGCPCount() > 0) {
        auto at = call.at(gcps);
        at.put(gcp_count, described.GetGCPCount());
        const auto* srs = described.GetGCPSpatialRef();
        at.put(gcp_crs, srs ? gdalmcp::gdal::crs_text(*srs) : std::string{});
    }
    call.put(tags, {tags_of(described)});
    auto all_hints = container ? std::vector{container_hint(names)} : hints_of(described, g);
    if (!one && described.GetRasterCount() > static_cast<int>(max_described))
        all_hints.push_back("the first " + std::to_string(max_described) + " of " +
                            std::to_string(described.GetRasterCount()) +
                            " bands are described; 'band' describes one of the others");
    call.put(hints, all_hints);
    call.say(container ? "no bands of its own, " + std::to_string(names.size()) + " subdatasets"
                       : std::to_string(g.width) + " × " + std::to_string(g.height) + " cells, " +
                             std::to_string(described.GetRasterCount()) + " band(s), " +
                             (g.crs.IsEmpty() ? "no CRS" : gdalmcp::gdal::crs_label(g.crs)));
}

}  // namespace

const gdalmcp::tool tool{
    {"raster_info", "Raster information",
     "Describes a raster without reading its cells. Call it first: size, CRS, transform, bounds, bands with dtype, "
     "nodata, scale, unit and palette, subdatasets, overviews, hints.",
     GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
    run,
    {uri, subdataset, band},
    {driver, path, width, height, count, band_table, crs.all, transform, bounds.all, pixel_size, area_or_point,
     compression, layout, size_bytes, subdatasets, gcps, tags, hints}};

}  // namespace gdalmcp_raster::raster_info
