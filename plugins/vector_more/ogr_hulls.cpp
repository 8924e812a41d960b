#include "ogr_hulls.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "vector/ogr_ground_buffer.hpp"
#include "vector/ogr_shapes.hpp"

namespace gdalmcp_vector_more {

using namespace gdalmcp_vector;
using geos::handle;

namespace {

// nullptr: GEOS made a point or a line.
geos::shape area_only(GEOSGeometry* made) { return geos::only_dimension(geos::owned(made), 2); }

// A hull has no holes: those of the polygons it is drawn around are within it.
void fill_holes(OGRGeometry& hull) {
    if (wkbFlatten(hull.getGeometryType()) == wkbPolygon)
        while (hull.toPolygon()->getNumInteriorRings() > 0) hull.toPolygon()->removeRing(1);
    else
        for (auto* part : *hull.toGeometryCollection()) fill_holes(*part);
}

// The corners of the rectangle of least area around a convex ring. One of its sides lies along an edge of the ring:
// Freeman & Shapira (1975), Determining the minimum-area encasing rectangle for an arbitrary closed curve.
std::array<OGRRawPoint, 4> least_rectangle(const OGRLinearRing& ring) {
    std::array<OGRRawPoint, 4> corners;
    double least = std::numeric_limits<double>::infinity();
    const double x0 = ring.getX(0), y0 = ring.getY(0);
    for (int i = 0; i + 1 < ring.getNumPoints(); ++i) {
        const double along = std::hypot(ring.getX(i + 1) - ring.getX(i), ring.getY(i + 1) - ring.getY(i));
        if (!(along > 0)) continue;
        const double ux = (ring.getX(i + 1) - ring.getX(i)) / along, uy = (ring.getY(i + 1) - ring.getY(i)) / along;
        OGREnvelope box;  // in axes along the edge and across it
        for (int k = 0; k < ring.getNumPoints(); ++k) {
            const double x = ring.getX(k) - x0, y = ring.getY(k) - y0;
            box.Merge(x * ux + y * uy, y * ux - x * uy);
        }
        const double area = (box.MaxX - box.MinX) * (box.MaxY - box.MinY);
        if (!(area < least)) continue;
        least = area;
        const auto corner = [&](double u, double v) { return OGRRawPoint{x0 + u * ux - v * uy, y0 + u * uy + v * ux}; };
        corners = {corner(box.MinX, box.MinY), corner(box.MaxX, box.MinY), corner(box.MaxX, box.MaxY),
                   corner(box.MinX, box.MaxY)};
    }
    return corners;
}

}  // namespace

pieces convex_hull(const OGRGeometry& g) {
    return by_geos([&]() -> pieces {
        const auto hull = area_only(GEOSConvexHull_r(handle(), to_shape(g).get()));
        if (!hull) return {};
        return one_piece(to_ogr(*hull));
    });
}

pieces concave_hull(const OGRGeometry& g, double ratio, metric_frame& frame) {
    return by_geos([&]() -> pieces {
        const auto flat = frame.flat(g, false);
        auto shape = to_shape(*flat.shape);
        geos::shape hull;
        if (ratio == 1) {
            hull = area_only(GEOSConvexHull_r(handle(), shape.get()));
        } else if (geos::dimension(*shape) == 2) {
            shape = geos::only_dimension(geos::owned(GEOSUnaryUnion_r(handle(), shape.get())), 2);
            hull = area_only(GEOSConcaveHullOfPolygons_r(handle(), shape.get(), ratio, 0, 0));
        } else {
            hull = area_only(GEOSConcaveHull_r(handle(), shape.get(), ratio, 0));
        }
        if (!hull) return {};
        const auto outline = to_ogr(*hull);
        fill_holes(*outline);
        return one_piece(frame.back_by_vertices(*outline, g, flat));
    });
}

pieces bounding_rectangle(const OGRGeometry& g, metric_frame& frame) {
    return by_geos([&]() -> pieces {
        const auto flat = frame.flat(g, true);
        const auto hull = area_only(GEOSConvexHull_r(handle(), to_shape(*flat.shape).get()));
        if (!hull) return {};
        const auto corners = least_rectangle(*to_ogr(*hull)->toPolygon()->getExteriorRing());
        OGRPolygon shape;
        shape.addRingDirectly(new OGRLinearRing);
        for (const auto& c : corners) shape.getExteriorRing()->addPoint(c.x, c.y);
        shape.closeRings();
        const auto side = [&](std::size_t i) {
            return flat.metres * std::hypot(corners[i + 1].x - corners[i].x, corners[i + 1].y - corners[i].y);
        };
        return one_piece(frame.back(shape, flat), {std::max(side(0), side(1)), std::min(side(0), side(1))});
    });
}

pieces bounding_circle(const OGRGeometry& g, metric_frame& frame) {
    return by_geos([&]() -> pieces {
        constexpr int quarter = 32;  // sides
        constexpr double pi = 3.14159265358979323846;
        const auto flat = frame.flat(g, true);
        double radius = 0;
        GEOSGeometry* middle = nullptr;
        geos::owned(GEOSMinimumBoundingCircle_r(handle(), to_shape(*flat.shape).get(), &radius, &middle));
        const auto centre = to_ogr(*geos::owned(middle));
        if (!(radius > 0)) return {};
        const auto circle = planar_buffer(*centre, radius / std::cos(pi / (4 * quarter)), quarter);
        return one_piece(frame.back(*circle, flat), {radius * flat.metres});
    });
}

pieces bounding_box(const OGRGeometry& g) {
    OGREnvelope box;
    g.getEnvelope(&box);
    if (!(box.MaxX > box.MinX && box.MaxY > box.MinY)) return {};
    return one_piece(gdalmcp::gdal::detail::rectangle(box.MinX, box.MinY, box.MaxX, box.MaxY));
}

}  // namespace gdalmcp_vector_more
