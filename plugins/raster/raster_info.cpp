#include "arguments.hpp"
#include "kind.hpp"
#include "picture.hpp"
#include "raster_tools.hpp"

namespace gdalmcp_raster {
namespace {

using gdalmcp::field;
using gdalmcp::json_text;
using gdalmcp::table;

const gdalmcp::arg<std::optional<std::int64_t>> band{
    .name = "band", .about = "Describe this band only, counted from 1. Default: all bands.", .min = 1};

const field<std::string> driver{"driver", "GDAL driver, for example GTiff"};
const field<std::string> path{"path", "Path of the file"};
const field<std::int64_t> count{"count", "Number of bands of the raster"};

const field<std::int64_t> index{"index", "Band number, counted from 1"};
const field<std::string> dtype{"dtype", "Data type: Byte, UInt16, Int16, UInt32, Int32, Float32, Float64, CInt16, …"};
const auto nodata = field<double>{"nodata",
                                  "Value that marks missing cells, before scale and offset; left out when there is "
                                  "none or it is NaN (see nodata_is_nan)"}
                        .optional();
const auto nodata_is_nan = field<bool>{"nodata_is_nan", "The nodata value is NaN"}.optional();
const field<std::string> mask{"mask", "What says which cells are valid: all_valid, nodata, alpha, mask_band"};
const field<std::string> description{"description", "Name of the band; empty when it has none"};
const field<std::string> color_interpretation{"color_interpretation",
                                              "Gray, Palette, Red, Green, Blue, Alpha, Undefined, …"};
const field<double> scale{"scale", "Value = stored value × scale + offset; 1 when not given in the data"};
const field<double> offset{"offset", "See scale; 0 when not given in the data"};
const field<std::string> unit{"unit", "Unit of the values; empty when the data does not say"};
const field<std::vector<std::int64_t>> block_size{"block_size", "[columns, rows] of the blocks the band is stored in",
                                                  "cells"};
const field<std::vector<std::string>> overviews{"overviews", "Sizes of the overviews, columns×rows", "cells"};

const field<std::int64_t> palette_value{"value", "Stored value"};
const field<std::string> palette_color{"color", "#rrggbbaa"};
const field<std::string> palette_label{"label", "Category name; empty when the data has none"};
const auto palette =
    table{"palette", "Colour table, first 256 entries", {palette_value, palette_color, palette_label}}.optional();
const table band_table{"bands",
                       "The bands",
                       {index, dtype, nodata, nodata_is_nan, mask, description, color_interpretation, scale, offset,
                        unit, block_size, overviews, palette}};

const field<std::vector<double>> pixel_size{"pixel_size", "[width, height] of a cell", "units of the CRS"};
const field<std::string> area_or_point{
    "area_or_point",
    "Area: a value stands for its cell; Point: for the cell's centre. Coordinates here are "
    "those of cell corners in either case"};
const field<std::string> compression{"compression", "Compression of the file; none when not compressed or not known"};
const field<std::string> layout{"layout", "COG, tiled or striped"};
const field<std::int64_t> size_bytes{"size_bytes", "Size of the file", "bytes"};
const field<std::vector<std::string>> subdatasets{"subdatasets",
                                                  "Names for 'subdataset' in a file that holds several rasters"};

const field<std::int64_t> gcp_count{"count", "Number of ground control points"};
const field<std::string> gcp_crs{"crs", "CRS of the ground control points"};
const auto gcps =
    gdalmcp::record{"gcps", "Ground control points, where they georeference the raster", {gcp_count, gcp_crs}}
        .optional();
const field<json_text> tags{"tags", "Metadata of the dataset, first 100 items, values as text"};
const field<std::vector<std::string>> hints{"hints", "What to mind when using this raster"};

color color_of(const GDALColorEntry& c) {
    const auto byte = [](short v) { return static_cast<std::uint8_t>(v); };
    return {byte(c.c1), byte(c.c2), byte(c.c3), byte(c.c4)};
}

void put_palette(gdalmcp::place& at, GDALRasterBand& b) {
    const auto* colors = b.GetColorTable();
    if (!colors) return;
    char** names = b.GetCategoryNames();
    at.begin(palette);
    for (int i = 0; i < std::min(colors->GetColorEntryCount(), 256); ++i) {
        auto row = at.add(palette);
        row.put(palette_value, i);
        row.put(palette_color, color_text(color_of(*colors->GetColorEntry(i))));
        row.put(palette_label, i < CSLCount(names) ? std::string{names[i]} : std::string{});
    }
}

void put_band(gdalmcp::place at, GDALRasterBand& b) {
    at.put(index, b.GetBand());
    at.put(dtype, dtype_name(b.GetRasterDataType()));
    int has = 0;
    if (const double v = b.GetNoDataValue(&has); has && std::isnan(v))
        at.put(nodata_is_nan, true);
    else if (has)
        at.put(nodata, v);
    at.put(mask, std::string{mask_kind(b)});
    at.put(description, std::string{b.GetDescription()});
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
    if (g.crs.IsEmpty() && d.GetGCPCount() == 0) h.emplace_back("no CRS: raster_reproject needs 'src_crs'");
    if (!g.georeferenced && d.GetGCPCount() == 0)
        h.emplace_back("no geotransform: coordinates are column and row numbers");
    if (!g.georeferenced && d.GetGCPCount() > 0)
        h.emplace_back("georeferenced by ground control points only: raster_reproject makes a regular grid of it");
    if (g.rotated()) h.emplace_back("rows and columns are rotated against the axes of the CRS");
    if (g.south_up()) h.emplace_back("south-up: row 0 is the southernmost");
    if (g.crs.IsGeographic())
        h.emplace_back("geographic CRS: cells are degrees, their width in metres shrinks with latitude");
    if (std::max(g.width, g.height) > 2048 && first.GetOverviewCount() == 0)
        h.emplace_back("no overviews: raster_convert to a COG makes previews fast");
    if (std::max(g.width, g.height) > 2048 && layout_of(d) == "striped")
        h.emplace_back("striped, not tiled: reading windows is slow");
    if (first.GetColorTable()) h.emplace_back("palette: values are codes; resample with nearest or mode only");
    if (first.GetMaskFlags() & GMF_ALL_VALID)
        h.emplace_back("no nodata value, alpha or mask: every cell counts as valid");
    if (first.GetScale() != 1 || first.GetOffset() != 0)
        h.emplace_back("scale and offset: raster_stats applies them, stored values are raw");
    return h;
}

void run(gdalmcp::call& call) {
    const auto file = gdalmcp::gdal::open(call[uri]);
    const auto names = subdataset_names(*file);
    const auto wanted = call[subdataset];
    // A container can be described without naming one of its rasters.
    const bool container = file->GetRasterCount() == 0 && !wanted && names.size() > 1;
    const auto d = container ? gdalmcp::gdal::dataset_ptr{} : open_raster(call[uri], wanted);
    auto& described = d ? *d : *file;
    const grid g = container ? grid() : grid_of(described);

    call.put(driver, described.GetDriver() ? std::string{described.GetDriver()->GetDescription()} : std::string{});
    call.put(path, call[uri].path);
    call.put(width, container ? 0 : g.width);
    call.put(height, container ? 0 : g.height);
    call.put(count, described.GetRasterCount());
    call.begin(band_table);
    const auto one = call[band];
    for (const int b : band_numbers(described, one ? std::optional{std::vector{*one}} : std::nullopt))
        put_band(call.add(band_table), *described.GetRasterBand(b));
    crs.put(call, g.crs);
    call.put(transform, g.affine());
    bounds.put(call, g.extent(), g.crs);
    call.put(pixel_size, {g.cell_width(), g.cell_height()});
    const char* point = described.GetMetadataItem(GDALMD_AREA_OR_POINT);
    call.put(area_or_point, std::string{point && EQUAL(point, GDALMD_AOP_POINT) ? "Point" : "Area"});
    const char* packed = described.GetMetadataItem("COMPRESSION", "IMAGE_STRUCTURE");
    call.put(compression, std::string{packed ? packed : "none"});
    call.put(layout, container ? std::string{"container"} : layout_of(described));
    VSIStatBufL stat{};
    call.put(size_bytes, VSIStatL(call[uri].path.c_str(), &stat) == 0 ? static_cast<std::int64_t>(stat.st_size) : 0);
    call.put(subdatasets, names);
    if (described.GetGCPCount() > 0) {
        auto at = call.at(gcps);
        at.put(gcp_count, described.GetGCPCount());
        const auto* srs = described.GetGCPSpatialRef();
        at.put(gcp_crs, srs ? gdalmcp::gdal::crs_text(*srs) : std::string{});
    }
    call.put(tags, {tags_of(described)});
    call.put(hints, container
                        ? std::vector<std::string>{"a container: name one of 'subdatasets' in the calls that follow"}
                        : hints_of(described, g));
    call.say(container ? std::to_string(names.size()) + " subdatasets"
                       : std::to_string(g.width) + " × " + std::to_string(g.height) + " cells, " +
                             std::to_string(described.GetRasterCount()) + " band(s), " +
                             (g.crs.IsEmpty() ? "no CRS" : gdalmcp::gdal::crs_text(g.crs)));
}

}  // namespace

const gdalmcp::tool raster_info{
    {"raster_info", "Raster information",
     "Describes a raster without reading its cells: size, CRS, geotransform, bounds (its own CRS "
     "and WGS 84), bands with dtype, nodata, scale, unit and palette, compression, overviews, "
     "tags, and hints on what to mind. Call it before any other raster tool.",
     GDALMCP_READ_ONLY | GDALMCP_IDEMPOTENT},
    run,
    {uri, subdataset, band},
    {driver, path, width, height, count, band_table, crs.all, transform, bounds.all, pixel_size, area_or_point,
     compression, layout, size_bytes, subdatasets, gcps, tags, hints}};

}  // namespace gdalmcp_raster
