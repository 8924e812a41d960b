#include <ogr_geometry.h>

#include <memory>

#include "catch.hpp"
#include "outlines.hpp"

using namespace gdalmcp_aggregation;

namespace {

void add_ring(OGRPolygon& to, const ring& r) {
    auto* line = new OGRLinearRing;
    for (const auto& p : r) line->addPoint(p.x, p.y);
    line->closeRings();
    to.addRingDirectly(line);
}

// The share of the unit square at (row, column) that GEOS finds inside the part.
double geos_share(const OGRPolygon& part, double row, double column) {
    OGRPolygon cell;
    add_ring(cell, outlines::box(column, row, column + 1, row + 1));
    const std::unique_ptr<OGRGeometry> common{part.Intersection(&cell)};
    double area = 0;
    if (auto* one = dynamic_cast<OGRSurface*>(common.get())) area = one->get_Area();
    if (auto* many = dynamic_cast<OGRGeometryCollection*>(common.get())) area = many->get_Area();
    return area;
}

}  // namespace

TEST_CASE("coverage equals GEOS's intersection areas on random polygons with holes") {
    std::mt19937 random{2026};
    for (int round = 0; round < 40; ++round) {
        const double x = 3 + static_cast<double>(random() % 1000) / 100,
                     y = 3 + static_cast<double>(random() % 1000) / 100;
        const double reach = 0.3 + static_cast<double>(random() % 900) / 100;
        polygon part{outlines::star(random, {x, y}, reach * 0.4, reach, 5 + static_cast<int>(random() % 40)),
                     {outlines::star(random, {x, y}, reach * 0.1, reach * 0.3, 4 + static_cast<int>(random() % 9))}};
        if (round % 2) part.exterior = outlines::reversed(part.exterior);
        OGRPolygon reference;
        add_ring(reference, part.exterior);
        add_ring(reference, part.holes[0]);
        REQUIRE(reference.IsValid());
        const auto shares = cover({part}, {0, 0, 16, 14}, coverage_rule::fraction);
        for (std::size_t row = 0; row < 16; ++row)
            for (std::size_t column = 0; column < 14; ++column) {
                CAPTURE(round, row, column);
                REQUIRE(
                    shares[row * 14 + column] ==
                    Approx(geos_share(reference, static_cast<double>(row), static_cast<double>(column))).margin(1e-9));
            }
    }
}
