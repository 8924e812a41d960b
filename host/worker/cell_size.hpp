// The size of a dataset's cells on the ground.
#pragma once
#include <ogr_core.h>
#include <ogr_spatialref.h>

#include <array>
#include <optional>

namespace gdalmcp::worker {

// Length in metres along each axis of the cell around the centre, on the ellipsoid of the CRS: the true size, not the
// projected one. `t` = the geotransform, GDAL's six numbers. Nothing without a CRS on the Earth.
std::optional<std::array<double, 2>> cell_size(const double (&t)[6], int columns, int rows,
                                               const OGRSpatialReference& srs);

}  // namespace gdalmcp::worker
