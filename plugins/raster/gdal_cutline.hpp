// gdal_cutline.hpp — polygons to cut a raster by, in a form that GDAL takes.
#pragma once
#include <gdalmcp/gdal.hpp>

#include <string>

namespace gdalmcp_raster {

// Writes the polygons of a layer to `to` (.fgb), united, in the CRS of a raster's coordinates, and repaired on its
// cells: GDAL refuses a cutline of which a sliver collapses there. False: the raster has no geotransform. Fails the
// call where GEOS cannot repair them.
bool mend_cutline(const std::string& path, const std::string& layer, GDALDataset& raster,
                  const OGRSpatialReference& crs, const std::string& to);

// Refuses polygons that lie on cells of a raster beyond half a turn at longitudes a turn away, where GDAL does not
// look.
void refuse_cutline_a_turn_away(const std::string& path, const std::string& layer, GDALDataset& raster,
                                const OGRSpatialReference& crs);

}  // namespace gdalmcp_raster
