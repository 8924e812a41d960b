// gdal_warp_extent.hpp — the extent of a warp that asks for none, where GDAL's own would not hold the raster, or goes
// once around the Earth.
#pragma once
#include "gdal_warp_request.hpp"

namespace gdalmcp_raster {

// Sets the bounds of a request without an extent for a raster across the antimeridian in a geographic CRS, and, where
// it is the only source, for one in longitudes beyond 180 in another CRS: GDAL would suggest the part up to 180 alone.
// from: the CRS of the source.
void settle_extent(warp_request& request, GDALDataset& source, const OGRSpatialReference& from, bool alone);

// Puts the box in dst_crs around all of what 'bounds' holds in 'bounds_crs': gdalwarp's -te_srs has that of two
// corners, which cuts off the others where the sides bend. Refused: a box that has no place in dst_crs, or no end.
void bring_bounds_to_target(warp_request& request);

// The extent of the request's result, asked for or GDAL's, with the cells that GDAL suggests there, whatever size the
// request has them; nullopt where GDAL cannot place the source, for which the warp itself gives the reason.
std::optional<grid> suggested_grid(warp_request request, GDALDataset& source);

// Bounds of the cells of a size, counted from a raster's own corner so that neighbouring boxes fit together, that a box
// touches; without those whose centre lies beyond the raster, which would have to be invented.
std::array<double, 4> bounds_of_cells(const grid& of, OGREnvelope box, double cell_width, double cell_height);

}  // namespace gdalmcp_raster
