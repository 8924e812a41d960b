#include "ground_cell.hpp"

#include <geodesic.h>

namespace gdalmcp_raster {

std::optional<ground_size> ground_cell(const grid& on, double column, double row) {
    if (on.crs.IsEmpty() || on.crs.IsLocal()) return std::nullopt;
    const gdalmcp::gdal::quiet silence;
    OGRSpatialReference from{on.crs};
    from.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    from.StripVertical();
    const std::unique_ptr<OGRSpatialReference> degrees{from.CloneGeogCS()};
    if (!degrees) return std::nullopt;
    degrees->SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    const std::unique_ptr<OGRCoordinateTransformation> t{OGRCreateCoordinateTransformation(&from, degrees.get())};
    if (!t) return std::nullopt;
    // West, east, north and south side.
    const std::array<double, 4> columns{column, column + 1, column + 0.5, column + 0.5},
        rows{row + 0.5, row + 0.5, row, row + 1};
    std::array<double, 4> x{}, y{};
    auto geotransform = on.geotransform;
    for (std::size_t i = 0; i < 4; ++i) GDALApplyGeoTransform(geotransform.data(), columns[i], rows[i], &x[i], &y[i]);
    if (!t->Transform(4, x.data(), y.data())) return std::nullopt;
    const double unit = degrees->GetAngularUnits() * 180 / 3.14159265358979323846;
    const double inverse = degrees->GetInvFlattening();
    geod_geodesic earth{};
    geod_init(&earth, degrees->GetSemiMajor(), inverse > 0 ? 1 / inverse : 0);
    ground_size size;
    geod_inverse(&earth, y[0] * unit, x[0] * unit, y[1] * unit, x[1] * unit, &size.width, nullptr, nullptr);
    geod_inverse(&earth, y[2] * unit, x[2] * unit, y[3] * unit, x[3] * unit, &size.height, nullptr, nullptr);
    if (!(size.width > 0) || !(size.height > 0) || !std::isfinite(size.area())) return std::nullopt;
    return size;
}

}  // namespace gdalmcp_raster
