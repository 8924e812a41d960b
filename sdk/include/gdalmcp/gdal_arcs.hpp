// gdalmcp/gdal_arcs.hpp — arcs of circles as chords. Header-only; link GDAL.
#pragma once
#include <ogr_geometry.h>

#include <algorithm>
#include <cmath>
#include <memory>

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
}  // namespace detail

// A geometry with chords for its arcs, which span at most `widest` degrees and less where they would be more than a
// hundredth of the CRS's unit away from the arc: a chord of 1 degree is 4 mm off for a radius of 100 m, and 0.8 m for
// one of 20 km. In degrees a hundredth is never reached: there they are off by 0.004 % of the radius. Not below 0.01
// degrees.
inline std::unique_ptr<OGRGeometry> straightened(const OGRGeometry& shape, double widest = 1) {
    constexpr double off = 0.01, least = 0.01, degree = 3.14159265358979323846 / 180;
    detail::largest_radius arcs;
    if (shape.hasCurveGeometry(TRUE)) shape.accept(&arcs);
    const double wanted = arcs.found > off ? 2 * std::acos(1 - off / arcs.found) / degree : widest;
    return std::unique_ptr<OGRGeometry>{shape.getLinearGeometry(std::clamp(wanted, least, widest))};
}

}  // namespace gdalmcp::gdal
