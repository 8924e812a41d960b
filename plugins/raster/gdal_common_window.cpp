#include "gdal_common_window.hpp"

#include <gdalmcp/gdal_same_crs.hpp>

#include <algorithm>
#include <cmath>

#include "datasets/gdal_height_unit.hpp"
#include "datasets/gdal_programs.hpp"
#include "gdal_another_turn.hpp"

namespace gdalmcp_raster {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

namespace {

constexpr double tolerance = 0.001;  // of a cell, as in same_grid()

// Cells of the same size and direction: over the larger raster they drift apart by less than the tolerance.
bool same_steps(const grid& a, const grid& b) {
    const double side = std::min(a.cell_width(), a.cell_height());
    const double reach = std::max({a.width, a.height, b.width, b.height});
    for (const std::size_t i : {1U, 2U, 4U, 5U})
        if (!(std::abs(a.geotransform[i] - b.geotransform[i]) * reach <= side * tolerance)) return false;
    return true;
}

// Where the corner of `b` lies on `a`, in cells; nullopt unless it is a corner of cells there.
std::optional<std::array<int, 2>> whole_offset(const grid& a, const grid& b) {
    auto forward = a.geotransform;
    std::array<double, 6> inverse{};
    if (!GDALInvGeoTransform(forward.data(), inverse.data())) return std::nullopt;
    double column = 0, row = 0;
    GDALApplyGeoTransform(inverse.data(), b.geotransform[0], b.geotransform[3], &column, &row);
    constexpr double most = 2147483647;
    for (const double v : {column, row})
        if (!(std::abs(v) <= most && std::abs(v - std::round(v)) <= tolerance)) return std::nullopt;
    return std::array{static_cast<int>(std::lround(column)), static_cast<int>(std::lround(row))};
}

// A call of raster_reproject with nearest. on: of the result.
std::string reprojection_call(const named_grid& source, const grid& on, const std::string& how) {
    const auto code = gdal::crs_code(on.crs);
    return R"(raster_reproject {"uri": )" + gdal::json_quote(source.path) + R"(, "dst_crs": )" +
           (on.crs.IsEmpty() ? std::string{"its CRS"}
                             : gdal::json_quote(code.empty() ? gdal::crs_text(on.crs) : code)) +
           ", " + how + R"(, "resampling": "nearest"})";
}

std::string cells_over(const OGREnvelope& box, const grid& of) {
    return R"("resolution": [)" + gdal::number_text(of.cell_width()) + ", " + gdal::number_text(of.cell_height()) +
           R"(], "bounds": )" + gdal::box_text(box);
}

// The cells of `on`, continued beyond its ends, that hold all of a box in its CRS.
OGREnvelope cells_around(const OGREnvelope& box, const grid& on) {
    const auto all = on.extent();
    const double width = on.cell_width(), height = on.cell_height();
    OGREnvelope out;
    out.MinX = all.MinX + std::floor((box.MinX - all.MinX) / width + tolerance) * width;
    out.MaxX = all.MinX + std::ceil((box.MaxX - all.MinX) / width - tolerance) * width;
    out.MinY = all.MaxY - std::ceil((all.MaxY - box.MinY) / height - tolerance) * height;
    out.MaxY = all.MaxY - std::floor((all.MaxY - box.MaxY) / height + tolerance) * height;
    return out;
}

// whole: of the second, cells beyond the first are wanted, too.
std::string correction(const named_grid& first, const named_grid& second, bool whole) {
    auto how = R"("align_to": )" + gdal::json_quote(first.path);
    if (whole && !first.on.rotated() &&
        (first.on.crs.IsEmpty() || second.on.crs.IsEmpty() || gdal::detail::same_but_axes(first.on.crs, second.on.crs)))
        how = cells_over(cells_around(second.on.extent(), first.on), first.on);
    return "bring the second to the grid of the first: " + reprojection_call(second, first.on, how) +
           " (bilinear for measurements), and use its output";
}

// The same cells, all of them, from the north.
std::string turned(const named_grid& g) {
    return "turn the one from the south: " + reprojection_call(g, g.on, cells_over(g.on.extent(), g.on)) +
           ", which keeps its cells, and use its output";
}

[[noreturn]] void refuse(const std::string& what, const named_grid& first, const named_grid& second,
                         const std::string& hint) {
    throw error{GDALMCP_INVALID_ARGUMENT, what + ": " + grid_text(first) + "; " + grid_text(second), hint};
}

}  // namespace

std::vector<std::string> require_same_heights(const named_grid& first, const named_grid& second) {
    const auto a = gdalmcp_datasets::heights_of(first.on.crs), b = gdalmcp_datasets::heights_of(second.on.crs);
    const auto code = [](const OGRSpatialReference& crs) {
        const char* text = crs.GetAuthorityCode("VERT_CS");
        return std::string_view{text ? text : ""};
    };
    if (a == b ||
        (!a.empty() && !b.empty() && !code(first.on.crs).empty() && code(first.on.crs) == code(second.on.crs)))
        return {};
    if (!a.empty() && !b.empty())
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "heights count from different surfaces: those of " + first.path + " are '" + a + "', those of " +
                        second.path + " '" + b + "'",
                    "raster_reproject to the CRS of the other transforms the heights, too"};
    const auto& silent = a.empty() ? first : second;
    return {silent.path + " names no vertical CRS; its values were taken as they are, beside those of the other in '" +
            (a.empty() ? b : a) + "'"};
}

