// Geometries written as text, and layers that are nothing but a CRS and an extent.
#pragma once
#include "../vector/layers.hpp"
#include "vector_more/ogr_piece.hpp"

#include "vector/ogr_layer_pass.hpp"

inline std::vector<std::string> texts(const gdalmcp_vector_more::pieces& all) {
    std::vector<std::string> out;
    for (const auto& p : all) out.push_back(wkt(*p.shape));
    return out;
}

inline gdalmcp_vector::source_layer layer_in(const char* crs, OGREnvelope extent) {
    return {nullptr, nullptr, crs ? *gdalmcp::gdal::parse_crs(crs) : OGRSpatialReference{}, extent};
}

inline OGREnvelope box(double minx, double miny, double maxx, double maxy) {
    OGREnvelope b;
    b.MinX = minx, b.MinY = miny, b.MaxX = maxx, b.MaxY = maxy;
    return b;
}
