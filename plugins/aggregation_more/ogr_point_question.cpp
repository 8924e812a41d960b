#include "ogr_point_question.hpp"

#include <cmath>

#include "datasets/gdal_cell_size.hpp"
#include "vector/ogr_layer_extent.hpp"

namespace gdalmcp_aggregation_more {
namespace {

using gdalmcp::error;
using gdalmcp_datasets::grid;
namespace gdal = gdalmcp::gdal;
namespace standard = gdalmcp::standard;

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

void add_places(const OGRGeometry& shape, GIntBig id, std::vector<point_question::place>& into) {
    const auto type = wkbFlatten(shape.getGeometryType());
    if (type == wkbMultiPoint) {
        for (const auto* part : *shape.toMultiPoint()) add_places(*part, id, into);
        return;
    }
    if (type != wkbPoint)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "feature " + std::to_string(id) + " is a " + shape.getGeometryName() + ", not a point",
                    "give a layer of points, or derive them with vector_derive (toolset vector-more)"};
    if (!shape.IsEmpty()) into.push_back({shape.toPoint()->getX(), shape.toPoint()->getY()});
}

// A CRS in metres whose lengths are true within 1 % over a box of a layer: its own where it is so, else an equal-area
// plane (Lambert azimuthal) around the middle of the box. Lengths that vary by more than 1 % even there are reported to
// `say`; by more than 10 %, the call fails.
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

gdal::placed_geometry placed_area(gdalmcp::call& call, const OGRSpatialReference& own, const OGREnvelope& extent) {
    auto area = gdal::place_geometry(*call[standard::geometry], call[standard::geometry_crs], {own, extent});
    area.tell(call);
    OGREnvelope wanted;
    area.shape->getEnvelope(&wanted);
    if (!wanted.Intersects(extent))
        throw error{GDALMCP_NOT_FOUND,
                    "no point lies in 'geometry': it covers " + gdal::extent_text(wanted, own) + ", the points " +
                        gdal::extent_text(extent, own),
                    "give a geometry that overlaps the points"};
    return area;
}

}  // namespace

point_question::point_question(gdalmcp::call& call) : source_{gdal::open(call[points_uri])} {
    layer_ = &gdal::layer_of(*source_, call[standard::layer]);
    const auto name = "layer '" + std::string{layer_->GetName()} + "'";
    const auto say = [&call](const std::string& text) { call.warn(text); };
    const auto own = gdalmcp_vector::crs_of(*layer_, std::nullopt, say);
    if (own.IsEmpty() || own.IsLocal())
        throw error{GDALMCP_INVALID_ARGUMENT, name + " has no CRS on Earth",
                    "write it with its CRS first, with vector_reproject and 'src_crs'"};
    OGREnvelope extent;
    if (layer_->GetExtent(&extent, TRUE) != OGRERR_NONE)
        throw error{GDALMCP_NOT_FOUND, name + " has no extent: it holds no points", "look at it with vector_info"};
    std::optional<gdal::placed_geometry> area;
    if (call.given(standard::geometry)) {
        area = placed_area(call, own, extent);
        extent = gdalmcp_vector::extent_across_180(*area->shape, own);
    } else {
        extent = gdalmcp_vector::extent_across_180(*layer_, own, extent);
    }
    plane_ = metric_crs(own, extent, say);
    way_.emplace(own, plane_, gdal::wgs84_bounds(extent, own), call[standard::allow_ballpark], say);
    if (const auto text = call[where]) condition_.emplace(*layer_, *text);
    if (!area) return;
    area_.reset(way_->none() ? area->shape->clone() : way_->apply_densified(*area->shape).release());
    if (!area_)
        throw error{GDALMCP_INVALID_ARGUMENT, "'geometry' has no place in the plane around it", "give a smaller one"};
}

std::int64_t point_question::for_each(const gdalmcp_vector::progress& report,
                                      const std::function<void(const OGRFeature&, const std::vector<place>&)>& each) {
    std::int64_t without = 0;
    std::size_t points = 0;
    std::vector<place> places;
    gdalmcp_vector::for_each_feature(*layer_, report, [&](OGRFeature& feature) {
        if (condition_ && !condition_->accepts(feature)) return true;
        const auto* shape = feature.GetGeometryRef();
        const auto moved = shape && !shape->IsEmpty() && !way_->none() ? way_->apply(*shape, false) : nullptr;
        places.clear();
        if (shape && (way_->none() || moved)) add_places(moved ? *moved : *shape, feature.GetFID(), places);
        points += places.size();
        if (points > most_points)
            throw error{GDALMCP_INVALID_ARGUMENT, "the layer has more than " + std::to_string(most_points) + " points",
                        "take fewer with 'where'"};
        if (places.empty())
            ++without;
        else
            each(feature, places);
        return true;
    });
    return without;
}

void point_question::require_one_place(const OGRFeature& feature, const std::vector<place>& places, int field,
                                       const std::string& argument) const {
    if (places.size() == 1) return;
    throw error{
        GDALMCP_INVALID_ARGUMENT,
        "feature " + std::to_string(feature.GetFID()) + " has " + std::to_string(places.size()) + " points and one '" +
            layer_->GetLayerDefn()->GetFieldDefn(field)->GetNameRef() + "', which would count at each of them",
        "leave out '" + argument + "' to count the points, or give each point a feature and a value of its own"};
}

}  // namespace gdalmcp_aggregation_more
