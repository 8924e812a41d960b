// gdal_basin_polygons.hpp — the outlines of labelled basins, by GDALPolygonize.
#pragma once
#include <map>

#include "gdal_raster.hpp"

namespace gdalmcp_hydrology {

// By label.
using basin_outlines = std::map<std::int32_t, std::unique_ptr<OGRMultiPolygon>>;

// Of all labels but 0, in the CRS of the raster, on whose grid they lie. Cells of a basin that only meet at a corner
// make parts of a multipolygon, so that every shape is valid. from, to: part of the call's progress.
basin_outlines outline_basins(gdalmcp::call& call, const gdal_raster& raster, const grid<std::int32_t>& labels,
                              double from, double to);

}  // namespace gdalmcp_hydrology
