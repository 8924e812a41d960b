// gdal_height_unit.hpp — the unit of heights, and what they are measured from.
#pragma once
#include <gdal_priv.h>

#include <optional>
#include <string>

namespace gdalmcp_datasets {

// The band's own, else that of a vertical CRS; "" if neither declares one.
std::string height_unit(GDALRasterBand& band, const OGRSpatialReference& crs);

// Metres of one height unit: 1 for metres, 0.3048... for feet; nullopt for an unknown unit.
std::optional<double> metres_of(const std::string& unit);

// Whether two names are spellings of one unit: m and metre.
bool same_unit(const std::string& a, const std::string& b);

// Whether GDAL's warper converts heights of this unit; those of others, such as cm, it takes for that of the CRS.
bool transformed_by_gdal(const std::string& unit);

// Whether the vertical CRS counts downwards: of depths the largest is the lowest.
bool counts_down(const OGRSpatialReference& crs);

// What the heights of a CRS are measured from; "" without any.
std::string heights_of(const OGRSpatialReference& crs);

}  // namespace gdalmcp_datasets
