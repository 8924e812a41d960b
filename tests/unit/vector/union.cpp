#include "vector/ogr_union.hpp"

#include "layers.hpp"
#include "vector/ogr_ground_buffer.hpp"

using namespace gdalmcp_vector;

namespace {

using shapes = std::vector<std::unique_ptr<OGRGeometry>>;

std::unique_ptr<OGRGeometry> unite(shapes all, std::size_t workers = 2) {
    return united(std::move(all), workers, [](double) {});
}
double area(const OGRGeometry& g) { return OGR_G_Area(OGRGeometry::ToHandle(const_cast<OGRGeometry*>(&g))); }
std::unique_ptr<OGRGeometry> square(double x, double y, double side) {
    auto g = wkt("POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))");
    gdalmcp::gdal::for_each_vertex(*g, [&](OGRPoint& p) {
        p.setX(x + p.getX() * side);
        p.setY(y + p.getY() * side);
    });
    return g;
}

}  // namespace

TEST_CASE("nothing, one and two overlapping shapes") {
    CHECK(unite({}) == nullptr);
    shapes two;
    two.push_back(square(0, 0, 2));
    CHECK(area(*unite([&] {
              shapes one;
              one.push_back(square(0, 0, 2));
              return one;
          }())) == 4);
    two.push_back(square(1, 0, 2));
    CHECK(area(*unite(std::move(two))) == 6);
}

TEST_CASE("holes between many shapes, and islands in holes, are where they were") {
    // A lattice of 60 x 60 frames, each with a hole of 0.5 and an island of 0.2 in it: more than a few chunks.
    shapes all;
    for (int i = 0; i < 60; ++i)
        for (int k = 0; k < 60; ++k) {
            const double x = i, y = k;
            std::unique_ptr<OGRGeometry> frame{square(x, y, 1)->Difference(square(x + 0.25, y + 0.25, 0.5).get())};
            all.push_back(std::move(frame));
            all.push_back(square(x + 0.4, y + 0.4, 0.2));
        }
    const auto one = unite(std::move(all));
    REQUIRE(wkbFlatten(one->getGeometryType()) == wkbMultiPolygon);
    CHECK(one->IsValid());
    CHECK(one->toMultiPolygon()->getNumGeometries() == 1 + 3600);
    CHECK(area(*one) == Approx(3600 * (0.75 + 0.04)));
}

TEST_CASE("the same on one core and on several, and as GEOS unites them at once") {
    const auto circles = [] {
        shapes all;
        OGRPoint at;
        for (int i = 0; i < 2000; ++i) {
            at.setX((i * 7919) % 1009 / 10.0);
            at.setY((i * 104729) % 997 / 10.0);
            all.push_back(planar_buffer(at, 1.5, 8));
        }
        return all;
    };
    OGRMultiPolygon parts;
    for (const auto& c : circles()) parts.addGeometry(c.get());
    const std::unique_ptr<OGRGeometry> expected{parts.UnionCascaded()};
    for (const std::size_t workers : {1, 3}) {
        const auto one = unite(circles(), workers);
        CHECK(area(*one) == Approx(area(*expected)).epsilon(1e-12));
        CHECK(one->IsValid());
    }
}

TEST_CASE("the buffer of a point is GEOS' circle, moved") {
    const auto there = planar_buffer(*wkt("POINT (5 7)"), 2, 4);
    const std::unique_ptr<OGRGeometry> expected{wkt("POINT (5 7)")->Buffer(2, 4)};
    CHECK(there->toPolygon()->getExteriorRing()->getNumPoints() == 17);
    CHECK(area(*std::unique_ptr<OGRGeometry>{there->SymDifference(expected.get())}) < 1e-12);
}
