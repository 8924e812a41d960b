// Overviews of a raster in a file of their own.
#pragma once
#include <gdalmcp/gdal.hpp>

#include <string>
#include <vector>

namespace gdalmcp_raster_more {

// Writes overviews of all bands by `method` (GDAL's spelling) at `factors` (2 = half the side) to `target`, a GeoTIFF
// as GDAL puts it beside the raster (.ovr). `view`: path of a scratch file ending in .vrt: overviews of a view of the
// raster have its cells and are written beside the view, so the raster is only read. Returns their sizes, "1500×750",
// from the finest. Throws gdalmcp::error, also where `progress` stops it.
std::vector<std::string> write_overviews(GDALDataset& source, const std::string& view, const std::string& method,
                                         std::vector<int> factors, const std::string& target,
                                         gdalmcp::gdal::step& progress);

// Refuses a file beside a raster that does not hold its overviews: one that GDAL does not read, is georeferenced, has
// other bands or is no smaller. Throws gdalmcp::error.
void require_overviews_of(GDALDataset& source, const std::string& file);

}  // namespace gdalmcp_raster_more
