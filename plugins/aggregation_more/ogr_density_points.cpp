#include "ogr_density_points.hpp"

#include <cmath>

#include "datasets/gdal_cell_size.hpp"

namespace gdalmcp_aggregation_more {
namespace {

using gdalmcp::error;
using gdalmcp_datasets::grid;
namespace gdal = gdalmcp::gdal;

constexpr std::size_t most_points = 10'000'000;

// How far lengths deviate from those on the ground over a box, as a share; nothing where they have none.
std::optional<double> length_error(const OGRSpatialReference& crs, const OGREnvelope& box) {
    grid on;
    on.crs = crs;
    on.georeferenced = true;
    on.width = on.height = 100;
    const double width = std::max(box.MaxX - box.MinX, 1.0), height = std::max(box.MaxY - box.MinY, 1.0);
    on.geotransform = {box.MinX, width / 100, 0, box.MinY + height, 0, -height / 100};
    const auto ratios = gdalmcp_datasets::length_ratios(on);
    if (!ratios) return std::nullopt;
    return std::max(std::abs((*ratios)[0] - 1), std::abs((*ratios)[1] - 1));
}

OGRSpatialReference plane_around(const OGRSpatialReference& own, const std::array<double, 4>& bounds) {
    auto [west, south, east, north] = bounds;
    if (west > east) east += 360;
    const double longitude = std::remainder((west + east) / 2, 360.0), latitude = (south + north) / 2;
    OGRSpatialReference plane;
    plane.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    const std::string name = "Lambert azimuthal equal-area around " +
                             gdal::number_text(std::round(longitude * 1e4) / 1e4) + " " +
                             gdal::number_text(std::round(latitude * 1e4) / 1e4);
    if (plane.SetProjCS(name.c_str()) != OGRERR_NONE || plane.CopyGeogCSFrom(&own) != OGRERR_NONE ||
        plane.SetLAEA(std::round(latitude * 1e4) / 1e4, std::round(longitude * 1e4) / 1e4, 0, 0) != OGRERR_NONE)
        gdal::raise("no plane can be laid around the points");
    return plane;
}

OGREnvelope box_in(const OGRSpatialReference& to, const OGRSpatialReference& from, const OGREnvelope& box) {
    const std::unique_ptr<OGRCoordinateTransformation> way{OGRCreateCoordinateTransformation(&from, &to)};
    OGREnvelope out;
    if (!way ||
        !way->TransformBounds(box.MinX, box.MinY, box.MaxX, box.MaxY, &out.MinX, &out.MinY, &out.MaxX, &out.MaxY, 21))
        gdal::raise("the extent of the layer has no place in a plane around it");
    return out;
}

std::string percent(double share) { return gdal::number_text(std::round(1000 * share) / 10) + " %"; }

void add_points(const OGRGeometry& shape, double weight, GIntBig id, density_points& into) {
    const auto type = wkbFlatten(shape.getGeometryType());
    if (type == wkbMultiPoint) {
        for (const auto* part : *shape.toMultiPoint()) add_points(*part, weight, id, into);
        return;
    }
    if (type != wkbPoint)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "feature " + std::to_string(id) + " is a " + shape.getGeometryName() +
                        ", and densities are those of points",
                    "give a layer of points, or derive them with vector_derive (toolset vector-more)"};
    const auto& p = *shape.toPoint();
    if (p.IsEmpty()) return;
    into.points.push_back({p.getX(), p.getY(), weight});
    into.box.Merge(p.getX(), p.getY());
    into.weight += weight;
    if (into.points.size() > most_points)
        throw error{GDALMCP_INVALID_ARGUMENT, "the layer has more than " + std::to_string(most_points) + " points",
                    "take fewer with 'where'"};
}

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

OGRSpatialReference metric_crs(const OGRSpatialReference& own, const OGREnvelope& box,
                               const gdalmcp_vector::notice& say) {
    if (own.IsProjected() && std::abs(own.GetLinearUnits() - 1) < 1e-9)
        if (const auto off = length_error(own, box); off && *off <= 0.01) return own;
    const auto bounds = gdal::wgs84_bounds(box, own);
    if (!bounds)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "the extent of the points, " + gdal::extent_text(box, own) + ", has no place on Earth",
                    "check the CRS with vector_info"};
    auto plane = plane_around(own, *bounds);
    const auto off = length_error(plane, box_in(plane, own, box));
    if (!off || *off > 0.1)
        throw error{GDALMCP_UNSUPPORTED,
                    "the points extend over " + gdal::extent_text(box, own) + ", where no plane has true distances" +
                        (off ? ": they would be off by up to " + percent(*off) : std::string{}),
                    "take a part of them: 'where', or vector_query with 'geometry'"};
    if (*off > 0.01) say("distances are off by up to " + percent(*off) + " at the edge of so large an extent");
    return plane;
}

density_points read_points(const density_source& from, gdalmcp_vector::transformation& way,
                           const gdalmcp_vector::progress& report) {
    density_points all;
    gdalmcp_vector::for_each_feature(from.layer, report, [&](OGRFeature& feature) {
        if (from.condition && !from.condition->accepts(feature)) return true;
        const auto* shape = feature.GetGeometryRef();
        const auto weight = weight_of(feature, from.weight);
        const auto moved = shape && !shape->IsEmpty() && weight && !way.none() ? way.apply(*shape, false) : nullptr;
        if (moved) shape = moved.get();
        if (!shape || shape->IsEmpty() || !weight || (!way.none() && !moved))
            ++all.left_out;
        else
            add_points(*shape, *weight, feature.GetFID(), all);
        return true;
    });
    if (all.points.empty())
        throw error{GDALMCP_NOT_FOUND,
                    "no feature of layer '" + std::string{from.layer.GetName()} + "' has a point" +
                        (from.weight ? " and a weight" : "") + (from.condition ? " and meets 'where'" : ""),
                    "look at the layer with vector_info"};
    return all;
}

}  // namespace gdalmcp_aggregation_more
