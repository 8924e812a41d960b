#include "ogr_shapes.hpp"

#include <gdalmcp/gdal_arcs.hpp>
#include <gdalmcp/gdal_collect.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ogr_reading.hpp"

namespace gdalmcp_vector {

namespace {

using geos::handle;

GEOSCoordSequence* sequence(const OGRSimpleCurve& line) {
    const int n = line.getNumPoints();
    thread_local std::vector<OGRRawPoint> points;
    points.resize(static_cast<std::size_t>(n));
    line.getPoints(points.data());
    static_assert(sizeof(OGRRawPoint) == 2 * sizeof(double));
    auto* s = GEOSCoordSeq_copyFromBuffer_r(handle(), reinterpret_cast<const double*>(points.data()),
                                            static_cast<unsigned>(n), 0, 0);
    if (!s) geos::fail();
    return s;
}

geos::shape polygon(const OGRPolygon& p) {
    const auto* outer = p.getExteriorRing();
    if (!outer || outer->IsEmpty()) return geos::owned(GEOSGeom_createEmptyPolygon_r(handle()));
    auto shell = geos::owned(GEOSGeom_createLinearRing_r(handle(), sequence(*outer)));
    std::vector<geos::shape> holes;
    for (int i = 0; i < p.getNumInteriorRings(); ++i)
        if (!p.getInteriorRing(i)->IsEmpty())
            holes.push_back(geos::owned(GEOSGeom_createLinearRing_r(handle(), sequence(*p.getInteriorRing(i)))));
    std::vector<GEOSGeometry*> rings;
    for (auto& h : holes) rings.push_back(h.release());
    return geos::owned(
        GEOSGeom_createPolygon_r(handle(), shell.release(), rings.data(), static_cast<unsigned>(rings.size())));
}

geos::shape linear_shape(const OGRGeometry& g) {
    const auto type = wkbFlatten(g.getGeometryType());
    if (type == wkbPoint) {
        const auto& p = *g.toPoint();
        return geos::owned(p.IsEmpty() ? GEOSGeom_createEmptyPoint_r(handle())
                                       : GEOSGeom_createPointFromXY_r(handle(), p.getX(), p.getY()));
    }
    if (type == wkbLineString) return geos::owned(GEOSGeom_createLineString_r(handle(), sequence(*g.toLineString())));
    if (OGR_GT_IsSubClassOf(type, wkbPolygon)) return polygon(*g.toPolygon());
    const int multi = type == wkbMultiPoint        ? GEOS_MULTIPOINT
                      : type == wkbMultiLineString ? GEOS_MULTILINESTRING
                      : type == wkbMultiPolygon    ? GEOS_MULTIPOLYGON
                                                   : GEOS_GEOMETRYCOLLECTION;
    std::vector<geos::shape> parts;
    if (type == wkbPolyhedralSurface || type == wkbTIN) {
        const auto plan = gdalmcp::gdal::valid_form(g);
        if (!plan) throw geos::failure{"GEOS cannot unite its faces in the plan"};
        return linear_shape(*plan);
    }
    for (const auto* part : *g.toGeometryCollection()) parts.push_back(linear_shape(*part));
    std::vector<GEOSGeometry*> all;
    for (auto& p : parts) all.push_back(p.release());
    return geos::owned(GEOSGeom_createCollection_r(handle(), multi, all.data(), static_cast<unsigned>(all.size())));
}

template <class Line>
std::unique_ptr<Line> ogr_line(const GEOSGeometry& g) {
    const auto* s = GEOSGeom_getCoordSeq_r(handle(), &g);
    unsigned n = 0;
    if (!s || GEOSCoordSeq_getSize_r(handle(), s, &n) != 1) geos::fail();
    thread_local std::vector<OGRRawPoint> points;
    points.resize(n);
    if (n && GEOSCoordSeq_copyToBuffer_r(handle(), s, reinterpret_cast<double*>(points.data()), 0, 0) != 1)
        geos::fail();
    auto line = std::make_unique<Line>();
    line->setPoints(static_cast<int>(n), points.data());
    return line;
}

}  // namespace

geos::shape to_shape(const OGRGeometry& g) {
    if (g.getDimension() == 1 && gdalmcp::gdal::detail::lone_vertex(g))
        throw geos::failure{"it has a line of one vertex, which vector_validate with repair: true leaves out"};
    if (!g.hasCurveGeometry()) return linear_shape(g);
    const std::unique_ptr<OGRGeometry> linear{gdalmcp::gdal::straightened(g)};
    return linear_shape(*linear);
}

std::unique_ptr<OGRGeometry> gathered(std::unique_ptr<OGRGeometry> collection, OGRwkbGeometryType type) {
    std::unique_ptr<OGRGeometryCollection> multi{
        type == wkbMultiSurface ? static_cast<OGRGeometryCollection*>(new OGRMultiSurface) : new OGRMultiCurve};
    multi->assignSpatialReference(collection->getSpatialReference());
    for (const auto* member : *collection->toGeometryCollection())
        if (multi->addGeometry(member) != OGRERR_NONE) return collection;
    return multi;
}

namespace {

bool slopes_around_hole(const OGRGeometry& g) {
    if (!g.Is3D() || g.getDimension() != 2) return false;
    if (OGR_GT_IsSubClassOf(g.getGeometryType(), wkbGeometryCollection)) {
        const auto& parts = *g.toGeometryCollection();
        return std::any_of(parts.begin(), parts.end(), [](const auto* part) { return slopes_around_hole(*part); });
    }
    if (!OGR_GT_IsSubClassOf(g.getGeometryType(), wkbCurvePolygon)) return false;
    const auto& face = *g.toCurvePolygon();
    if (face.getNumInteriorRings() == 0) return false;
    OGREnvelope3D box;
    face.getEnvelope(&box);
    return box.MinZ < box.MaxZ;
}

}  // namespace

void require_finite(const OGREnvelope& box) {
    if (!std::isfinite(box.MinX + box.MaxX + box.MinY + box.MaxY)) throw unusable{"its coordinates are not finite"};
}

bool mixes_points(const OGRGeometry& g) {
    if (wkbFlatten(g.getGeometryType()) != wkbGeometryCollection || g.getDimension() == 0) return false;
    for (const auto* part : *g.toGeometryCollection())
        if ((!part->IsEmpty() && part->getDimension() == 0) || mixes_points(*part)) return true;
    return false;
}

void refuse_if_spoilt(const OGRGeometry& g, const char* driver, GIntBig id) {
    const auto name = "feature " + std::to_string(id);
    if (EQUAL(driver, "GeoJSON") && mixes_points(g))
        throw gdalmcp::error{GDALMCP_UNSUPPORTED,
                             name + " is a collection of points and other shapes, whose points GDAL drops in GeoJSON",
                             "write to .gpkg or .geojsonl"};
    if (EQUAL(driver, "ESRI Shapefile") && slopes_around_hole(g))
        throw gdalmcp::error{
            GDALMCP_UNSUPPORTED,
            name + " has a hole in a face that is not level, which GDAL makes an island in a Shapefile",
            "write to .gpkg"};
}

std::unique_ptr<OGRGeometry> to_ogr(const GEOSGeometry& g) {
    const int type = GEOSGeomTypeId_r(handle(), &g);
    if (type == GEOS_POINT) {
        auto p = std::make_unique<OGRPoint>();
        double x = 0, y = 0;
        if (!geos::empty(g)) {
            if (GEOSGeomGetX_r(handle(), &g, &x) != 1 || GEOSGeomGetY_r(handle(), &g, &y) != 1) geos::fail();
            p->setX(x);
            p->setY(y);
        }
        return p;
    }
    if (type == GEOS_LINESTRING || type == GEOS_LINEARRING) return ogr_line<OGRLineString>(g);
    if (type == GEOS_POLYGON) {
        auto p = std::make_unique<OGRPolygon>();
        if (geos::empty(g)) return p;
        p->addRingDirectly(ogr_line<OGRLinearRing>(*GEOSGetExteriorRing_r(handle(), &g)).release());
        const int holes = GEOSGetNumInteriorRings_r(handle(), &g);
        for (int i = 0; i < holes; ++i)
            p->addRingDirectly(ogr_line<OGRLinearRing>(*GEOSGetInteriorRingN_r(handle(), &g, i)).release());
        return p;
    }
    std::unique_ptr<OGRGeometryCollection> all;
    if (type == GEOS_MULTIPOINT) all = std::make_unique<OGRMultiPoint>();
    if (type == GEOS_MULTILINESTRING) all = std::make_unique<OGRMultiLineString>();
    if (type == GEOS_MULTIPOLYGON) all = std::make_unique<OGRMultiPolygon>();
    if (!all) all = std::make_unique<OGRGeometryCollection>();
    const int n = GEOSGetNumGeometries_r(handle(), &g);
    for (int i = 0; i < n; ++i) all->addGeometryDirectly(to_ogr(*GEOSGetGeometryN_r(handle(), &g, i)).release());
    return all;
}

}  // namespace gdalmcp_vector
