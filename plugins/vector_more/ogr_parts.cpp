#include "ogr_parts.hpp"

#include <gdalmcp/gdal_arcs.hpp>

namespace gdalmcp_vector_more {

namespace {

void for_each_part(const OGRGeometry& g, const std::function<void(const OGRGeometry&)>& each) {
    if (g.IsEmpty()) return;
    if (OGR_GT_IsSubClassOf(g.getGeometryType(), wkbGeometryCollection))
        for (const auto* part : *g.toGeometryCollection()) for_each_part(*part, each);
    else if (OGR_GT_IsSubClassOf(g.getGeometryType(), wkbPolyhedralSurface))
        for (const auto* part : *g.toPolyhedralSurface()) for_each_part(*part, each);
    else
        each(g);
}

std::unique_ptr<OGRGeometry> copy_of(const OGRGeometry& g) { return std::unique_ptr<OGRGeometry>{g.clone()}; }

piece point_of(const OGRSimpleCurve& line, int vertex, std::vector<double> values) {
    auto p = std::make_unique<OGRPoint>();
    line.getPoint(vertex, p.get());
    return {std::move(p), std::move(values)};
}

}  // namespace

pieces parts_of(const OGRGeometry& g) {
    pieces all;
    for_each_part(g, [&](const OGRGeometry& part) {
        all.push_back({copy_of(part), {static_cast<double>(all.size() + 1)}});
    });
    return all;
}

void for_each_line(const OGRGeometry& g, const std::function<void(const OGRSimpleCurve&, int, int)>& each) {
    int part = 0;
    for_each_part(g, [&](const OGRGeometry& one) {
        ++part;
        if (wkbFlatten(one.getGeometryType()) == wkbLineString) return each(*one.toLineString(), part, 0);
        if (one.getDimension() != 2) return;
        int ring = 0;
        for (const auto* r : *one.toPolygon()) each(*r, part, ring++);
    });
}

pieces vertices_of(const OGRGeometry& g) {
    const std::unique_ptr<OGRGeometry> linear{gdalmcp::gdal::straightened(g)};
    pieces all;
    if (linear->getDimension() == 0) {
        for_each_part(*linear, [&](const OGRGeometry& p) {
            all.push_back({copy_of(p), {static_cast<double>(all.size() + 1), 0, 1}});
        });
        return all;
    }
    for_each_line(*linear, [&](const OGRSimpleCurve& line, int part, int ring) {
        const bool closed = line.get_IsClosed() && EQUAL(line.getGeometryName(), "LINEARRING");
        for (int i = 0; i + closed < line.getNumPoints(); ++i)
            all.push_back(point_of(line, i, {double(part), double(ring), double(i + 1)}));
    });
    return all;
}

pieces ends_of(const OGRGeometry& g) {
    const std::unique_ptr<OGRGeometry> linear{gdalmcp::gdal::straightened(g)};
    if (linear->getDimension() != 1) throw gdalmcp_vector::unusable{"it is no line, and has no ends"};
    pieces all;
    for_each_line(*linear, [&](const OGRSimpleCurve& line, int part, int) {
        const int n = line.getNumPoints();
        all.push_back(point_of(line, 0, {double(part), 1}));
        all.push_back(point_of(line, n - 1, {double(part), double(n)}));
    });
    return all;
}

std::unique_ptr<OGRGeometry> collected(const OGRGeometry& g) {
    OGRwkbGeometryType common = wkbNone;
    for_each_part(g, [&](const OGRGeometry& part) {
        const auto multi = OGR_GT_GetCollection(wkbFlatten(part.getGeometryType()));
        common = common == wkbNone || common == multi ? multi : wkbGeometryCollection;
    });
    if (common == wkbNone) return nullptr;
    std::unique_ptr<OGRGeometryCollection> all{
        OGRGeometryFactory::createGeometry(common == wkbUnknown ? wkbGeometryCollection : common)
            ->toGeometryCollection()};
    for_each_part(g, [&](const OGRGeometry& part) { all->addGeometry(&part); });
    return all;
}

std::int64_t vertex_count(const OGRGeometry& g) {
    struct : OGRDefaultConstGeometryVisitor {
        using OGRDefaultConstGeometryVisitor::visit;
        std::int64_t n = 0;
        void visit(const OGRPoint* p) override { n += !p->IsEmpty(); }
    } count;
    g.accept(&count);
    return count.n;
}

OGRwkbGeometryType part_type(OGRwkbGeometryType type) {
    const auto flat = [&] {
        switch (wkbFlatten(type)) {
            case wkbMultiPoint:
                return wkbPoint;
            case wkbMultiLineString:
                return wkbLineString;
            case wkbMultiPolygon:
            case wkbPolyhedralSurface:
                return wkbPolygon;
            case wkbMultiCurve:
            case wkbMultiSurface:
            case wkbGeometryCollection:
                return wkbUnknown;
            default:
                return wkbFlatten(type);
        }
    }();
    return OGR_GT_SetModifier(flat, OGR_GT_HasZ(type), OGR_GT_HasM(type));
}

}  // namespace gdalmcp_vector_more
