// gdalmcp/gdal_area.hpp — transformed geometries with densified edges, and true areas. Header-only; link GDAL and PROJ.
#pragma once
#include <geodesic.h>
#include <ogr_geometry.h>
#include <gdalmcp/gdal_extent.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gdalmcp::gdal {

using geometry_ptr = std::unique_ptr<OGRGeometry>;

namespace detail {

inline bool geographic(const OGRSpatialReference& srs) { return !srs.IsEmpty() && srs.IsGeographic() != FALSE; }

// Area of polygons, length of lines, 0 for points: the measure that densifying must leave unchanged.
inline double extent_measure(const OGRGeometry& g) {
    auto* handle = OGRGeometry::ToHandle(const_cast<OGRGeometry*>(&g));
    return g.getDimension() == 2 ? OGR_G_Area(handle) : g.getDimension() == 1 ? OGR_G_Length(handle) : 0;
}

// The length of the longest edge of a linear geometry.
inline double longest_edge(const OGRGeometry& g) {
    double longest = 0;
    if (OGR_GT_IsSubClassOf(g.getGeometryType(), wkbGeometryCollection)) {
        for (const auto* part : *g.toGeometryCollection()) longest = std::max(longest, longest_edge(*part));
    } else if (OGR_GT_IsSubClassOf(g.getGeometryType(), wkbPolygon)) {
        for (const auto* ring : *g.toPolygon()) longest = std::max(longest, longest_edge(*ring));
    } else if (OGR_GT_IsSubClassOf(g.getGeometryType(), wkbLineString)) {
        const auto& line = *g.toLineString();
        for (int i = 1; i < line.getNumPoints(); ++i)
            longest = std::max(longest, std::hypot(line.getX(i) - line.getX(i - 1), line.getY(i) - line.getY(i - 1)));
    } else {
        return g.getDimension() == 0 ? 0 : std::numeric_limits<double>::infinity();
    }
    return longest;
}

// Transforms with edges straight in the source CRS: edges are split until the measure changes by less than a factor of
// 1e-6. Empty when PROJ cannot transform every vertex.
inline geometry_ptr transform_densified(const OGRGeometry& shape, OGRCoordinateTransformation& t, bool wrap) {
    const quiet silence;
    constexpr const char* options[] = {"WRAPDATELINE=YES", nullptr};
    OGREnvelope box;
    shape.getEnvelope(&box);
    const auto at = [&](double longest) -> geometry_ptr {
        geometry_ptr g{shape.clone()};
        if (longest > 0) g->segmentize(longest);
        if (wrap)
            return geometry_ptr{OGRGeometryFactory::transformWithOptions(g.get(), &t, const_cast<char**>(options))};
        return g->transform(&t) == OGRERR_NONE ? std::move(g) : nullptr;
    };
    if (shape.getDimension() == 0) return at(0);
    double longest = std::max(box.MaxX - box.MinX, box.MaxY - box.MinY) / 16;
    auto best = at(longest);
    if (longest_edge(shape) <= longest / 2) return best;  // half of it would split no edge
    for (int halvings = 0; best && halvings < 12; ++halvings) {
        longest /= 2;
        auto finer = at(longest);
        if (!finer) break;
        const double coarse = extent_measure(*best), fine = extent_measure(*finer);
        best = std::move(finer);
        if (std::abs(fine - coarse) <= 1e-6 * std::abs(fine)) break;
    }
    return best;
}

// Longitudes unwrapped, so that no edge jumps by more than half a turn; and the turns made around the ring: 0, or ±1
// around a pole.
inline long unwrap(OGRLinearRing& ring) {
    for (int i = 1; i < ring.getNumPoints(); ++i) {
        const double step = ring.getX(i) - ring.getX(i - 1);
        ring.setPoint(i, ring.getX(i) - 360 * std::round(step / 360), ring.getY(i));
    }
    return std::lround((ring.getX(ring.getNumPoints() - 1) - ring.getX(0)) / 360);
}

// Area of a ring in degrees with short edges.
inline double ring_area(const OGRLinearRing& degrees, OGRCoordinateTransformation& equal_area, const geod_geodesic& g) {
    OGRLinearRing ring{degrees};
    if (ring.getNumPoints() < 4) return 0;
    if (unwrap(ring) == 0) return ring.transform(&equal_area) == OGRERR_NONE ? ring.get_Area() : 0;
    geod_polygon p;
    geod_polygon_init(&p, 0);
    for (int i = 0; i + 1 < degrees.getNumPoints(); ++i)
        geod_polygon_addpoint(&g, &p, degrees.getY(i), degrees.getX(i));
    double area = 0, perimeter = 0;
    geod_polygon_compute(&g, &p, 0, 1, &area, &perimeter);
    return std::abs(area);
}

inline double rings_area(const OGRGeometry& shape, OGRCoordinateTransformation& equal_area, const geod_geodesic& g) {
    double area = 0;
    if (OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbPolygon)) {  // triangles, too
        bool exterior = true;
        for (const auto* ring : *shape.toPolygon()) {
            area += (exterior ? 1 : -1) * ring_area(*ring, equal_area, g);
            exterior = false;
        }
    } else if (OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbGeometryCollection)) {
        for (const auto* part : *shape.toGeometryCollection()) area += rings_area(*part, equal_area, g);
    }
    return area;
}

}  // namespace detail

