#include "ogr_density_points.hpp"

#include <cmath>

namespace gdalmcp_aggregation_more {
namespace {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

// Nothing: the feature has none.
std::optional<double> weight_of(const OGRFeature& f, std::optional<int> field) {
    if (!field) return 1;
    if (!f.IsFieldSetAndNotNull(*field)) return std::nullopt;
    const double w = f.GetFieldAsDouble(*field);
    if (w < 0)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "feature " + std::to_string(f.GetFID()) + " has the weight " + gdal::number_text(w) +
                        ", and a density of weights below zero has no meaning",
                    "leave such features out with 'where'"};
    return std::isfinite(w) ? std::optional{w} : std::nullopt;
}

}  // namespace

density_points read_points(point_question& question, std::optional<int> weight,
                           const gdalmcp_vector::progress& report) {
    density_points all;
    if (weight) all.marks = {question.layer(), {*weight}};
    std::int64_t weightless = 0;
    const auto without = question.for_each(report, [&](const OGRFeature& feature, const auto& places) {
        const auto w = weight_of(feature, weight);
        weightless += !w;
        if (!w) return;
        if (weight) question.require_one_place(feature, places, *weight, "weight");
        all.marks.see(feature);
        for (const auto& [x, y] : places) {
            all.points.push_back({x, y, *w});
            all.box.Merge(x, y);
            all.weight += *w;
        }
    });
    all.left_out = without + weightless;
    if (all.points.empty())
        throw error{GDALMCP_NOT_FOUND,
                    "no feature of layer '" + std::string{question.layer().GetName()} + "' has a point" +
                        (weight ? " and a weight" : "") + (question.selects() ? " and meets 'where'" : ""),
                    "look at the layer with vector_info"};
    return all;
}

void keep_inside(density_points& all, const OGRGeometry& area) {
    const OGRPreparedGeometryUniquePtr inside{
        OGRCreatePreparedGeometry(OGRGeometry::ToHandle(const_cast<OGRGeometry*>(&area)))};
    if (!inside) gdalmcp::gdal::raise("cannot compare points with 'geometry'");
    std::erase_if(all.points, [&](const weighted_point& p) {
        OGRPoint place{p.x, p.y};
        return !OGRPreparedGeometryIntersects(inside.get(), OGRGeometry::ToHandle(&place));
    });
    all.weight = 0;
    for (const auto& p : all.points) all.weight += p.weight;
}

}  // namespace gdalmcp_aggregation_more
