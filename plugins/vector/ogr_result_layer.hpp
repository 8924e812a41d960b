// ogr_result_layer.hpp — a vector file whose features and fields a tool computes.
//
//   result_file file{call, path, crs};
//   result_layer streams{file, "streams", wkbLineString, {{"link_id", OFTInteger64}, {"length_m", OFTReal}}};
//   streams.add(std::move(line), {1, 52.3});
//   streams.finish();
//   file.close(output);
#pragma once
#include <gdalmcp/gdal.hpp>
#include <gdalmcp/gdal_crs.hpp>
#include <gdalmcp/tool.hpp>

#include "ogr_output_layer.hpp"
#include "ogr_transformation.hpp"

namespace gdalmcp_vector {

struct result_field {
    const char* name;  // at most ten characters, which a Shapefile keeps
    OGRFieldType type;
};

class result_file {
public:
    // By the extension of the path; GeoJSON and KML get longitude and latitude. crs: of the geometries given.
    result_file(gdalmcp::call& call, const std::string& path, const OGRSpatialReference& crs);

    // Closes the file and declares to the host what it must hold.
    template <class Output>
    void close(const gdalmcp::arg<Output>& output) {
        close_file();
        call_.expect(output, {.crs = gdalmcp::gdal::crs_text(crs_), .features = features_});
    }

private:
    friend class result_layer;
    void close_file();

    gdalmcp::call& call_;
    std::string path_;
    const format format_;
    OGRSpatialReference crs_;  // of the file
    std::optional<transformation> way_;
    gdalmcp::gdal::dataset_ptr design_;  // layers in memory that have the fields
    gdalmcp::gdal::dataset_ptr file_;
    std::int64_t features_ = 0;
};

// A layer of such a file. Formats of one layer hold one.
class result_layer {
public:
    // file: outlives it.
    result_layer(result_file& file, const char* name, OGRwkbGeometryType type, const std::vector<result_field>& fields);

    // values: of the fields in their order, NaN = null. A null geometry is written as none.
    void add(std::unique_ptr<OGRGeometry> shape, const std::vector<double>& values);

    // After the last feature.
    void finish();

private:
    result_file& file_;
    OGRLayer* fields_ = nullptr;
    std::optional<output_layer> layer_;
    GIntBig next_ = 1;
};

}  // namespace gdalmcp_vector
