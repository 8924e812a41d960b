// gdalmcp/gdal_degrees.hpp — shapes transformed into longitude and latitude, whole where they cross ±180° or hold a
// pole. Header-only; link GDAL.
#pragma once
#include <ogr_geometry.h>
#include <gdalmcp/gdal_transformation.hpp>

#include <cmath>
#include <memory>
#include <vector>

namespace gdalmcp::gdal {

using geometry_ptr = std::unique_ptr<OGRGeometry>;

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

namespace detail {

inline geometry_ptr rectangle(double minx, double miny, double maxx, double maxy) {
    auto ring = std::make_unique<OGRLinearRing>();
    ring->addPoint(minx, miny);
    ring->addPoint(maxx, miny);
    ring->addPoint(maxx, maxy);
    ring->addPoint(minx, maxy);
    ring->addPoint(minx, miny);
    auto polygon = std::make_unique<OGRPolygon>();
    polygon->addRingDirectly(ring.release());
    polygon->flattenTo2D();
    return polygon;
}

inline std::vector<const OGRPolygon*> polygons_of(const OGRGeometry& shape) {
    if (wkbFlatten(shape.getGeometryType()) == wkbPolygon) return {shape.toPolygon()};
    std::vector<const OGRPolygon*> all;
    if (OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbGeometryCollection))
        for (const auto* part : *shape.toGeometryCollection())
            for (const auto* polygon : polygons_of(*part)) all.push_back(polygon);
    return all;
}

inline void shift_x(OGRGeometry& shape, double by) {
    for_each_vertex(shape, [by](OGRPoint& p) { p.setX(p.getX() + by); });
}

// visit(line) for all lines and rings of a linear geometry.
template <class F>
void for_each_line(OGRGeometry& geometry, F&& visit_line) {
    struct visitor : OGRDefaultGeometryVisitor {
        using OGRDefaultGeometryVisitor::visit;
        F& each;
        explicit visitor(F& f) : each{f} {}
        void visit(OGRLineString* l) override { each(*l); }
        void visit(OGRLinearRing* r) override { each(*r); }
    } all{visit_line};
    geometry.accept(&all);
}

// Longitudes unwrapped, so that no edge jumps by more than half a turn; and the turns made around the ring: 0, or ±1
// around a pole.
inline long unwrap(OGRSimpleCurve& ring) {
    for (int i = 1; i < ring.getNumPoints(); ++i) {
        const double step = ring.getX(i) - ring.getX(i - 1);
        ring.setPoint(i, ring.getX(i) - 360 * std::round(step / 360), ring.getY(i));
    }
    return std::lround((ring.getX(ring.getNumPoints() - 1) - ring.getX(0)) / 360);
}

// A vertex at a pole has no longitude of its own: it takes those of its neighbours, one after the other.
inline void spread_poles(OGRSimpleCurve& line) {
    constexpr double pole = 90 - 1e-9;
    const int n = line.getNumPoints();
    const auto at_pole = [&](int i) { return std::abs(line.getY(i)) >= pole; };
    const bool closed = line.get_IsClosed() != FALSE;
    // The next vertex in a direction that lies at no pole, around a ring; -1 if there is none.
    const auto beside = [&](int i, int step) {
        const int turn = closed ? n - 1 : n;
        for (int k = 1; k < turn; ++k) {
            const int at = i + k * step;
            if (!closed && (at < 0 || at >= n)) return -1;
            if (const int j = ((at % turn) + turn) % turn; !at_pole(j)) return j;
        }
        return -1;
    };
    std::vector<OGRRawPoint> points;
    bool any = false;
    for (int i = 0; i < n; ++i) {
        if (!at_pole(i)) {
            points.emplace_back(line.getX(i), line.getY(i));
            continue;
        }
        any = true;
        for (const int j : {beside(i, -1), beside(i, 1)})
            if (j >= 0) points.emplace_back(line.getX(j), line.getY(i));
    }
    if (!any || points.empty()) return;
    if (closed) points.push_back(points.front());
    line.setPoints(static_cast<int>(points.size()), points.data());
}

// A shape in degrees with short edges goes on beyond ±180° instead of jumping. false: it goes around a pole.
inline bool unwrap_all(OGRGeometry& geometry) {
    if (OGR_GT_IsSubClassOf(geometry.getGeometryType(), wkbGeometryCollection)) {
        for (auto* part : *geometry.toGeometryCollection())
            if (!unwrap_all(*part)) return false;
        return true;
    }
    bool around = false;
    for_each_line(geometry, [&](OGRSimpleCurve& line) {
        if (line.getNumPoints() == 0) return;
        spread_poles(line);
        const long turns = unwrap(line);
        around = around || (turns != 0 && geometry.getDimension() == 2);
    });
    if (around || wkbFlatten(geometry.getGeometryType()) != wkbPolygon) return !around;
    // Holes on the side of the exterior.
    const auto middle = [](OGRLinearRing& ring) {
        OGREnvelope box;
        ring.getEnvelope(&box);
        return (box.MinX + box.MaxX) / 2;
    };
    auto& polygon = *geometry.toPolygon();
    for (int i = 0; i < polygon.getNumInteriorRings(); ++i) {
        auto& hole = *polygon.getInteriorRing(i);
        const double by = 360 * std::round((middle(*polygon.getExteriorRing()) - middle(hole)) / 360);
        for (int k = 0; by != 0 && k < hole.getNumPoints(); ++k) hole.setPoint(k, hole.getX(k) + by, hole.getY(k));
    }
    return true;
}

// The pole that a ring goes around in the source CRS of `t`, ±90; where that cannot be told, the one on its side of the
// equator. ring: given; there: in degrees.
inline double pole_inside(const OGRLinearRing& ring, const OGRLinearRing& there, OGRCoordinateTransformation& t) {
    OGRPolygon filled;
    filled.addRingDirectly(ring.clone());
    const transformation back{t.GetInverse()};
    for (const double pole : {90.0, -90.0}) {
        std::vector<double> x{0}, y{pole};
        if (!back || !transform_all(*back, x, y)) continue;
        if (const OGRPoint at{x[0], y[0]}; filled.Contains(&at)) return pole;
    }
    double sum = 0;
    for (int i = 0; i < there.getNumPoints(); ++i) sum += there.getY(i);
    return sum < 0 ? -90 : 90;
}

// A longitude in steps of 2^-30 degrees, which a turn more or less does not round: pieces that meet leave no gap.
inline double exact_in_turns(double longitude) { return std::round(longitude * 0x1p30) / 0x1p30; }

// What an unwrapped ring in degrees bounds, with the pole if it goes around it, between ±180°.
inline geometry_ptr filled_in_degrees(const OGRLinearRing& ring, double pole) {
    const int edges = ring.getNumPoints() - 1;
    const double turn = 360 * std::round((ring.getX(edges) - ring.getX(0)) / 360);
    // From the vertex nearest to the pole, the meridian to it crosses no other edge.
    int first = 0;
    for (int i = 0; turn != 0 && i < edges; ++i)
        if (ring.getY(i) * pole > ring.getY(first) * pole) first = i;
    const auto longitude = [&](int i) { return exact_in_turns(ring.getX(i)); };
    auto closed = std::make_unique<OGRLinearRing>();
    for (int i = first; i <= first + edges; ++i)
        closed->addPoint(longitude(i % edges) + (i < edges ? 0 : turn), ring.getY(i % edges));
    if (turn != 0) {
        closed->addPoint(longitude(first) + turn, pole);
        closed->addPoint(longitude(first), pole);
    }
    closed->closeRings();
    closed->flattenTo2D();
    OGRPolygon whole;
    whole.addRingDirectly(closed.release());
    const auto world = rectangle(-180, -90, 180, 90);
    geometry_ptr all = std::make_unique<OGRPolygon>();
    for (const double by : {-720.0, -360.0, 0.0, 360.0, 720.0}) {
        const geometry_ptr moved{whole.clone()};
        shift_x(*moved, by);
        const geometry_ptr piece{moved->Intersects(world.get()) ? moved->Intersection(world.get()) : nullptr};
        if (piece && piece->getDimension() == 2) all.reset(all->Union(piece.get()));
        if (!all) return nullptr;
    }
    return all;
}

// Polygons of which a ring goes around a pole, between ±180°.
inline geometry_ptr around_pole(const OGRPolygon& given, OGRCoordinateTransformation& t) {
    OGRPolygon there{given};
    if (there.transform(&t) != OGRERR_NONE) return nullptr;
    geometry_ptr all;
    for (int i = -1; i < there.getNumInteriorRings(); ++i) {
        auto& ring = i < 0 ? *there.getExteriorRing() : *there.getInteriorRing(i);
        if (ring.getNumPoints() < 4) continue;
        const double pole = pole_inside(i < 0 ? *given.getExteriorRing() : *given.getInteriorRing(i), ring, t);
        spread_poles(ring);
        unwrap(ring);
        const auto filled = filled_in_degrees(ring, pole);
        if (!filled) return nullptr;
        all.reset(i < 0 ? filled->clone() : all ? all->Difference(filled.get()) : nullptr);
    }
    return all;
}

// Draws vertices in that have no place otherwise; whether there are any.
inline bool draw_in(OGRGeometry& shape, OGRCoordinateTransformation& t) {
    const drawn_in inwards{t.GetSourceCS()};
    if (!inwards) return false;
    std::vector<double> x, y;
    for_each_vertex(shape, [&](const OGRPoint& p) { x.push_back(p.getX()), y.push_back(p.getY()); });
    const auto placed = transform_plainly(t, x, y);
    std::size_t i = 0;
    bool any = false;
    for_each_vertex(shape, [&](OGRPoint& p) {
        if (placed[i++]) return;
        any = true;
        p.setX(inwards.x(p.getX()));
        p.setY(inwards.y(p.getY()));
    });
    return any;
}

// Vertex by vertex; nullptr where one has no place.
inline geometry_ptr transformed(const OGRGeometry& shape, OGRCoordinateTransformation& t) {
    geometry_ptr there{shape.clone()};
    if (there->transform(&t) == OGRERR_NONE) return there;
    there.reset(shape.clone());
    return draw_in(*there, t) && there->transform(&t) == OGRERR_NONE ? std::move(there) : nullptr;
}

// The same into degrees, of shapes with short edges: what reaches across ±180° goes on beyond it, or is cut there where
// it goes around a pole.
inline geometry_ptr into_degrees(const OGRGeometry& shape, OGRCoordinateTransformation& t) {
    auto there = transformed(shape, t);
    if (!there || unwrap_all(*there)) return there;
    if (wkbFlatten(shape.getGeometryType()) == wkbPolygon) return around_pole(*shape.toPolygon(), t);
    auto all = std::make_unique<OGRMultiPolygon>();
    for (const auto* part : *shape.toGeometryCollection()) {
        const auto own = into_degrees(*part, t);
        if (!own) return nullptr;
        for (const auto* polygon : polygons_of(*own)) all->addGeometry(polygon);
    }
    return all;
}

}  // namespace detail

}  // namespace gdalmcp::gdal
