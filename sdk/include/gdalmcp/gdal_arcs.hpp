// gdalmcp/gdal_arcs.hpp — arcs of circles as chords, and the m values of vertices. Header-only; link GDAL.
#pragma once
#include <ogr_geometry.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

namespace gdalmcp::gdal {

namespace detail {
class largest_radius : public OGRDefaultConstGeometryVisitor {
public:
    using OGRDefaultConstGeometryVisitor::visit;
    void visit(const OGRCircularString* arcs) override {
        const auto x = [&](int i) { return arcs->getX(i); };
        const auto y = [&](int i) { return arcs->getY(i); };
        for (int i = 0; i + 2 < arcs->getNumPoints(); i += 2) {
            double radius = 0, centre_x = 0, centre_y = 0, from = 0, over = 0, to = 0;
            if (OGRGeometryFactory::GetCurveParameters(x(i), y(i), x(i + 1), y(i + 1), x(i + 2), y(i + 2), radius,
                                                       centre_x, centre_y, from, over, to))
                found = std::max(found, radius);
        }
    }
    double found = 0;
};

// Reads z and m of all vertices, in order, or writes them.
struct vertex_values : OGRDefaultGeometryVisitor {
    using OGRDefaultGeometryVisitor::visit;
    std::vector<std::array<double, 2>> all{};
    bool reads = true;
    std::size_t at = 0;

    void visit(OGRPoint* p) override {
        if (p->IsEmpty()) return;
        if (reads) return all.push_back({p->getZ(), p->getM()});
        p->setZ(all[at][0]);
        p->setM(all[at++][1]);
    }
    void line(OGRSimpleCurve& l) {
        for (int i = 0; i < l.getNumPoints(); ++i)
            if (reads) {
                all.push_back({l.getZ(i), l.getM(i)});
            } else {
                l.setPoint(i, l.getX(i), l.getY(i), all[at][0], all[at][1]);
                ++at;
            }
    }
    void visit(OGRLineString* l) override { line(*l); }
    void visit(OGRLinearRing* r) override { line(*r); }
    void visit(OGRCircularString* c) override { line(*c); }
};

inline std::vector<std::array<double, 2>> values_of(OGRGeometry& g) {
    vertex_values reading;
    g.accept(&reading);
    return std::move(reading.all);
}

inline void put_values(OGRGeometry& g, std::vector<std::array<double, 2>> values) {
    vertex_values writing;
    writing.all = std::move(values);
    writing.reads = false;
    g.accept(&writing);
}
}  // namespace detail

// A copy with the m values in the place of z, which GDAL and GEOS interpolate where they drop m. Not measured.
inline std::unique_ptr<OGRGeometry> measures_as_heights(const OGRGeometry& shape) {
    std::unique_ptr<OGRGeometry> copy{shape.clone()};
    auto values = detail::values_of(*copy);
    for (auto& v : values) v[0] = v[1];
    copy->set3D(TRUE);
    detail::put_values(*copy, std::move(values));
    copy->setMeasured(FALSE);
    return copy;
}

namespace detail {
// Z and m of the chords of a geometry's arcs, m as z. Of each ring by itself: as heights, measures that do not end as
// they began would leave it open.
inline void add_chord_measures(const OGRGeometry& shape, double step, std::vector<std::array<double, 2>>& all) {
    const auto type = wkbFlatten(shape.getGeometryType());
    if (OGR_GT_IsSubClassOf(type, wkbGeometryCollection))
        for (const auto* part : *shape.toGeometryCollection()) add_chord_measures(*part, step, all);
    else if (OGR_GT_IsSubClassOf(type, wkbCurvePolygon))
        for (const auto* ring : *shape.toCurvePolygon()) add_chord_measures(*ring, step, all);
    else {
        const std::unique_ptr<OGRGeometry> chords{measures_as_heights(shape)->getLinearGeometry(step)};
        const auto values = values_of(*chords);
        all.insert(all.end(), values.begin(), values.end());
    }
}

inline void take_measures(OGRGeometry& shape, const std::vector<std::array<double, 2>>& measures) {
    const bool high = shape.Is3D() != FALSE;
    auto values = values_of(shape);
    if (values.size() != measures.size()) return;
    for (std::size_t i = 0; i < values.size(); ++i) values[i][1] = measures[i][0];
    shape.set3D(TRUE);
    shape.setMeasured(TRUE);
    put_values(shape, std::move(values));
    shape.set3D(high);
}
}  // namespace detail

// Gives `shape` the m values that stand as heights in another of the same vertices; leaves it where they differ.
inline void take_measures(OGRGeometry& shape, OGRGeometry& heights) {
    detail::take_measures(shape, detail::values_of(heights));
}

// A geometry with chords for its arcs, which span at most `widest` degrees and less where they would be more than a
// hundredth of the CRS's unit away from the arc: a chord of 1 degree is 4 mm off for a radius of 100 m, and 0.8 m for
// one of 20 km. In degrees a hundredth is never reached: there they are off by 0.004 % of the radius. Not below 0.01
// degrees. Z and m are interpolated along arcs.
inline std::unique_ptr<OGRGeometry> straightened(const OGRGeometry& shape, double widest = 1) {
    constexpr double off = 0.01, least = 0.01, degree = 3.14159265358979323846 / 180;
    detail::largest_radius arcs;
    if (shape.hasCurveGeometry(TRUE)) shape.accept(&arcs);
    const double wanted = arcs.found > off ? 2 * std::acos(1 - off / arcs.found) / degree : widest;
    const double step = std::clamp(wanted, least, widest);
    std::unique_ptr<OGRGeometry> chords{shape.getLinearGeometry(step)};
    if (arcs.found > 0 && shape.IsMeasured()) {  // of which GDAL drops m or makes 0
        chords->setMeasured(FALSE);
        std::vector<std::array<double, 2>> measures;
        detail::add_chord_measures(shape, step, measures);
        detail::take_measures(*chords, measures);
    }
    return chords;
}

}  // namespace gdalmcp::gdal
