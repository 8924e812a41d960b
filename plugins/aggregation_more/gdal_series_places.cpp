#include "gdal_series_places.hpp"

#include <gdalmcp/gdal_transformation.hpp>

#include <algorithm>

#include "aggregation/coverage.hpp"
#include "vector/ogr_reading.hpp"

namespace gdalmcp_aggregation_more {

using gdalmcp::error;
using gdalmcp_aggregation::place_layer;
using gdalmcp_aggregation::zone_grid;
using gdalmcp_aggregation::zone_layer;
namespace gdal = gdalmcp::gdal;

namespace {

const char* const shapeless = "it has no geometry";

[[noreturn]] void refuse_all_outside(const std::string& extent, const zone_grid& raster) {
    throw error{GDALMCP_INVALID_ARGUMENT,
                "no place lies on the rasters: the places reach " + extent + "; " + raster.path() + " covers " +
                    gdal::extent_text(raster.extent(), raster.crs()),
                "check the CRS of both with raster_info and vector_info; 'crs' names that of inline GeoJSON"};
}

bool outside_all(const std::vector<series_place>& places) {
    return std::all_of(places.begin(), places.end(), [](const auto& p) { return p.problem == outside_problem; });
}

bool is_empty(const OGRGeometry* shape) { return !shape || shape->IsEmpty(); }

// The point of a feature that has one.
const OGRPoint& point_of(const OGRFeature& feature, const place_layer& layer) {
    const auto& shape = *feature.GetGeometryRef();
    if (wkbFlatten(shape.getGeometryType()) == wkbPoint) return *shape.toPoint();
    const auto& several = *shape.toMultiPoint();
    if (several.getNumGeometries() == 1) return *several.getGeometryRef(0);
    throw error{GDALMCP_INVALID_ARGUMENT,
                "place " + layer.id_of(feature) + " has " + std::to_string(several.getNumGeometries()) +
                    " points, and a series is of one",
                "give each point as a feature of its own"};
}

}  // namespace

bool holds_points(const place_layer& layer, const std::function<void(double)>& progress) {
    std::optional<bool> points;
    std::string first;
    gdalmcp_vector::for_each_feature(layer.layer(), progress, [&](OGRFeature& feature) {
        const auto* shape = feature.GetGeometryRef();
        if (is_empty(shape)) return true;
        const auto type = OGR_GT_GetLinear(wkbFlatten(shape->getGeometryType()));
        const bool point = type == wkbPoint || type == wkbMultiPoint;
        const auto name = "place " + layer.id_of(feature) + " is a " + shape->getGeometryName();
        if (!point && type != wkbPolygon && type != wkbMultiPolygon)
            throw error{GDALMCP_INVALID_ARGUMENT, name + ", neither a point nor a polygon",
                        "give points, or polygons, for example buffers around lines"};
        if (points && *points != point)
            throw error{GDALMCP_INVALID_ARGUMENT, name + ", but " + first,
                        "give points in one call and polygons in another"};
        if (!points) first = name;
        points = point;
        return true;
    });
    if (points) return *points;
    throw error{GDALMCP_INVALID_ARGUMENT,
                "none of the " + std::to_string(layer.size()) + " places has a geometry, in layer '" +
                    layer.layer().GetName() + "'",
                "look at it with vector_info"};
}

series_points points_on(const place_layer& layer, const zone_grid& raster,
                        const std::function<void(double)>& progress) {
    series_points found;
    std::vector<double> x, y;
    std::vector<std::size_t> with_shape;
    gdalmcp_vector::for_each_feature(layer.layer(), progress, [&](OGRFeature& feature) {
        found.places.push_back({layer.id_of(feature), shapeless});
        found.cells.emplace_back();
        if (is_empty(feature.GetGeometryRef())) return true;
        const auto& point = point_of(feature, layer);
        with_shape.push_back(found.places.size() - 1);
        x.push_back(point.getX());
        y.push_back(point.getY());
        return true;
    });
    std::vector<bool> placed(x.size(), true);
    if (auto* way = layer.to_raster()) {
        const gdal::quiet silence;
        placed = gdal::transform_each(*way, x, y);
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto n = with_shape[i];
        found.cells[n] = placed[i] ? gdalmcp_raster::cell_of(raster.on(), x[i], y[i]) : std::nullopt;
        found.places[n].problem = found.cells[n] ? std::string{}
                                  : placed[i]    ? outside_problem
                                                 : "it has no place in the rasters' CRS";
    }
    if (outside_all(found.places)) refuse_all_outside(layer.extent_text(), raster);
    return found;
}

namespace {

// The box of a zone may meet the rasters where the zone does not.
bool covers_a_cell(const gdalmcp_aggregation::zone& outline, const gdalmcp_aggregation::window& where,
                   const zone_grid& raster) {
    if (where.size() == 0) return false;
    if (gdalmcp_aggregation::lies_within(outline, raster.rows(), raster.columns())) return true;
    gdalmcp_aggregation::zone_cover cover{outline, raster.rows(), raster.columns(),
                                          gdalmcp_aggregation::coverage_rule::fraction};
    gdalmcp_aggregation::cover_work work;
    std::vector<gdalmcp_aggregation::span> found;
    constexpr std::size_t at_once = 64;
    for (auto row = where.row; row < where.row + where.height && found.empty(); row += at_once)
        cover.rows(row, std::min(row + at_once, where.row + where.height), work, found);
    return !found.empty();
}

}  // namespace

series_zones zones_on(zone_layer& layer, const zone_grid& raster, const std::function<void(double)>& progress) {
    series_zones found;
    while (auto z = layer.next()) {
        if (found.places.size() % 64 == 0)
            progress(static_cast<double>(found.places.size()) / static_cast<double>(layer.size()));
        found.where.push_back(gdalmcp_aggregation::enclosing(z->outline, raster.rows(), raster.columns()));
        if (z->problem.empty() && !covers_a_cell(z->outline, found.where.back(), raster)) z->problem = outside_problem;
        found.places.push_back({std::move(z->id), std::move(z->problem)});
        found.outlines.push_back(std::move(z->outline));
        found.in_cells.push_back(z->in_cells);
    }
    if (outside_all(found.places)) refuse_all_outside(layer.extent_text(), raster);
    if (std::none_of(found.places.begin(), found.places.end(), [](const auto& p) { return p.problem.empty(); }))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "no place can be summarised; " + found.places.front().id + ": " + found.places.front().problem,
                    "look at them with vector_validate"};
    return found;
}

}  // namespace gdalmcp_aggregation_more