std::vector<std::string> require_same_crs(const named_grid& first, const named_grid& second, const std::string& hint) {
    const auto &a = first.on.crs, &b = second.on.crs;
    if (a.IsEmpty() && b.IsEmpty()) return {};
    if (a.IsEmpty() || b.IsEmpty())
        return {(a.IsEmpty() ? first : second).path + " has no CRS; it was taken to be in that of the other, " +
                gdal::crs_label(a.IsEmpty() ? b : a)};
    const auto alike = gdal::likeness(a, b, first.on.extent());
    const bool a_named = gdal::detail::names_datum(a), b_named = gdal::detail::names_datum(b);
    if (alike == gdal::crs_likeness::same && a_named == b_named) return require_same_heights(first, second);
    // PROJ 9.6 takes an unknown datum for any other on the same ellipsoid; earlier versions do not.
    if (alike != gdal::crs_likeness::different && a_named != b_named && !gdal::detail::shifted(a) &&
        !gdal::detail::shifted(b))
        return {(a_named ? second : first).path + " names no datum; its coordinates were taken to be in " +
                gdal::crs_label(a_named ? a : b) + ", which has the same projection and ellipsoid"};
    throw error{GDALMCP_INVALID_ARGUMENT,
                "the CRSs differ: " + grid_text(first) + "; " + grid_text(second) + "; " + gdal::crs_with_datum(a) +
                    " is not " + gdal::crs_with_datum(b),
                hint};
}

cell_offset cell_offset_of(const named_grid& first, const named_grid& second, bool whole) {
    const auto &a = first.on, &b = second.on;
    gdalmcp_datasets::require_both_placed(first, second);
    cell_offset o;
    o.said = require_same_crs(first, second, correction(first, second, whole));
    if (a.south_up() != b.south_up())
        refuse("the rows of one run from the south, those of the other from the north", first, second,
               turned(a.south_up() ? first : second));
    if (!same_steps(a, b)) refuse("the grids differ", first, second, correction(first, second, whole));
    const auto offset = whole_offset(a, b);
    if (!offset)
        refuse("the grids are shifted by a fraction of a cell", first, second, correction(first, second, whole));
    o.column = (*offset)[0];
    o.row = (*offset)[1];
    return o;
}

bool on_same_cells(const grid& a, const grid& b) {
    return gdal::detail::coincide(a.crs, b.crs) && same_steps(a, b) && whole_offset(a, b).has_value();
}

common_window common_window_of(const named_grid& first, const named_grid& second) {
    const auto &a = first.on, &b = second.on;
    auto offset = cell_offset_of(first, second, false);
    refuse_a_turn_apart(first.path, a, b);
    refuse_a_turn_apart(second.path, b, a);
    common_window w;
    w.said = std::move(offset.said);
    const auto begin_column = std::max(0, offset.column), begin_row = std::max(0, offset.row);
    const auto end = [](int offset_of, int size, int most) {
        return static_cast<int>(std::min<std::int64_t>(std::int64_t{offset_of} + size, most));
    };
    w.first = {begin_column, begin_row, end(offset.column, b.width, a.width) - begin_column,
               end(offset.row, b.height, a.height) - begin_row};
    if (w.first.width <= 0 || w.first.height <= 0)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "the rasters do not overlap: " + first.path + " covers " + gdal::extent_text(a.extent(), a.crs) +
                        ", " + second.path + " covers " + gdal::extent_text(b.extent(), b.crs),
                    "give two rasters of the same place"};
    w.second = w.first;
    w.second.column -= offset.column;
    w.second.row -= offset.row;
    return w;
}

gdal::dataset_ptr windowed(GDALDataset& source, const gdal::window& w) {
    if (w == gdal::window{0, 0, source.GetRasterXSize(), source.GetRasterYSize()}) return nullptr;
    auto part = translate(source, "",
                          {"-of", "VRT", "-srcwin", std::to_string(w.column), std::to_string(w.row),
                           std::to_string(w.width), std::to_string(w.height)});
    if (!part) gdal::raise(std::string{"cannot read a window of "} + source.GetDescription());
    return part;
}

}  // namespace gdalmcp_raster
