#include "gdal_warp_operation.hpp"

#include <gdalmcp/gdal_kind.hpp>

#include "datasets/gdal_height_unit.hpp"
#include "gdal_warp_heights.hpp"

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;

gdal::operation operation_of(const warp_request& r, const OGRSpatialReference& from,
                             const std::optional<std::array<double, 4>>& area, bool allow_ballpark) {
    if (!r.operation.empty()) return {r.operation, std::nullopt, false, false, {}};
    if (gdal::detail::coincide(from, r.dst_crs)) return {"none: both CRSs are the same", 0.0, false, false, {}};
    return gdal::required_operation(from, r.dst_crs, area, allow_ballpark);
}

namespace {

// Shorter side of a cell in metres, degrees taken along a meridian.
double cell_metres(const grid& g) {
    const double side = std::min(g.cell_width(), g.cell_height());
    return g.crs.IsGeographic() ? side * g.crs.GetAngularUnits() * g.crs.GetSemiMajor() : side * g.crs.GetLinearUnits();
}

// Over a map in feet, heights without a unit may be in feet; the metres of the new map would no longer tell.
void warn_of_lost_unit(gdalmcp::call& call, const OGRSpatialReference& from, const OGRSpatialReference& to,
                       GDALRasterBand& band) {
    const char* unit = nullptr;
    const bool metric = from.IsEmpty() || from.IsGeographic() || from.GetLinearUnits(&unit) == 1;
    if (metric || !gdalmcp_datasets::height_unit(band, from).empty() ||
        (!to.IsGeographic() && to.GetLinearUnits() != 1) || gdal::kind_of(band).kind != gdal::value_kind::elevation)
        return;
    call.warn("the heights declare no unit, the old CRS is in " + std::string{unit} +
              " and the new one is not: if they are feet, give 'z_factor' 0.3048 where they are used");
}

}  // namespace

void warn_of_operation(gdalmcp::call& call, const gdal::operation& o, const grid& result) {
    for (const auto& doubt : gdal::doubts(o)) call.warn(doubt);
    const double cell = cell_metres(result);
    if (o.accuracy && !o.ballpark && *o.accuracy > cell)
        call.warn("the transformation '" + o.name + "' is accurate to " + gdal::number_text(*o.accuracy) +
                  " m, which is more than a cell of " + gdal::coordinate_text(cell) + " m");
}

void warn_of_source(gdalmcp::call& call, const warp_request& r, GDALDataset& source) {
    const auto* own = source.GetSpatialRef();
    if (r.src_crs && own && !own->IsEmpty() && !gdal::detail::coincide(*own, *r.src_crs))
        call.warn("'src_crs' " + gdal::crs_label(*r.src_crs) + " was used instead of the file's own " +
                  gdal::crs_label(*own));
    if (source.GetGCPCount() > 0 && !grid_of(source).georeferenced)
        call.warn("georeferenced by a polynomial through " + std::to_string(source.GetGCPCount()) +
                  " ground control points");
    else if (source.GetMetadata("RPC") && !grid_of(source).georeferenced)
        call.warn("georeferenced by rational polynomial coefficients (RPC), without a terrain model");
    if (const auto doubt = doubt_of_heights(r, source); !doubt.empty()) call.warn(doubt);
    warn_of_lost_unit(call, source_crs(source, r), r.dst_crs, *source.GetRasterBand(1));
    const auto kind = gdal::declared_kind(gdal::signs_of(*source.GetRasterBand(1), false));
    if (kind && kind->kind == gdal::value_kind::angle && !gdal::detail::coincide(source_crs(source, r), r.dst_crs))
        call.warn("directions (" + kind->why +
                  ") that count from grid north do so in the old CRS: derive them anew on the new grid");
}

}  // namespace gdalmcp_raster
