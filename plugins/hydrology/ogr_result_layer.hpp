// ogr_result_layer.hpp — a vector file whose features and fields a tool of this bundle computes.
//
//   result_layer streams{call, path, crs, "streams", wkbLineString, {{"link_id", OFTInteger64}, {"length_m",
//   OFTReal}}}; streams.add(std::move(line), {1, 52.3}); const auto written = streams.close();
#pragma once
#include <gdalmcp/gdal.hpp>
#include <gdalmcp/tool.hpp>

#include "vector/ogr_output_layer.hpp"
#include "vector/ogr_transformation.hpp"

namespace gdalmcp_hydrology {

struct result_field {
    const char* name;  // at most ten characters, which a Shapefile keeps
    OGRFieldType type;
};

class result_layer {
public:
    // By the extension of the path; GeoJSON and KML get longitude and latitude. crs: of the geometries given.
    result_layer(gdalmcp::call& call, const std::string& path, const OGRSpatialReference& crs, const char* name,
                 OGRwkbGeometryType type, std::vector<result_field> fields);

    // values: of the fields in their order, NaN = null. A null geometry is written as none.
    void add(std::unique_ptr<OGRGeometry> shape, const std::vector<double>& values);

    // Closes the file and declares to the host what it must hold.
    void close(const gdalmcp::arg<gdalmcp::output_dataset>& output);

private:
    gdalmcp::call& call_;
    std::string path_;
    const gdalmcp_vector::format& format_;
    OGRSpatialReference crs_;  // of the file
    std::optional<gdalmcp_vector::transformation> way_;
    gdalmcp::gdal::dataset_ptr design_;  // a layer in memory that has the fields
    OGRLayer* fields_ = nullptr;
    gdalmcp::gdal::dataset_ptr file_;
    std::optional<gdalmcp_vector::output_layer> layer_;
    GIntBig next_ = 1;
};

}  // namespace gdalmcp_hydrology
