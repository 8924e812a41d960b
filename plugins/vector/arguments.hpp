// Arguments and result fields that several vector tools share.
#pragma once
#include "census.hpp"

#include <gdalmcp/gdal_geometry.hpp>

namespace gdalmcp_vector {

inline const gdalmcp::arg<gdalmcp::vector> uri{
    .name = "uri",
    .about =
        "The vector dataset: a path relative to the first workspace, an absolute path, file://, a result's "
        "query://result/{id}, or an inline GeoJSON object.",
    .examples = {"\"rivers.shp\""}};
inline const gdalmcp::arg<gdalmcp::output_vector> output{
    .name = "output",
    .about =
        "Path to write in a writable workspace; the extension is the format: .gpkg GeoPackage, .shp Shapefile, "
        ".geojson GeoJSON (RFC 7946), .fgb FlatGeobuf. Default: a managed GeoPackage, query://result/{id}."};
inline const gdalmcp::arg<bool> overwrite{
    .name = "overwrite",
    .about = "Replace 'output' if it exists. Default false: an existing file is refused.",
    .fallback = false};

// Where to find a geometry that GEOS calls invalid.
struct invalid_table {
    gdalmcp::field<std::int64_t> id{"id", "Feature id (FID)"};
    gdalmcp::field<std::string> reason{"reason", "GEOS' reason with the place, in the layer's CRS"};
    gdalmcp::table all;
    invalid_table(const char* member, const char* about) : all{member, about, {id, reason}} {}
    void put(gdalmcp::place& p, const std::vector<invalid_feature>& features) const {
        p.begin(all);
        for (const auto& f : features) {
            auto row = p.add(all);
            row.put(id, f.id);
            row.put(reason, f.reason);
        }
    }
};

// Progress of a part of the call: [0,1] of the loop is [from, to] of the call.
inline progress part_of(gdalmcp::call& call, double from, double to, const char* what) {
    return [&call, from, to, what](double fraction) { call.progress(from + fraction * (to - from), what); };
}

// The CRS of a layer with x first, empty when it has none.
inline OGRSpatialReference crs_of(OGRLayer& layer) {
    OGRSpatialReference crs;
    if (const auto* own = layer.GetSpatialRef()) crs = *own;
    crs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    return crs;
}

// Not IsInit() for a table or a layer without geometries.
inline OGREnvelope extent_of(OGRLayer& layer) {
    OGREnvelope box;
    if (layer.GetGeomType() == wkbNone || layer.GetExtent(&box, TRUE) != OGRERR_NONE) return {};
    return box;
}

// What the host must find when it re-opens the output.
inline void expect_features(gdalmcp::call& call, GIntBig count, const OGRSpatialReference& crs) {
    std::string json = "{\"features\":" + std::to_string(count);
    if (!crs.IsEmpty()) json += ",\"crs\":" + gdalmcp::gdal::json_quote(gdalmcp::gdal::crs_text(crs));
    call.expect(output, json + "}");
}

}  // namespace gdalmcp_vector
