#include "gdal_warp_extent.hpp"

#include "datasets/gdal_programs.hpp"
#include "gdal_another_turn.hpp"

#include <gdal_alg.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;

namespace {

// GDAL's own extent of a raster across the antimeridian goes once around the Earth, or has no rows.
std::optional<std::array<double, 4>> across_antimeridian(const grid& g, const OGRSpatialReference& from) {
    auto box = g.extent();
    const double margin = std::max(g.cell_width(), g.cell_height());  // for what lies between two datums
    box.MinX -= margin, box.MinY -= margin, box.MaxX += margin, box.MaxY += margin;
    const auto b = gdal::wgs84_bounds(box, from);
    return b && (*b)[0] > (*b)[2] ? b : std::nullopt;
}

struct suggestion {
    OGREnvelope extent{};
    double cell = 0;
};

double half_turn(const OGRSpatialReference& degrees) { return 2 * std::acos(0.0) / degrees.GetAngularUnits(); }

// GDAL's for cells like those of a grid between two longitudes, moved by whole turns to -180 to 180, and up to the
// poles: of rows beyond them GDAL finds no place, and ends the result ten degrees before.
std::optional<suggestion> suggested(const warp_request& r, const grid& like, const OGRSpatialReference& from,
                                    double west, double east, double turns) {
    auto& vrt = *GetGDALDriverManager()->GetDriverByName("VRT");
    const auto own = like.extent();
    const double pole = half_turn(from) / 2, north = std::min(own.MaxY, pole), south = std::max(own.MinY, -pole);
    const auto cells_in = [](double length, double cell) {
        return std::max(1, static_cast<int>(std::lround(length / cell)));
    };
    const int columns = cells_in(east - west, like.cell_width()), rows = cells_in(north - south, like.cell_height());
    const gdal::dataset_ptr view{vrt.Create("", columns, rows, 0, GDT_Byte, nullptr)};
    std::array placed{west - turns, (east - west) / columns, 0.0, north, 0.0, -(north - south) / rows};
    if (!view || view->SetGeoTransform(placed.data()) != CE_None || view->SetSpatialRef(&from) != CE_None)
        return std::nullopt;
    gdal::words options{"DST_SRS=" + crs_definition(r.dst_crs)};
    if (!r.operation.empty()) options.add("COORDINATE_OPERATION=" + r.operation);
    const std::unique_ptr<void, decltype(&GDALDestroyTransformer)> way{
        GDALCreateGenImgProjTransformer2(GDALDataset::ToHandle(view.get()), nullptr, options.get()),
        GDALDestroyTransformer};
    std::array<double, 6> cells{};
    std::array<double, 4> box{};
    int across = 0, down = 0;
    if (!way || GDALSuggestedWarpOutput2(GDALDataset::ToHandle(view.get()), GDALGenImgProjTransform, way.get(),
                                         cells.data(), &across, &down, box.data(), 0) != CE_None)
        return std::nullopt;
    suggestion found;
    found.extent.Merge(box[0], box[1]);
    found.extent.Merge(box[2], box[3]);
    found.cell = cells[1];
    return found;
}

// Of a raster in degrees that reaches beyond 180 or a pole: moved, if it goes once around the Earth, else of the parts
// that lie within one turn each. nullopt for others.
std::optional<suggestion> around_the_earth(const warp_request& r, const grid& g, const OGRSpatialReference& from) {
    const double half = half_turn(from);
    const auto own = g.extent();
    const double noticed = 0.1 * g.cell_width();
    const bool within =
        own.MinX >= -half - noticed && own.MaxX <= half + noticed && own.MinY >= -half / 2 && own.MaxY <= half / 2;
    if (g.rotated() || g.mirrored() || within) return std::nullopt;
    const gdal::quiet silence;
    if (std::abs(own.MaxX - own.MinX - 2 * half) <= noticed)
        return suggested(r, g, from, own.MinX, own.MaxX, own.MinX + half);
    suggestion all;
    for (double turns = -4 * half; turns <= 4 * half; turns += 2 * half) {
        const double west = std::max(own.MinX, turns - half), east = std::min(own.MaxX, turns + half);
        if (east - west <= noticed) continue;
        const auto part = suggested(r, g, from, west, east, turns);
        if (!part) return std::nullopt;
        all.extent.Merge(part->extent);
        if (all.cell == 0 || part->cell < all.cell) all.cell = part->cell;
    }
    return all;
}

// Whether an extent is that of a pole which the map has far beyond the size of the Earth, as Mercator does.
bool endless(const suggestion& s, const OGRSpatialReference& crs) {
    constexpr double far = 1e8;  // m
    const auto& e = s.extent;
    const std::array sides{e.MinX, e.MaxX, e.MinY, e.MaxY};
    return !std::all_of(sides.begin(), sides.end(),
                        [&](double side) { return std::abs(side) * crs.GetLinearUnits() <= far; });
}

// GDAL's own would have cells of a thousand kilometres, to hold the pole, and end that much before the map does.
void end_at_area_of_use(warp_request& r, const OGREnvelope& own, const OGRSpatialReference& from) {
    double west = 0, south = 0, east = 0, north = 0;
    if (!r.dst_crs.GetAreaOfUse(&west, &south, &east, &north, nullptr)) return;
    const double low = std::max(own.MinY, south), high = std::min(own.MaxY, north);
    if (low >= high) return;
    r.bounds = {{own.MinX, low, own.MaxX, high}};
    r.bounds_crs = from;
    gdal::detail::caution("the source reaches a pole, where " + gdal::crs_label(r.dst_crs) +
                          " has no end: the result ends at its area of use, latitudes " + gdal::coordinate_text(low) +
                          " to " + gdal::coordinate_text(high) + "; 'bounds' chooses others");
}

}  // namespace

