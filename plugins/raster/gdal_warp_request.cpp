#include "gdal_warp_request.hpp"

#include <gdal_utils.h>
#include <gdalmcp/gdal_kind.hpp>
#include <gdalmcp/gdal_undeclared.hpp>
#include <gdalmcp/nodata_range.hpp>

#include <cmath>
#include <utility>

#include "datasets/gdal_output.hpp"
#include "datasets/gdal_programs.hpp"
#include "gdal_another_turn.hpp"
#include "gdal_cutline.hpp"
#include "gdal_marking.hpp"
#include "gdal_resampling_doubts.hpp"
#include "gdal_warp_extent.hpp"
#include "gdal_warp_heights.hpp"
#include "resampling.hpp"

namespace gdalmcp_raster {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

OGRSpatialReference source_crs(GDALDataset& source, const warp_request& request) {
    if (request.src_crs) return *request.src_crs;
    const auto* own = source.GetSpatialRef();
    if (!own || own->IsEmpty()) own = source.GetGCPSpatialRef();
    const char* located = source.GetMetadataItem("SRS", "GEOLOCATION");
    if (!located && source.GetMetadata("RPC")) located = "EPSG:4326";  // the target of RPCs, by definition
    if ((!own || own->IsEmpty()) && located)
        if (const auto crs = gdal::parse_crs(located)) return *crs;
    if (!own || own->IsEmpty())
        throw error{
            GDALMCP_INVALID_ARGUMENT, std::string{source.GetDescription()} + " has no CRS, so it cannot be reprojected",
            "find out its CRS and name it with 'src_crs', for example \"src_crs\": \"EPSG:32633\"; do not guess; with "
            "'dst_crs' the same it is assigned, cells unchanged"};
    return gdal::plain_order(*own);
}

namespace {

[[noreturn]] void refuse(std::string message, std::string hint) {
    throw error{GDALMCP_INVALID_ARGUMENT, std::move(message), std::move(hint)};
}

void settle_size(const warp_request& r) {
    const bool size = r.width || r.height;
    if (r.align_to && (size || !r.resolution.empty() || r.bounds || r.aligned))
        refuse("'align_to' fixes the grid, but 'resolution', 'width', 'height', 'bounds' or 'tap' is given too",
               "leave one side out");
    if (r.bounds_crs && !r.bounds) refuse("'bounds_crs' is given without 'bounds'", "give 'bounds' too");
    if (size && !r.resolution.empty()) refuse("both 'resolution' and 'width'/'height' are given", "leave one out");
    if (r.aligned && r.resolution.empty()) refuse("'tap' needs 'resolution'", "give 'resolution' in units of dst_crs");
}

void settle_alignment(warp_request& r) {
    if (!r.align_to) return;
    const auto& g = *r.align_to;
    if (g.crs.IsEmpty() || !g.georeferenced)
        refuse("the raster of 'align_to' has no CRS or no geotransform", "align to a georeferenced raster");
    if (!gdal::detail::coincide(g.crs, r.dst_crs))
        refuse("'align_to' is in " + gdal::crs_text(g.crs) + ", but 'dst_crs' is " + gdal::crs_text(r.dst_crs),
               "set \"dst_crs\": " + gdal::json_quote(gdal::crs_text(g.crs)));
    if (g.rotated() || g.geotransform[5] > 0 || g.geotransform[1] < 0)
        throw error{GDALMCP_UNSUPPORTED, "the raster of 'align_to' is rotated or south-up",
                    "reproject it to a north-up grid first, then align to that"};
}

std::string bounds_text(const std::array<double, 4>& b) { return gdal::box_text(b[0], b[1], b[2], b[3]); }

void settle_bounds(warp_request& r, std::vector<std::string>& said) {
    if (!r.bounds) return;
    auto& b = *r.bounds;
    OGREnvelope box;
    box.MinX = std::min(b[0], b[2]), box.MaxX = std::max(b[0], b[2]), box.MinY = b[1], box.MaxY = b[3];
    gdal::check_coordinates("bounds", box);
    const auto& crs = r.bounds_crs ? *r.bounds_crs : r.dst_crs;
    if (b[1] >= b[3] || b[0] == b[2])
        refuse("'bounds' " + bounds_text(b) + " has no area", "give [minx, miny, maxx, maxy] with miny < maxy");
    if (crs.IsGeographic() && (b[1] < -90 || b[3] > 90))
        refuse("'bounds' " + bounds_text(b) + " is not in the degrees of " + gdal::crs_text(crs),
               "give longitude before latitude, or name their CRS with 'bounds_crs'");
    if (!r.bounds_crs && !crs.IsGeographic() && std::abs(b[0]) <= 180 && std::abs(b[2]) <= 180 &&
        std::abs(b[1]) <= 90 && std::abs(b[3]) <= 90)
        refuse("'bounds' " + bounds_text(b) + " looks like degrees, but 'dst_crs' is " + gdal::crs_text(crs),
               "repeat the call with \"bounds_crs\": \"OGC:CRS84\"; if they are in units of dst_crs, with "
               "\"bounds_crs\": " +
                   gdal::json_quote(gdal::crs_text(crs)));
    if (b[0] > b[2]) {
        if (!crs.IsGeographic())
            refuse("'bounds' " + bounds_text(b) + " has minx > maxx, which only degrees allow",
                   "give [minx, miny, maxx, maxy], or name the CRS of degrees with 'bounds_crs'");
        b[2] += 360;
        if (r.dst_crs.IsGeographic())
            said.push_back("the box crosses the antimeridian; the result runs from " + gdal::coordinate_text(b[0]) +
                           "° to " + gdal::coordinate_text(b[2]) + "° of longitude");
    }
    if (r.bounds_crs && !gdal::detail::coincide(crs, r.dst_crs)) bring_bounds_to_target(r);
}

void settle_nodata(const warp_request& r, GDALDataset& source) {
    if (!r.nodata) return;
    const auto type = type_of_result(r, source);
    int clamped = 0, rounded = 0;
    GDALAdjustValueToDataType(type, *r.nodata, &clamped, &rounded);
    if (clamped || (rounded && whole_numbers(type)))
        refuse("nodata " + gdal::number_text(*r.nodata) + " cannot be stored as " + dtype_name(type),
               "choose a value of that type which does not occur in the data");
}

// A nodata value asked for that the data have. In a band that marks no other cells it may be meant to do so.
void settle_marks(const warp_request& r, GDALDataset& source) {
    if (!r.nodata || !std::isfinite(*r.nodata)) return;
    const auto text = gdal::number_text(*r.nodata);
    for (auto&& band : source.GetBands()) {
        if (is_alpha(*band) || GDALDataTypeIsComplex(band->GetRasterDataType())) continue;
        const auto met = meet(*band, *r.nodata, read_window(r, source, 1, 0));
        const bool computed = computes_values(r.resampling) &&
                              (met.count > 0 || (met.within(*r.nodata) && !gdalmcp::customary_nodata(*r.nodata)));
        if (met.count == 0 && !computed) continue;
        const auto name = "band " + std::to_string(band->GetBand()) + " of " + source.GetDescription();
        const auto what = met.count > 0 ? std::to_string(met.count) + (met.count == 1 ? " cell of " : " cells of ") +
                                              name + (met.count == 1 ? " has" : " have") + " the value " + text
                                        : "the data of " + name + " run from " + gdal::number_text(met.low) + " to " +
                                              gdal::number_text(met.high) + ", and what " + r.resampling +
                                              " computes may be " + text;
        if ((band->GetMaskFlags() & GMF_ALL_VALID) == 0)
            refuse(what + ", which marks cells without data in the result",
                   "give a 'nodata' that does not occur, or leave it out");
        gdal::detail::caution(what + (computed
                                          ? ", which marks missing cells in the result, but is computed with: if it "
                                            "lacks data, declare it first, with raster_convert and 'nodata'"
                                          : ": such cells count as missing now"));
    }
}

// Longitudes compared round the globe; west > east crosses the antimeridian.
bool overlap(std::array<double, 4> a, std::array<double, 4> b) {
    if (a[2] < a[0]) a[2] += 360;
    if (b[2] < b[0]) b[2] += 360;
    if (a[1] > b[3] || b[1] > a[3]) return false;
    for (const double turn : {-360.0, 0.0, 360.0})
        if (a[0] + turn <= b[2] && b[0] <= a[2] + turn) return true;
    return false;
}

// Metres declared as degrees show as latitudes far beyond the poles.
void settle_source(GDALDataset& source, const OGRSpatialReference& from) {
    const grid g = grid_of(source);
    if (!g.georeferenced || !from.IsGeographic()) return;
    const double pole = std::acos(0.0) / from.GetAngularUnits();
    const auto box = g.extent();
    if (box.MaxY <= pole + g.cell_height() && box.MinY >= -pole - g.cell_height() && std::abs(box.MinX) <= 6 * pole &&
        std::abs(box.MaxX) <= 6 * pole)
        return;
    refuse(std::string{source.GetDescription()} + " covers " + gdal::box_text(box) + ", which are not degrees of " +
               gdal::crs_text(from),
           "name the CRS of its coordinates with 'src_crs'");
}

// The extent that the request fixes, and its CRS.
struct fixed_extent {
    OGREnvelope box;
    const OGRSpatialReference& crs;
};
std::optional<fixed_extent> extent_of(const warp_request& r) {
    if (r.align_to) return fixed_extent{r.align_to->extent(), r.dst_crs};
    if (!r.bounds) return std::nullopt;
    OGREnvelope box;
    box.Merge((*r.bounds)[0], (*r.bounds)[1]);
    box.Merge((*r.bounds)[2], (*r.bounds)[3]);
    return fixed_extent{box, r.bounds_crs ? *r.bounds_crs : r.dst_crs};
}

void settle_overlap(const warp_request& r, GDALDataset& source, const OGRSpatialReference& from) {
    if (touches(r, source)) return;
    const auto target = *extent_of(r);
    refuse(std::string{r.align_to ? "the grid of 'align_to'" : "'bounds'"} + " " +
               gdal::extent_text(target.box, target.crs) + " does not touch the raster, which covers " +
               gdal::extent_text(grid_of(source).extent(), from),
           "give bounds that overlap the raster");
}

// of: the grid with the cells that GDAL suggests.
[[noreturn]] void refuse_cells_beyond(const warp_request& r, double across, double down, const grid& of) {
    const char* unit = nullptr;
    r.dst_crs.IsGeographic() ? r.dst_crs.GetAngularUnits(&unit) : r.dst_crs.GetLinearUnits(&unit);
    const auto size = [](double x, double y) {
        return gdal::number_text(gdalmcp::significant(x, 4)) + " by " + gdal::number_text(gdalmcp::significant(y, 4));
    };
    refuse("cells of " + size(r.resolution[0], r.resolution[1]) + " " + unit + ", the unit of " +
               gdal::crs_text(r.dst_crs) + ", are larger than the result, which is " + size(across, down) + " in all",
           "give 'resolution' in that unit; the raster's own cells are about " +
               size(of.cell_width(), of.cell_height()) + " there");
}

// GDAL 3.10 looks for empty rows at the edges of a grid of any size, for hours.
void settle_cells(const warp_request& r, GDALDataset& source, bool alone) {
    if (r.resolution.empty() && !r.width && !r.height) return;
    const auto plan = suggested_grid(r, source);
    if (!plan) return;  // the warp itself says why
    const auto box = plan->extent();
    const double across = box.MaxX - box.MinX, down = box.MaxY - box.MinY;
    const auto wide = static_cast<double>(r.width.value_or(0)), high = static_cast<double>(r.height.value_or(0));
    const double columns = !r.resolution.empty() ? across / r.resolution[0]
                           : r.width             ? wide
                                                 : high * across / down,
                 rows = !r.resolution.empty() ? down / r.resolution[1]
                        : r.height            ? high
                                              : wide * down / across;
    if ((alone || r.bounds) && !r.aligned && !r.resolution.empty() &&
        std::min(std::round(columns), std::round(rows)) < 1)
        refuse_cells_beyond(r, across, down, *plan);
    const auto cut = [](double cells) { return std::max(0.0, cells - std::round(cells)); };
    constexpr double noticed = 1e-3;  // of a cell
    if (r.resampling == "sum" && !r.bounds && !r.aligned && !r.resolution.empty() &&
        std::max(cut(columns), cut(rows)) > noticed)
        gdal::detail::caution(
            "the cells end " + gdal::number_text(std::round(cut(columns) * 1000) / 1000) + " of a column and " +
            gdal::number_text(std::round(cut(rows) * 1000) / 1000) +
            " of a row before the raster does, whose totals there are lost: with \"tap\": true they cover it");
    require_size(
        std::round(columns), std::round(rows), "the result",
        r.resolution.empty() ? "give a smaller 'width' and 'height'" : "give 'bounds' or a coarser 'resolution'");
}

}  // namespace

bool touches(const warp_request& r, GDALDataset& source) {
    const grid g = grid_of(source);
    const auto target = extent_of(r);
    if (!g.georeferenced || !target) return true;
    const auto here = gdal::wgs84_bounds(g.extent(), source_crs(source, r)),
               there = gdal::wgs84_bounds(target->box, target->crs);
    return !here || !there || overlap(*here, *there);
}

gdal::window read_window(const warp_request& r, GDALDataset& source, double least, double around) {
    const grid g = grid_of(source);
    const gdal::window whole{0, 0, g.width, g.height};
    const auto target = extent_of(r);
    if (!target || !g.georeferenced || g.rotated()) return whole;
    auto box = target->box;
    const auto from = source_crs(source, r);
    if (from.IsGeographic() && beyond_half_turn(g.extent())) return whole;  // the warper takes cells a turn away
    if (!gdal::detail::coincide(target->crs, from)) {
        const gdal::quiet silence;
        const gdal::transformation way{OGRCreateCoordinateTransformation(&target->crs, &from)};
        if (!way ||
            !way->TransformBounds(box.MinX, box.MinY, box.MaxX, box.MaxY, &box.MinX, &box.MinY, &box.MaxX, &box.MaxY,
                                  21) ||
            box.MinX > box.MaxX)
            return whole;
    }
    const auto along = [&](double low, double high, double corner, double step, int cells, int& at, int& length) {
        double first = (low - corner) / step, last = (high - corner) / step;
        if (first > last) std::swap(first, last);
        const double margin = least + around * (last - first);
        at = static_cast<int>(std::clamp(std::floor(first - margin), 0.0, cells - 1.0));
        length = static_cast<int>(std::clamp(std::ceil(last + margin), at + 1.0, static_cast<double>(cells))) - at;
    };
    gdal::window w;
    along(box.MinX, box.MaxX, g.geotransform[0], g.geotransform[1], g.width, w.column, w.width);
    along(box.MinY, box.MaxY, g.geotransform[3], g.geotransform[5], g.height, w.row, w.height);
    return w;
}

void set_cutline(warp_request& r, const gdalmcp::vector& shapes, const std::optional<std::string>& named) {
    const auto dataset = gdal::open(shapes);
    auto& layer = gdal::layer_of(*dataset, named);
    if (!layer.GetSpatialRef())
        refuse("the cutline layer " + std::string{layer.GetName()} + " has no CRS",
               "give it one; coordinates alone do not locate it");
    r.cutline = shapes.path;
    r.cutline_layer = layer.GetName();
}

std::string crs_definition(const OGRSpatialReference& crs) {
    constexpr const char* options[] = {"FORMAT=WKT2_2019", nullptr};
    char* wkt = nullptr;
    std::string out;
    if (crs.exportToWkt(&wkt, options) == OGRERR_NONE && wkt) out = wkt;
    CPLFree(wkt);
    return out;
}

namespace {

bool pools_cells(const std::string& method) {
    for (const char* known : {"average", "rms", "mode", "min", "max", "med", "q1", "q3", "sum"})
        if (method == known) return true;
    return false;
}

// Of its cells with data that are finite numbers; empty: it has none.
std::optional<std::array<double, 2>> range_of_cells(GDALRasterBand& band) {
    const auto met = meet(band, 0, {0, 0, band.GetXSize(), band.GetYSize()});
    return met.low <= met.high ? std::optional{std::array{met.low, met.high}} : std::nullopt;
}

void refuse_large_codes(GDALDataset& source, GDALRasterBand& band) {
    constexpr double exact = 1 << 24;
    const auto type = band.GetRasterDataType();
    if (type == GDT_Float32 || GDALGetDataTypeSizeBytes(type) < 4) return;
    const auto range = range_of_cells(band);
    if (!range || std::max(std::abs((*range)[0]), std::abs((*range)[1])) <= exact) return;
    refuse(std::string{source.GetDescription()} + " holds numbers up to " + gdal::number_text((*range)[1]) +
               ", and GDAL's mode joins those beyond " + gdal::number_text(exact) + ", which it compares as Float32",
           "take nearest, or number the codes anew from 1 with raster_classify first");
}

}  // namespace

void refuse_beyond_doubles(GDALRasterBand& band, double low, double high) {
    if (!whole_numbers_of_64_bits(band.GetRasterDataType())) return;
    gdal::detail::block_cells ends{{}, {1, 1}};
    const std::array range{low, high};
    ends.cells.resize(sizeof range);
    std::memcpy(ends.cells.data(), range.data(), sizeof range);
    gdal::detail::refuse_beyond_doubles<double>(band, ends);
}

void refuse_beyond_doubles(GDALDataset& source) {
    for (auto&& band : source.GetBands())
        if (const auto range =
                whole_numbers_of_64_bits(band->GetRasterDataType()) ? range_of_cells(*band) : std::nullopt)
            refuse_beyond_doubles(*band, (*range)[0], (*range)[1]);
}

void refuse_pooled_offset(const std::string& path, GDALRasterBand& band, const std::string& method) {
    if (const double offset = band.GetOffset(); offset != 0 && (method == "sum" || method == "rms"))
        refuse(path + " has the offset " + gdal::number_text(offset) + ", which " + method +
                   " of the stored values would count once in place of once per cell",
               "write true values first, with raster_convert and \"unscale\": true");
}

bool counts_minus_one_as_none(GDALDataType type) {
    return whole_numbers(type) && GDALDataTypeIsSigned(type) && GDALGetDataTypeSizeBytes(type) <= 2;
}

bool widens(const std::string& method, GDALDataType type) { return method == "sum" && GDALDataTypeIsInteger(type); }

void settle_type(warp_request& r, GDALDataset& source, const std::vector<int>& bands) {
    const auto type_of = [&](int b) { return source.GetRasterBand(b)->GetRasterDataType(); };
    const auto held = common_type(source, bands);
    if (held != type_of(1)) r.type = dtype_name(held);
    if (std::any_of(bands.begin(), bands.end(), [&](int b) { return widens(r.resampling, type_of(b)); }))
        r.type = "Float64";
    if (std::any_of(bands.begin(), bands.end(), [&](int b) { return type_of(b) != held; }))
        gdal::detail::caution("the bands of " + std::string{source.GetDescription()} +
                              " differ in their data types: the result is " + dtype_name(type_of_result(r, source)));
}

GDALDataType type_of_result(const warp_request& r, GDALDataset& source) {
    return r.type.empty() ? source.GetRasterBand(1)->GetRasterDataType() : GDALGetDataTypeByName(r.type.c_str());
}

void settle_pooling(warp_request& r, GDALDataset& source) {
    const auto& method = r.resampling;
    if (!pools_cells(method)) return;
    if (method == "sum") {
        auto on = grid_of(source);
        on.crs = source_crs(source, r);
        const auto target = extent_of(r);
        const bool alike = target && gdal::detail::coincide(target->crs, r.dst_crs);
        refuse_another_turn(source.GetDescription(), on, r.dst_crs, alike ? std::optional{target->box} : std::nullopt);
    }
    for (int b = 1; b <= source.GetRasterCount(); ++b) {
        auto& band = *source.GetRasterBand(b);
        if (method == "mode") {
            refuse_large_codes(source, band);
            if (counts_minus_one_as_none(band.GetRasterDataType()))
                r.working_type =
                    dtype_name(GDALDataTypeUnion(GDT_Float32, common_type(source, band_numbers(source, {}))));
        }
        refuse_pooled_offset(source.GetDescription(), band, method);
    }
}

void check_grid(warp_request& r) {
    std::vector<std::string> unused;
    settle_size(r);
    settle_alignment(r);
    settle_bounds(r, unused);
}

std::vector<std::string> settle(warp_request& r, GDALDataset& source, bool alone) {
    std::vector<std::string> said;
    const auto from = source_crs(source, r);
    if (!grid_of(source).georeferenced && irregular_location(source).empty())
        refuse(std::string{source.GetDescription()} + " has no geotransform and no ground control points",
               "give it a geotransform or a world file first");
    settle_source(source, from);
    if (!r.cutline.empty() && gdal::detail::geographic(from) && beyond_half_turn(grid_of(source).extent()))
        refuse_cutline_a_turn_away(r.cutline, r.cutline_layer, source, from);
    settle_size(r);
    settle_alignment(r);
    settle_extent(r, source, from, alone);
    settle_bounds(r, said);
    settle_type(r, source, band_numbers(source, {}));
    settle_nodata(r, source);
    settle_overlap(r, source, from);
    settle_heights(r, source, from);
    settle_pooling(r, source);
    settle_marks(r, source);
    if (r.epoch && !from.IsDynamic() && !r.dst_crs.IsDynamic())
        refuse("'epoch' is given, but neither " + gdal::crs_text(from) + " nor " + gdal::crs_text(r.dst_crs) +
                   " is a dynamic CRS",
               "leave 'epoch' out");
    settle_cells(r, source, alone);
    return said;
}

std::vector<std::string> gdalwarp_arguments(const warp_request& r, bool for_people) {
    std::vector<std::string> a;
    const auto add = [&](std::initializer_list<std::string> words) { a.insert(a.end(), words); };
    const auto text = [](double v) { return std::isnan(v) ? std::string{"nan"} : gdal::number_text(v); };
    const auto spelled = [&](const OGRSpatialReference& crs) {
        return for_people ? gdal::crs_text(crs) : crs_definition(crs);
    };
    if (r.src_crs) add({"-s_srs", spelled(*r.src_crs)});
    add({"-t_srs", spelled(r.dst_crs), "-r", warp_resampling(r.resampling)});
    // From the cells themselves: overviews may be of another method, or older than they are.
    add({"-ovr", "NONE"});
    if (!r.resolution.empty()) add({"-tr", text(r.resolution[0]), text(r.resolution[1])});
    if (r.width || r.height) add({"-ts", std::to_string(r.width.value_or(0)), std::to_string(r.height.value_or(0))});
    if (r.bounds) {
        const auto& b = *r.bounds;
        add({"-te", text(b[0]), text(b[1]), text(b[2]), text(b[3])});
        if (r.bounds_crs) add({"-te_srs", spelled(*r.bounds_crs)});
    }
    if (r.align_to) {
        const auto box = r.align_to->extent();
        add({"-te", text(box.MinX), text(box.MinY), text(box.MaxX), text(box.MaxY), "-ts",
             std::to_string(r.align_to->width), std::to_string(r.align_to->height)});
    }
    if (r.aligned) add({"-tap"});
    if (!r.type.empty()) add({"-ot", r.type});
    if (!r.working_type.empty()) add({"-wt", r.working_type});
    if (r.plain_alpha) add({"-nosrcalpha"});
    if (r.no_source_nodata) add({"-srcnodata", "none"});
    if (r.nan_missing) add({"-srcnodata", "nan"});
    if (r.nodata) add({"-dstnodata", text(*r.nodata)});
    // The kernel takes twice as long if it must avoid a nodata value. This one is only the initial value.
    if (r.outside && for_people) add({"-dstnodata", text(*r.outside)});
    if (r.outside && !for_people) add({"-wo", "INIT_DEST=" + text(*r.outside)});
    if (r.alpha) add({"-dstalpha"});
    if (!r.cutline.empty()) add({"-cutline", r.cutline});
    if (!r.cutline_layer.empty()) add({"-cl", r.cutline_layer});
    if (!r.operation.empty()) add({"-ct", r.operation});
    if (r.epoch) add({r.dst_crs.IsDynamic() ? "-t_coord_epoch" : "-s_coord_epoch", text(*r.epoch)});
    if (r.shift_heights) add({*r.shift_heights ? "-vshift" : "-novshift"});
    if (r.error_threshold) add({"-et", text(*r.error_threshold)});
    return a;
}

kept keep_cells(GDALDataset& source, warp_request& r) {
    grid own = grid_of(source);
    const bool another_grid = r.width || r.height || !r.resolution.empty() || r.bounds || r.align_to;
    const bool operation = !r.operation.empty() || r.epoch;
    if (!own.georeferenced || another_grid || operation || !gdal::detail::coincide(source_crs(source, r), r.dst_crs))
        return kept::no;
    // Rows and columns along the axes are what a rotated or mirrored raster is reprojected to its own CRS for.
    const bool turned = (own.rotated() || own.mirrored()) && !r.src_crs;
    if (!r.nodata && r.cutline.empty() && !turned) return kept::all;
    if (own.rotated() || (own.mirrored() && r.src_crs)) return kept::no;
    if (own.mirrored()) {
        own.geotransform[0] += own.width * own.geotransform[1];
        own.geotransform[1] = -own.geotransform[1];
    }
    if (own.south_up()) {
        own.geotransform[3] += own.height * own.geotransform[5];
        own.geotransform[5] = -own.geotransform[5];
    }
    r.align_to = own;
    r.resampling = "nearest";
    return kept::cells;
}

}  // namespace gdalmcp_raster