// Calls `each` for all coordinates of a geometry, in its order.
template <class F>
void for_each_vertex(OGRGeometry& geometry, F&& each) {
    struct visitor : OGRDefaultGeometryVisitor {
        using OGRDefaultGeometryVisitor::visit;
        F& each;
        explicit visitor(F& f) : each{f} {}
        void visit(OGRPoint* p) override {
            if (!p->IsEmpty()) each(*p);
        }
    } all{each};
    geometry.accept(&all);
}

inline void scale_coordinates(OGRGeometry& geometry, double factor) {
    if (std::abs(factor - 1) < 1e-12) return;
    for_each_vertex(geometry, [factor](OGRPoint& p) {
        p.setX(p.getX() * factor);
        p.setY(p.getY() * factor);
    });
}

// Areas of polygons on the ellipsoid of their CRS, m², edges straight in that CRS. Longitude and latitude are mapped by
// the exact ellipsoidal cylindrical equal-area projection, so that a box around the world is the whole world; a ring
// around a pole is summed by geodesics (Karney 2013).
class ellipsoidal_areas {
public:
    // Creating one takes PROJ milliseconds, an area microseconds.
    explicit ellipsoidal_areas(const OGRSpatialReference& srs) {
        if (srs.IsEmpty() || srs.IsLocal()) return;
        const double a = srs.GetSemiMajor(), inverse = srs.GetInvFlattening();
        // Without a datum: coordinates are mapped on one and the same ellipsoid.
        const std::string ellipsoid = " +over +no_defs +a=" + number_text(a) +
                                      (inverse > 0 ? " +rf=" + number_text(inverse) : " +b=" + number_text(a));
        OGRSpatialReference degrees, equal_area;
        if (degrees.importFromProj4(("+proj=longlat" + ellipsoid).c_str()) != OGRERR_NONE ||
            equal_area.importFromProj4(("+proj=cea +units=m" + ellipsoid).c_str()) != OGRERR_NONE)
            return;
        degrees.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
        const quiet silence;
        flatten_.reset(OGRCreateCoordinateTransformation(&degrees, &equal_area));
        geod_init(&earth_, a, inverse > 0 ? 1 / inverse : 0);
        degrees_ = detail::geographic(srs) && std::abs(srs.GetAngularUnits() - CPLAtof(SRS_UA_DEGREE_CONV)) < 1e-12;
        if (degrees_) return;
        own_ = own_geographic_of(srs);
        if (own_.crs) degrees_per_unit_ = detail::degrees_per_unit(*own_.crs);
    }

    // Nothing without a CRS or where PROJ fails. Z is ignored.
    std::optional<double> of(const OGRGeometry& shape) const {
        if (!flatten_ || (!degrees_ && !own_)) return std::nullopt;
        const quiet silence;
        geometry_ptr flat{shape.clone()};
        flat->flattenTo2D();
        const auto mapped = detail::transform_densified(*flat, degrees_ ? *flatten_ : *own_.way, false);
        if (!mapped) return std::nullopt;
        if (degrees_) return OGR_G_Area(OGRGeometry::ToHandle(mapped.get()));
        scale_coordinates(*mapped, degrees_per_unit_);
        return detail::rings_area(*mapped, *flatten_, earth_);
    }

private:
    transformation flatten_;  // from degrees to the equal-area projection
    geod_geodesic earth_{};
    bool degrees_ = false;  // coordinates are longitude and latitude in degrees
    own_geographic own_;    // else the way to them, in the unit of that CRS: grads in old French ones
    double degrees_per_unit_ = 1;
};

// The same of one geometry.
inline std::optional<double> ellipsoidal_area(const OGRGeometry& shape, const OGRSpatialReference& srs) {
    return ellipsoidal_areas{srs}.of(shape);
}

}  // namespace gdalmcp::gdal