void settle_extent(warp_request& r, GDALDataset& source, const OGRSpatialReference& from, bool alone) {
    const grid g = grid_of(source);
    if (r.bounds || r.bounds_crs || r.align_to || !g.georeferenced) return;
    const bool own_cells = r.resolution.empty() && !r.width && !r.height;
    if (own_cells && r.operation.empty() && !r.epoch && gdal::detail::coincide(from, r.dst_crs)) return;  // kept
    if (r.dst_crs.IsGeographic() && !from.IsGeographic()) r.bounds = across_antimeridian(g, from);
    if (alone && r.dst_crs.IsGeographic() && from.IsGeographic() && !g.rotated() && beyond_half_turn(g.extent())) {
        // Where its longitudes are: GDAL would begin at -180 and hold a part twice.
        const auto own = g.extent();
        // Rows around a pole, as grids with cell centres on it have, end beyond it: whole ones are left out, so that
        // the others stay where they are.
        const double cell = g.cell_height(), north = std::ceil((own.MaxY - 90) / cell - 1e-6),
                     south = std::ceil((-90 - own.MinY) / cell - 1e-6);
        if (own_cells && std::max(north, south) > 0)
            gdal::detail::caution("the rows whose cells reach beyond the poles are left out");
        r.bounds = own_cells ? std::array{own.MinX, own.MinY + std::max(south, 0.0) * cell, own.MaxX,
                                          own.MaxY - std::max(north, 0.0) * cell}
                             : std::array{own.MinX, std::max(own.MinY, -90.0), own.MaxX, std::min(own.MaxY, 90.0)};
        if (own_cells) r.resolution = {g.cell_width(), g.cell_height()};
    }
    if (!alone || !from.IsGeographic() || r.dst_crs.IsGeographic()) return;
    const auto own = g.extent();
    const auto found = around_the_earth(r, g, from);
    const auto any = [&] {
        const gdal::quiet silence;
        return found ? found : suggested(r, g, from, own.MinX, own.MaxX, 0);
    }();
    if (any && endless(*any, r.dst_crs))
        end_at_area_of_use(r, own, from);
    else if (found) {
        r.bounds = {{found->extent.MinX, found->extent.MinY, found->extent.MaxX, found->extent.MaxY}};
        if (r.resolution.empty() && !r.width && !r.height) r.resolution = {found->cell, found->cell};
    }
    CPLErrorReset();
}

