// ogr_density_points.hpp — points with weights, read from a layer.
#pragma once
#include "ogr_point_question.hpp"
#include "point_density.hpp"
#include "vector/ogr_field_marks.hpp"

namespace gdalmcp_aggregation_more {

struct density_points {
    std::vector<weighted_point> points;
    OGREnvelope box;
    double weight = 0;                    // Σ
    std::int64_t left_out = 0;            // features without a point, a weight or a place in the plane
    gdalmcp_vector::marked_fields marks;  // the weights
};

// weight: a numeric field; nullopt: each point counts once. Each part of a multipoint counts with the weight of its
// feature. Fails the call for weights below zero, and where there is no point.
density_points read_points(point_question& question, std::optional<int> weight, const gdalmcp_vector::progress& report);

// Drops the points outside an area in their plane; those on its edge are inside.
void keep_inside(density_points& all, const OGRGeometry& area);

}  // namespace gdalmcp_aggregation_more
