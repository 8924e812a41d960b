#include "ogr_hulls.hpp"

#include <cmath>

#include "vector/ogr_ground_buffer.hpp"
#include "vector/ogr_shapes.hpp"

namespace gdalmcp_vector_more {

using namespace gdalmcp_vector;
using geos::handle;

namespace {

// nullptr: GEOS made a point or a line.
geos::shape area_only(GEOSGeometry* made) { return geos::only_dimension(geos::owned(made), 2); }

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
        if (geos::dimension(*shape) == 2) {
            shape = geos::only_dimension(geos::owned(GEOSUnaryUnion_r(handle(), shape.get())), 2);
            hull = area_only(GEOSConcaveHullOfPolygons_r(handle(), shape.get(), ratio, 0, 0));
        } else {
            hull = area_only(GEOSConcaveHull_r(handle(), shape.get(), ratio, 0));
        }
        if (!hull) return {};
        return one_piece(frame.back_by_vertices(*to_ogr(*hull), g, flat));
    });
}

pieces bounding_rectangle(const OGRGeometry& g, metric_frame& frame) {
    return by_geos([&]() -> pieces {
        const auto flat = frame.flat(g, true);
        const auto made = area_only(GEOSMinimumRotatedRectangle_r(handle(), to_shape(*flat.shape).get()));
        if (!made) return {};
        const auto shape = to_ogr(*made);
        const auto& ring = *shape->toPolygon()->getExteriorRing();
        const auto side = [&](int i) {
            return flat.metres * std::hypot(ring.getX(i + 1) - ring.getX(i), ring.getY(i + 1) - ring.getY(i));
        };
        return one_piece(frame.back(*shape, flat), {std::max(side(0), side(1)), std::min(side(0), side(1))});
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