void bring_bounds_to_target(warp_request& r) {
    constexpr int along = 4000, inside = 500, across = 20;  // parts of a side and of a line through the box; lines
    constexpr double quarter = 1e7;                         // of the way around the Earth, m
    const double unit = r.dst_crs.IsGeographic() ? 0 : r.dst_crs.GetLinearUnits();
    const gdal::transformation way{OGRCreateCoordinateTransformation(&*r.bounds_crs, &r.dst_crs)};
    const gdal::quiet silence;
    const auto& b = *r.bounds;
    const auto at = [&](double u, double v) {
        double x = b[0] + u * (b[2] - b[0]), y = b[1] + v * (b[3] - b[1]);
        if (!way || !way->Transform(1, &x, &y) || !(std::abs(x) * unit < 10 * quarter) ||
            !(std::abs(y) * unit < 10 * quarter))
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 "'bounds' " + gdal::box_text(b[0], b[1], b[2], b[3]) + " of " +
                                     gdal::crs_label(*r.bounds_crs) + " reaches to where " +
                                     gdal::crs_label(r.dst_crs) + " has no place or no end",
                                 "give a box within its area of use, or one in units of dst_crs, without 'bounds_crs'"};
        return std::array{x, y};
    };
    OGREnvelope box;
    const auto take = [&](const std::array<double, 2>& p) { box.Merge(p[0], p[1]); };
    for (int line = 0; line <= across; ++line) {
        const double v = 1.0 * line / across;
        const int parts = line == 0 || line == across ? along : inside;
        auto before = at(0, v);
        take(before);
        for (int i = 1; i <= parts; ++i) {
            const auto here = at(1.0 * i / parts, v);
            take(here);
            if (std::abs(here[0] - before[0]) * unit >
                quarter) {  // across the edge of the map, up to which the box goes
                double low = (i - 1.0) / parts, high = 1.0 * i / parts;
                for (int halving = 0; halving < 40; ++halving) {
                    const double middle = (low + high) / 2;
                    (std::abs(at(middle, v)[0] - before[0]) * unit > quarter ? high : low) = middle;
                }
                take(at(low, v)), take(at(high, v));
            }
            before = here;
        }
    }
    for (int i = 0; i <= along; ++i) take(at(0, 1.0 * i / along)), take(at(1, 1.0 * i / along));
    CPLErrorReset();
    r.bounds = {{box.MinX, box.MinY, box.MaxX, box.MaxY}};
    r.bounds_crs = std::nullopt;
}

std::optional<grid> suggested_grid(warp_request r, GDALDataset& source) {
    r.resolution.clear();
    r.aligned = false;
    r.width = r.height = std::nullopt;
    gdal::words words{"-of", "VRT"};
    for (const auto& word : gdalwarp_arguments(r, false)) words.add(word);
    const gdal::quiet silence;
    const auto made = warp_by_program({&source}, "", std::move(words), {});
    CPLErrorReset();
    return made ? std::optional{grid_of(*made)} : std::nullopt;
}

std::array<double, 4> bounds_of_cells(const grid& of, OGREnvelope box, double x, double y) {
    const auto whole = of.extent();
    box.Intersect(whole);
    const auto from = [](double d) { return std::floor(d + 1e-9); };
    const auto to = [](double d, double last) {
        return std::max(1.0, std::min(std::ceil(d - 1e-9), std::floor(last + 0.5)));
    };
    const double left = from((box.MinX - whole.MinX) / x), top = from((whole.MaxY - box.MaxY) / y);
    const double right = to((box.MaxX - whole.MinX) / x, (whole.MaxX - whole.MinX) / x);
    const double bottom = to((whole.MaxY - box.MinY) / y, (whole.MaxY - whole.MinY) / y);
    return {whole.MinX + left * x, whole.MaxY - std::max(bottom, top + 1) * y,
            whole.MinX + std::max(right, left + 1) * x, whole.MaxY - top * y};
}

}  // namespace gdalmcp_raster
