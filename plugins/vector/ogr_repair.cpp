#include "ogr_repair.hpp"

#include <gdalmcp/gdal_collect.hpp>

#include <cmath>
#include <cstdio>

#include "ogr_ground.hpp"
#include "ogr_layer_pass.hpp"

namespace gdalmcp_vector {

namespace {

struct piece_count {
    int parts = 0, holes = 0;
};

void count_pieces(const OGRGeometry& shape, piece_count& n) {
    if (OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbGeometryCollection)) {
        for (const auto* part : *shape.toGeometryCollection()) count_pieces(*part, n);
    } else if (!shape.IsEmpty()) {
        ++n.parts;
        if (OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbCurvePolygon))
            n.holes += shape.toCurvePolygon()->getNumInteriorRings();
    }
}

std::string became(int before, int after, const char* one, const char* many) {
    if (before == after) return {};
    return std::to_string(before) + " " + (before == 1 ? one : many) + " became " + std::to_string(after);
}

std::string change_of(const OGRGeometry& before, const OGRGeometry& after) {
    piece_count from, to;
    const auto faces = gdalmcp::gdal::surfaces_as_polygons(before);
    count_pieces(faces ? *faces : before, from);
    count_pieces(after, to);
    auto text = became(from.parts, to.parts, "part", "parts");
    const auto holes = became(from.holes, to.holes, "hole", "holes");
    if (!text.empty() && !holes.empty()) text += ", ";
    return text + holes;
}

}  // namespace

defect defect_of(const std::string& reason) {
    constexpr const char* at = " at or near point ";
    const auto where = reason.find(at);
    defect d{reason.substr(0, where), {}};
    double x = 0, y = 0;
    if (where != std::string::npos &&
        std::sscanf(reason.c_str() + where + std::string{at}.size(), "%lf %lf", &x, &y) == 2)
        d.place = {x, y};
    return d;
}

void taken_ordinates::see(const OGRGeometry& own, const OGRGeometry* repaired) {
    if (!repaired) return;
    z += own.Is3D() && !repaired->Is3D();
    m += own.IsMeasured() && !repaired->IsMeasured();
}

void taken_ordinates::tell(gdalmcp::call& call) const {
    if (z > 0) call.warn("the plan of surfaces has no z values (" + counted(z) + ")");
    if (m > 0) call.warn("the repair takes the m values (" + counted(m) + ")");
}

repaired repair(const OGRGeometry& geometry, const std::string& reason) {
    auto shape = gdalmcp::gdal::valid_form(geometry);
    if (!shape) throw unusable{"its geometry is invalid and GEOS cannot repair it: " + reason};
    if (shape->IsEmpty()) return {nullptr, "nothing is left"};
    auto change = change_of(geometry, *shape);
    return {std::move(shape), std::move(change)};
}

void require_wall(const OGRGeometry& geometry, const std::string& reason) {
    constexpr double no_area = 1e-9;  // of the square around a ring
    OGRMultiPolygon polygons;
    gdalmcp::gdal::detail::add_parts(*linear(geometry), 2, polygons);
    for (const auto* p : polygons) {
        const auto* shell = p->getExteriorRing();
        if (!shell || shell->IsEmpty()) continue;
        OGREnvelope box;
        shell->getEnvelope(&box);
        if (shell->get_Area() > no_area * (std::pow(box.MaxX - box.MinX, 2) + std::pow(box.MaxY - box.MinY, 2)))
            throw unusable{"its geometry is invalid, and a repair leaves nothing of it: " + reason};
    }
}

}  // namespace gdalmcp_vector
