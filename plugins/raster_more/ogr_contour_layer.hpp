// ogr_contour_layer.hpp — contours of a raster as a vector file, with their length or area on the ground.
#pragma once
#include "gdal_algorithms.hpp"

namespace gdalmcp_raster_more {

struct contour_total {
    GIntBig features = 0;
    std::optional<double> ground;  // m of lines, m² of areas; absent without a CRS
    std::string crs;               // of the file
};

// The range of the values, to which open bands are limited.
struct value_range {
    double low = 0, high = 0;
};

// Writes contours of `band` (NaN: no data) to `path`, a vector file, field `elev` with the level and `length_m`; of
// areas `elev_min`, `elev_max`, both within `limits` if given, and `area_m2`. GeoJSON gets longitude and latitude.
// Memory: that of the longest contour.
contour_total write_contours(gdalmcp::call& call, GDALRasterBand& band, const OGRSpatialReference& crs,
                             const contour_levels& at, bool areas, const std::optional<value_range>& limits,
                             const std::string& path, const progress& report);

}  // namespace gdalmcp_raster_more
