// gdal_warp_heights.hpp — values as heights on the way to another CRS: what GDAL transforms, what is kept, what is
// refused.
#pragma once
#include "gdal_warp_request.hpp"

namespace gdalmcp_raster {

// Whether, and into which unit, GDAL transforms the values as heights. Refused: a CRS with a vertical part for values
// that are no heights, and scaled heights. from: CRS of the source.
void settle_heights(warp_request& request, GDALDataset& source, const OGRSpatialReference& from);

// Why the values of the source, although one of the two CRSs has heights, are kept as they are. "": heights are
// transformed, or there are none.
std::string doubt_of_heights(const warp_request& settled, GDALDataset& source);

}  // namespace gdalmcp_raster
