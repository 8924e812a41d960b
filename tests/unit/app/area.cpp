#include "app/datasets/area.hpp"

#include "catch.hpp"

using gdalmcp::app::area, gdalmcp::app::extent;
namespace json = boost::json;

namespace {

area of(const char* text) { return area::of(json::parse(text)).value(); }
constexpr extent unit{0, 0, 1, 1};

}  // namespace

TEST_CASE("a box meets the extents it overlaps, touches, contains or lies in") {
    CHECK(of("[0.5, 0.5, 2, 2]").meets(unit));
    CHECK(of("[1, 0, 2, 1]").meets(unit));
    CHECK(of("[-5, -5, 5, 5]").meets(unit));
    CHECK(of("[0.4, 0.4, 0.6, 0.6]").meets(unit));
    CHECK_FALSE(of("[1.1, 0, 2, 1]").meets(unit));
    CHECK_FALSE(of("[0, 1.1, 1, 2]").meets(unit));
}

TEST_CASE("boxes and extents across the antimeridian meet each other and both sides") {
    const auto fiji = of("[177, -20, -178, -15]");
    CHECK(fiji.meets({178, -18, 179, -17}));
    CHECK(fiji.meets({-179.5, -18, -179, -17}));
    CHECK(fiji.meets({179, -18, -179, -17}));
    CHECK_FALSE(fiji.meets({0, -18, 170, -17}));
    CHECK(of("[-179.9, -18, -179.5, -17]").meets({177, -20, -178, -15}));
    CHECK(of("[181, -18, 182, -17]").meets({-179.5, -18, -179, -17}));
}

TEST_CASE("a triangle does not meet the extent in the empty corner of its box") {
    const auto triangle = of(R"({"type": "Polygon", "coordinates": [[[0, 0], [10, 0], [0, 10], [0, 0]]]})");
    CHECK(triangle.meets({1, 1, 2, 2}));
    CHECK_FALSE(triangle.meets({8, 8, 9, 9}));
    CHECK(triangle.meets({-5, -5, 20, 20}));
}

TEST_CASE("an extent in a hole is outside, one across its edge is not") {
    const auto ring = of(R"({"type": "Polygon", "coordinates": [[[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]],
                                                              [[2, 2], [8, 2], [8, 8], [2, 8], [2, 2]]]})");
    CHECK_FALSE(ring.meets({4, 4, 5, 5}));
    CHECK(ring.meets({1, 4, 5, 5}));
    CHECK(ring.meets({0.5, 0.5, 1, 1}));
}

TEST_CASE("points, lines, parts, features and collections are places") {
    CHECK(of(R"({"type": "Point", "coordinates": [0.5, 0.5]})").meets(unit));
    CHECK_FALSE(of(R"({"type": "Point", "coordinates": [1.5, 0.5]})").meets(unit));
    CHECK(of(R"({"type": "LineString", "coordinates": [[-1, 0.5], [2, 0.6]]})").meets(unit));
    CHECK_FALSE(of(R"({"type": "LineString", "coordinates": [[-1, 0.5], [0.5, 2.5]]})").meets(unit));
    CHECK(of(R"({"type": "MultiPoint", "coordinates": [[5, 5], [0.5, 0.5]]})").meets(unit));
    CHECK(of(R"({"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [1, 1]}})")
              .meets(unit));
    CHECK(of(R"({"type": "FeatureCollection", "features": [
        {"type": "Feature", "geometry": null}, {"type": "Feature", "geometry": {"type": "Point", "coordinates": [0, 0]}}]})")
              .meets(unit));
}

TEST_CASE("what is no place in degrees is refused") {
    for (const char* wrong :
         {"[1, 2, 3]", "[0, 5, 1, 4]", R"(["a", 0, 1, 1])", "{}", R"({"type": "Point"})",
          R"({"type": "Circle", "coordinates": [[0, 0]]})", R"({"type": "Point", "coordinates": [500000, 5800000]})",
          R"({"type": "Polygon", "coordinates": [[]]})", R"({"type": "GeometryCollection", "geometries": []})",
          R"({"type": "Feature", "geometry": null})"}) {
        const auto r = area::of(json::parse(wrong));
        REQUIRE(!r);
        CHECK(r.error().at == "/geometry");
    }
}
