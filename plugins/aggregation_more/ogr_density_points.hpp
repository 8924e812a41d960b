// ogr_density_points.hpp — the points of a layer, in a plane whose lengths are metres on the ground.
#pragma once
#include <gdalmcp/tool.hpp>

#include <optional>
#include <string>

#include "datasets/gdal_grid.hpp"
#include "point_density.hpp"
#include "vector/ogr_selection.hpp"
#include "vector/ogr_transformation.hpp"

namespace gdalmcp_aggregation_more {

// A CRS in metres whose lengths are true within 1 % over a box of a layer: its own where it is so, else an equal-area
// plane (Lambert azimuthal) around the middle of the box. Lengths that vary by more than 1 % even there are reported to
// `say`; by more than 10 %, the call fails.
OGRSpatialReference metric_crs(const OGRSpatialReference& own, const OGREnvelope& box,
                               const gdalmcp_vector::notice& say);

struct density_points {
    std::vector<weighted_point> points;
    OGREnvelope box;
    double weight = 0;          // Σ
    std::int64_t left_out = 0;  // features without a point, a weight or a place in the plane
};

struct density_source {
    OGRLayer& layer;
    std::optional<int> weight;                                    // a numeric field
    const gdalmcp_vector::attribute_filter* condition = nullptr;  // nullptr: all
};

// Each part of a multipoint counts with the weight of its feature. Fails the call for other geometries, for weights
// below zero, beyond 10 million points, and where there is no point.
density_points read_points(const density_source& from, gdalmcp_vector::transformation& way,
                           const gdalmcp_vector::progress& report);

}  // namespace gdalmcp_aggregation_more
