#include "vector/ogr_repair.hpp"

#include "layers.hpp"

using namespace gdalmcp_vector;

namespace {

repaired mend(const char* shape) {
    const auto g = wkt(shape);
    return repair(*g, gdalmcp::gdal::invalid_reason(*g));
}

double area(const OGRGeometry& g) { return OGR_G_Area(OGRGeometry::ToHandle(const_cast<OGRGeometry*>(&g))); }

}  // namespace

TEST_CASE("GEOS' reason is cut at its place") {
    const auto d = defect_of("Self-intersection at or near point 1.5 -2e3");
    CHECK(d.kind == "Self-intersection");
    CHECK(d.place == std::vector<double>{1.5, -2000});
    CHECK(defect_of("GEOS gives no reason").place.empty());
}

TEST_CASE("a bow-tie becomes its two triangles") {
    const auto done = mend("POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))");
    REQUIRE(done.shape);
    CHECK(area(*done.shape) == Approx(2));
    CHECK(done.change == "1 part became 2");
}

TEST_CASE("parts drawn over each other become one, and count once") {
    const auto done = mend("MULTIPOLYGON (((0 0, 2 0, 2 2, 0 2, 0 0)), ((1 0, 3 0, 3 2, 1 2, 1 0)))");
    REQUIRE(done.shape);
    CHECK(area(*done.shape) == Approx(6));
    CHECK(done.change == "2 parts became 1");
}

TEST_CASE("a hole outside of its shell becomes a part, and a hole over the edge is cut out") {
    const auto out = mend("POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0), (5 5, 6 5, 6 6, 5 5))");
    REQUIRE(out.shape);
    CHECK(out.change == "1 part became 2, 1 hole became 0");
    const auto over = mend("POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (3 1, 6 1, 6 2, 3 2, 3 1))");
    REQUIRE(over.shape);
    CHECK(area(*over.shape) == Approx(15));
}

TEST_CASE("nothing is left of a polygon without area, and no line in its place") {
    const auto done = mend("POLYGON ((0 0, 1 0, 0 0, 0 0))");
    CHECK(done.shape == nullptr);
    CHECK(done.change == "nothing is left");
}

TEST_CASE("a ring that is not closed is closed") {
    const auto done = mend("POLYGON ((0 0, 2 0, 2 2, 0 2))");
    REQUIRE(done.shape);
    CHECK(area(*done.shape) == Approx(4));
    CHECK(gdalmcp::gdal::invalid_reason(*done.shape).empty());
}
