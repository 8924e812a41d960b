#include "worker/cell_size.hpp"

#include <geodesic.h>

#include <gdalmcp/gdal_transformation.hpp>

namespace gdalmcp::worker {

std::optional<std::array<double, 2>> cell_size(const double (&t)[6], int columns, int rows,
                                               const OGRSpatialReference& srs) {
    const auto own = gdal::own_geographic_of(srs);
    if (!own) return std::nullopt;
    // Left, right, top and bottom of the cell, through its centre.
    const double c = columns / 2.0, r = rows / 2.0;
    const double at[4][2] = {{c - 0.5, r}, {c + 0.5, r}, {c, r - 0.5}, {c, r + 0.5}};
    double lon[4], lat[4];
    for (int i = 0; i < 4; ++i) {
        lon[i] = t[0] + at[i][0] * t[1] + at[i][1] * t[2];
        lat[i] = t[3] + at[i][0] * t[4] + at[i][1] * t[5];
    }
    if (!srs.IsGeographic()) {
        const gdal::quiet silence;
        if (!own.way->Transform(4, lon, lat)) return std::nullopt;
    }
    geod_geodesic ellipsoid;
    const double inverse_flattening = own.crs->GetInvFlattening();  // 0 for a sphere
    geod_init(&ellipsoid, own.crs->GetSemiMajor(), inverse_flattening == 0 ? 0 : 1 / inverse_flattening);
    std::array<double, 2> size{};
    for (int axis = 0; axis < 2; ++axis) {
        const int a = 2 * axis, b = a + 1;
        geod_inverse(&ellipsoid, lat[a], lon[a], lat[b], lon[b], &size[axis], nullptr, nullptr);
        if (!std::isfinite(size[axis]) || size[axis] <= 0) return std::nullopt;
    }
    return size;
}

}  // namespace gdalmcp::worker
