#include "gdal_distortion_subject.hpp"

#include "datasets/gdal_height_unit.hpp"
#include "datasets/gdal_raster_source.hpp"

#include <geodesic.h>
#include <gdalmcp/gdal_area.hpp>
#include <gdalmcp/gdal_geometry.hpp>

#include <algorithm>
#include <cmath>

#include "gdal_map_scale.hpp"

namespace gdalmcp_raster {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

namespace {

// A vertical part that only one of the two names moves nothing on the ground.
bool alike_on_the_ground(OGRSpatialReference a, OGRSpatialReference b) {
    if (a.IsCompound() != b.IsCompound()) {
        a.StripVertical();
        b.StripVertical();
    }
    return gdal::detail::coincide(a, b);
}

void read_in(subject& s, const OGRSpatialReference& given) {
    const auto from = heights_of(s.crs), to = heights_of(given);
    if (!from.empty() && !to.empty() && from != to) s.heights = "heights in " + from + " are taken for " + to;
    if (!gdal::undefined(s.crs) && (!alike_on_the_ground(s.crs, given) || !s.heights.empty())) s.replaced = s.crs;
    s.crs = given;
    s.crs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
}

// The extent of all layers of one CRS; those without features or without geometry lie nowhere.
void read_layers(subject& s, const std::string& name) {
    for (auto* l : s.file->GetLayers()) {
        OGREnvelope there;
        if (l->GetGeomType() == wkbNone || l->GetExtent(&there, TRUE) != OGRERR_NONE || !there.IsInit()) continue;
        const auto crs = gdal::stated_crs(l->GetSpatialRef());
        if (s.extent.IsInit() && !gdal::detail::coincide(crs, s.crs))
            throw error{GDALMCP_UNSUPPORTED, name + " has layers in several CRSs, and one is measured at a time",
                        "name one with 'layer'"};
        s.crs = crs;
        s.extent.Merge(there);
    }
    if (!s.extent.IsInit())
        throw error{GDALMCP_UNSUPPORTED, "every layer of " + name + " is empty", "check it with vector_info"};
}

// Where the shapes of a layer in degrees end east of Greenwich, and where they begin west of it.
struct half_turns {
    double west = 1e300, east = -1e300;
    bool apart = true;
    void see(const OGRGeometry* shape) {
        if (!shape || shape->IsEmpty() || !apart) return;
        if (OGR_GT_IsSubClassOf(wkbFlatten(shape->getGeometryType()), wkbGeometryCollection)) {
            for (const auto* part : *shape->toGeometryCollection()) see(part);
            return;
        }
        OGREnvelope box;
        shape->getEnvelope(&box);
        if (box.MinX >= 0)
            west = std::min(west, box.MinX);
        else if (box.MaxX <= 0)
            east = std::max(east, box.MaxX);
        else
            apart = false;
    }
};

// Features on both sides of 180 degrees lie between their own longitudes, not from -180 to 180.
void join_across_180(subject& s) {
    const double turn = 2 * std::acos(-1.0) / s.crs.GetAngularUnits();
    if (!s.layer || !gdal::detail::geographic(s.crs) || s.extent.MaxX - s.extent.MinX <= turn / 2) return;
    half_turns found;
    constexpr int most = 200'000;
    s.layer->ResetReading();
    for (int n = 0; found.apart; ++n) {
        const std::unique_ptr<OGRFeature> feature{s.layer->GetNextFeature()};
        if (!feature) break;
        found.see(feature->GetGeometryRef());
        if (n >= most) found.apart = false;
    }
    s.layer->ResetReading();
    if (!found.apart || found.west > turn || found.east < -turn || found.west - found.east <= turn / 2) return;
    s.extent.MinX = found.west;
    s.extent.MaxX = found.east + turn;
}

}  // namespace

subject read_subject(const gdalmcp::dataset& data, const part_of_data& part,
                     const std::optional<OGRSpatialReference>& given) {
    subject s;
    s.file = part.subdataset ? open_raster(gdalmcp::raster{data.path}, part.subdataset) : gdal::open(data);
    std::string name = s.file->GetDescription();
    if (s.file->GetRasterCount() > 0) {
        const grid g = grid_of(*s.file);
        if (!g.georeferenced)
            throw error{irregular_location(*s.file).empty() ? GDALMCP_INVALID_ARGUMENT : GDALMCP_UNSUPPORTED,
                        name + " has no geotransform, so where it lies is unknown",
                        "give it a geotransform or a world file first"};
        s.crs = g.crs;
        s.extent = g.extent();
    } else if (!part.layer && s.file->GetLayerCount() > 1) {  // vector_reproject takes them all
        read_layers(s, name);
    } else {
        auto& l = gdal::layer_of(*s.file, part.layer);
        s.crs = gdal::stated_crs(l.GetSpatialRef());
        if (l.GetExtent(&s.extent, TRUE) != OGRERR_NONE || !s.extent.IsInit())
            throw error{GDALMCP_UNSUPPORTED, "the layer '" + std::string{l.GetName()} + "' of " + name + " is empty",
                        "check it with vector_info"};
        s.layer = &l;
    }
    s.crs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    if (given) read_in(s, *given);
    if (s.crs.IsEmpty() || s.crs.IsLocal())
        throw error{GDALMCP_INVALID_ARGUMENT, name + " has no CRS, so where it lies is unknown",
                    "find out its CRS and name it with 'src_crs'; do not guess"};
    s.crs.StripVertical();
    join_across_180(s);
    return s;
}

void limit_to(subject& s, const std::array<double, 4>& box, const OGRSpatialReference& box_crs) {
    const gdal::quiet silence;
    OGREnvelope part;
    part.MinX = box[0], part.MinY = box[1], part.MaxX = box[2], part.MaxY = box[3];
    if (!gdal::detail::coincide(box_crs, s.crs)) {
        const std::unique_ptr<OGRCoordinateTransformation> t{OGRCreateCoordinateTransformation(&box_crs, &s.crs)};
        OGREnvelope there;
        constexpr int points_a_side = 21;
        if (!t || !t->TransformBounds(part.MinX, part.MinY, part.MaxX, part.MaxY, &there.MinX, &there.MinY, &there.MaxX,
                                      &there.MaxY, points_a_side))
            return;
        part = there;
    }
    if (part.MinX > part.MaxX) return;  // across the antimeridian
    OGREnvelope kept = s.extent;
    kept.Intersect(part);
    if (kept.IsInit() && kept.MinX < kept.MaxX && kept.MinY < kept.MaxY) s.extent = kept;
}

void require_a_place(const subject& s, const OGRSpatialReference& to, const std::string& name) {
    const gdal::quiet silence;
    OGRSpatialReference target{to};
    target.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    const std::unique_ptr<OGRCoordinateTransformation> t{OGRCreateCoordinateTransformation(&s.crs, &target)};
    if (!s.layer || !t) return;
    for (const double i : {0.0, 0.25, 0.5, 0.75, 1.0})
        for (const double j : {0.0, 0.25, 0.5, 0.75, 1.0}) {
            double x = s.extent.MinX + i * (s.extent.MaxX - s.extent.MinX);
            double y = s.extent.MinY + j * (s.extent.MaxY - s.extent.MinY);
            if (t->Transform(1, &x, &y) && std::isfinite(x) && std::isfinite(y)) return;
        }
    throw error{GDALMCP_INVALID_ARGUMENT,
                "the data at " + gdal::extent_text(s.extent, s.crs) + " have no place in " + name,
                "choose a CRS that covers them, or check src_crs and the order of the coordinates (x first)"};
}

std::optional<double> ground_shift(const OGREnvelope& extent, const OGRSpatialReference& a,
                                   const OGRSpatialReference& b) {
    const gdal::quiet silence;
    const auto from_a = gdal::to_wgs84(a), from_b = gdal::to_wgs84(b);
    if (!from_a || !from_b) return std::nullopt;
    const auto earth = gdal::parse_crs("EPSG:4326");
    geod_geodesic ellipsoid;
    geod_init(&ellipsoid, earth->GetSemiMajor(), 1 / earth->GetInvFlattening());
    const double middle_x = (extent.MinX + extent.MaxX) / 2, middle_y = (extent.MinY + extent.MaxY) / 2;
    std::optional<double> greatest;
    for (const auto& [x, y] : {std::pair{extent.MinX, extent.MinY},
                               {extent.MaxX, extent.MinY},
                               {extent.MinX, extent.MaxY},
                               {extent.MaxX, extent.MaxY},
                               {middle_x, middle_y}}) {
        double x1 = x, y1 = y, x2 = x, y2 = y, distance = 0;
        const bool placed = from_a->Transform(1, &x1, &y1) && from_b->Transform(1, &x2, &y2) && std::abs(y1) <= 90 &&
                            std::abs(y2) <= 90;
        if (!placed || !std::isfinite(x1) || !std::isfinite(x2)) continue;
        geod_inverse(&ellipsoid, y1, x1, y2, x2, &distance, nullptr, nullptr);
        greatest = std::max(greatest.value_or(0), distance);
    }
    return greatest;
}

lattice spread(const subject& s) {
    constexpr double wide = 10;  // degrees
    const auto bounds = gdal::wgs84_bounds(s.extent, s.crs);
    const bool small = bounds && (*bounds)[2] >= (*bounds)[0] && (*bounds)[2] - (*bounds)[0] <= wide &&
                       (*bounds)[3] - (*bounds)[1] <= wide;
    const auto along = small ? simpson_nodes() : midpoint_nodes(63);  // an odd number, which has a centre
    lattice all{along.at.size(), {}, {}};
    std::vector<double> x, y;
    for (const double v : along.at)
        for (const double u : along.at) {
            x.push_back(s.extent.MinX + (s.extent.MaxX - s.extent.MinX) * u);
            y.push_back(s.extent.MinY + (s.extent.MaxY - s.extent.MinY) * v);
        }
    const gdal::quiet silence;
    const auto degrees = gdal::parse_crs("OGC:CRS84");
    const std::unique_ptr<OGRCoordinateTransformation> t{OGRCreateCoordinateTransformation(&s.crs, &*degrees)};
    std::vector<int> done(x.size(), 0);
    if (t) t->Transform(static_cast<gdalmcp::gdal::point_count>(x.size()), x.data(), y.data(), nullptr, done.data());
    const auto own = map_scale::of(s.crs);
    const gdalmcp::ellipsoid earth{s.crs.GetSemiMajor(), s.crs.GetInvFlattening()};
    for (std::size_t i = 0; i < x.size(); ++i) {
        all.points.emplace_back();
        all.weights.push_back(0);
        if (!done[i] || !std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
        all.points[i] = {x[i], y[i]};
        const auto scale = own ? own->at(x[i], y[i]) : std::nullopt;
        // Equal parts of a map are smaller on the ground where its areal scale is large.
        all.weights[i] = along.weights[i / all.side] * along.weights[i % all.side] *
                         (scale ? 1 / scale->areal() : relative_area(y[i], earth));
    }
    return all;
}

namespace {
constexpr int max_polygons = 2000, most_read = 200000;
}  // namespace

areas measure(gdalmcp::call& call, const subject& s, const OGRSpatialReference& proposed_crs) {
    areas found;
    const auto type = wkbFlatten(s.layer->GetGeomType());
    found.only_points = type == wkbPoint || type == wkbMultiPoint;
    if (type != wkbUnknown && !OGR_GT_IsSurface(type) && !OGR_GT_IsSubClassOf(type, wkbGeometryCollection))
        return found;
    found.all = std::max<GIntBig>(0, s.layer->GetFeatureCount());
    const auto within_reach = std::min<std::int64_t>(found.all, most_read);
    const auto every = std::max<std::int64_t>(1, (within_reach + max_polygons - 1) / max_polygons);
    OGRSpatialReference to{proposed_crs};
    to.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    const gdal::quiet silence;
    const std::unique_ptr<OGRCoordinateTransformation> t{OGRCreateCoordinateTransformation(&s.crs, &to)};
    const double unit = to.GetLinearUnits();
    const gdal::ellipsoidal_areas on_the_ground{s.crs};
    found.only_points = type == wkbUnknown && every == 1;
    s.layer->ResetReading();
    while (t && found.read < most_read) {
        const OGRFeatureUniquePtr feature{s.layer->GetNextFeature()};
        if (!feature) break;
        if (found.read++ % every != 0) continue;
        call.progress(static_cast<double>(found.read) / static_cast<double>(within_reach + 1), "polygons");
        const auto* shape = feature->GetGeometryRef();
        if (!shape || shape->IsEmpty()) continue;
        found.only_points = found.only_points && shape->getDimension() == 0;
        if (shape->getDimension() != 2) continue;
        const auto truth = on_the_ground.of(*shape);
        const auto mapped = gdal::detail::transform_densified(*shape, *t, false);
        if (!truth || !mapped) continue;
        found.planar += gdal::detail::extent_measure(*mapped) * unit * unit;
        found.ellipsoidal += *truth;
        ++found.measured;
    }
    return found;
}

}  // namespace gdalmcp_raster
