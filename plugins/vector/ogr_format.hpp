// The vector formats a tool can write, by the extension of the output's path.
#pragma once
#include <ogr_feature.h>
#include <ogr_spatialref.h>

#include <gdalmcp/gdal.hpp>

#include <optional>
#include <string>

namespace gdalmcp_vector {

struct format {
    const char* extension;  // with the dot, lower case
    const char* driver;     // GDAL's name
    bool several_layers;    // one file can hold more than one layer
    bool keeps_ids;         // feature ids come back as they were written
    int first_id;           // of those that number features by their place
    bool sorts_features;    // their order changes as well
    bool wgs84_only;        // longitude and latitude on WGS 84, nothing else: RFC 7946, KML
};

// Throws gdalmcp::error naming the known extensions for any other.
format format_of(const std::string& path);

// The name of a field in a Shapefile, which has 10 bytes for it, beside those taken: GDAL cuts a longer one within a
// character. Of plain letters it is left to GDAL.
std::string shapefile_name(const std::string& name, const OGRFeatureDefn& taken);

// Refuses a CRS that the format cannot hold, as the argument dst_crs.
void require_crs_of(const format& f, const OGRSpatialReference& crs);

// A CRS as a layer of the format is given it, which leads the driver to write what is meant. crs: nullptr for none.
std::optional<OGRSpatialReference> crs_as_written(const format& f, const OGRSpatialReference* crs);

}  // namespace gdalmcp_vector
