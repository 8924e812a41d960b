// The spatial index of a shapefile (.qix, a quadtree of MapServer's format), which OGR reads beside the .shp.
#pragma once
#include <gdalmcp/gdal.hpp>

#include <cstdint>
#include <string>

namespace gdalmcp_vector_more {

// Writes the index of the layer in `shapefile` to `index`, by OGR's CREATE SPATIAL INDEX on a copy of its geometries in
// `scratch`, a folder. Returns the number of records. Refused: another format, a
// layer that has an index.
std::int64_t write_spatial_index(const std::string& shapefile, const std::string& scratch, const std::string& index);

// The index beside the layer in `shapefile`. Refused: another format, a file that is no index.
std::string spatial_index_of(const std::string& shapefile);

}  // namespace gdalmcp_vector_more
