// gdal_warp_operation.hpp — the way a warp takes from CRS to CRS, and what its result is warned of.
#pragma once
#include <gdalmcp/gdal_operation.hpp>

#include "gdal_warp_request.hpp"

namespace gdalmcp_raster {

// PROJ's operation for the request, or the one it names. Fails the call where PROJ knows none, or only a ballpark one
// that is not allowed. area: west, south, east, north in degrees, of the source.
gdalmcp::gdal::operation operation_of(const warp_request& request, const OGRSpatialReference& from,
                                      const std::optional<std::array<double, 4>>& area, bool allow_ballpark);

// Of an operation that is doubtful, or less accurate than a cell of the result.
void warn_of_operation(gdalmcp::call& call, const gdalmcp::gdal::operation& o, const grid& result);

// Of a CRS that is overridden, and of a source without a geotransform.
void warn_of_source(gdalmcp::call& call, const warp_request& request, GDALDataset& source);

}  // namespace gdalmcp_raster
