#include "vector_more/ogr_hulls.hpp"

#include "geometries.hpp"

using namespace gdalmcp_vector_more;

namespace {
constexpr double metres_north = 111'412;  // of a degree of latitude at 60°, WGS 84
}

TEST_CASE("hulls of what spans no area are none") {
    for (const auto* shape :
         {"POINT (500001 2)", "MULTIPOINT ((500001 2), (500003 4))", "LINESTRING (500000 0, 500001 1, 500002 2)"}) {
        metric_frame frame{layer_in("EPSG:32633", box(500000, 0, 500009, 9))};
        CHECK(convex_hull(*wkt(shape)).empty());
        CHECK(concave_hull(*wkt(shape), 0.3, frame).empty());
        CHECK(bounding_rectangle(*wkt(shape), frame).empty());
    }
    metric_frame frame{layer_in("EPSG:32633", box(500000, 0, 500009, 9))};
    CHECK(bounding_circle(*wkt("POINT (500001 2)"), frame).empty());
    CHECK(bounding_box(*wkt("LINESTRING (0 0, 5 0)")).empty());
}

TEST_CASE("a concave hull follows a bay that the convex one covers, with the vertices it was given") {
    const auto shape = wkt("MULTIPOINT ((20 60), (20.1 60), (20.2 60), (20.2 60.1), (20.1 60.02), (20 60.1))");
    metric_frame frame{layer_in("EPSG:4326", box(20, 60, 20.2, 60.1))};
    const auto convex = convex_hull(*shape);
    const auto concave = concave_hull(*shape, 0, frame);
    CHECK(frame.planes());
    REQUIRE(concave.size() == 1);
    CHECK(concave[0].shape->toPolygon()->get_Area() < 0.9 * convex[0].shape->toPolygon()->get_Area());
    for (const auto& p : *concave[0].shape->toPolygon()->getExteriorRing()) CHECK(shape->Intersects(&p));
}

TEST_CASE("of polygons the hull fills what is between them and cuts into none") {
    const auto shape =
        wkt("MULTIPOLYGON (((500000 0, 500004 0, 500004 1, 500000 1, 500000 0)), "
            "((500000 1.2, 500004 1.2, 500004 2.2, 500000 2.2, 500000 1.2)))");
    metric_frame frame{layer_in("EPSG:32633", box(500000, 0, 500009, 9))};
    const auto hull = concave_hull(*shape, 0.3, frame);
    REQUIRE(hull.size() == 1);
    CHECK(hull[0].shape->Contains(shape.get()));
    CHECK(hull[0].shape->toPolygon()->get_Area() == Approx(4 * 2.2));
}

TEST_CASE("the smallest rectangle of a tilted line of boxes is tilted, in metres on any CRS") {
    metric_frame map{layer_in("EPSG:32633", box(500000, 0, 500030, 30))};
    const auto tilted = bounding_rectangle(*wkt("MULTIPOINT ((500001 0), (500000 1), (500020 19), (500019 20))"), map);
    REQUIRE(tilted.size() == 1);
    CHECK(tilted[0].values[0] == Approx(19 * std::sqrt(2)));
    CHECK(tilted[0].values[1] == Approx(std::sqrt(2)));
    // At 60 degrees, 0.02 by 0.01 degrees are a square of 1.1 km.
    metric_frame degrees{layer_in("EPSG:4326", box(20, 60, 20.02, 60.01))};
    const auto square = bounding_rectangle(*wkt("POLYGON ((20 60, 20.02 60, 20.02 60.01, 20 60.01, 20 60))"), degrees);
    CHECK(square[0].values[0] / square[0].values[1] == Approx(1).margin(0.005));
    CHECK(square[0].values[0] == Approx(metres_north / 100).epsilon(0.003));
}

TEST_CASE("the smallest rectangle is the one of least area, not the narrowest") {
    // Beside its own box, 200 by 200, an L has a tilted one of 283 by 177.
    metric_frame frame{layer_in("EPSG:32633", box(500000, 0, 500400, 400))};
    const auto l = wkt("POLYGON ((500200 0, 500400 0, 500400 50, 500250 50, 500250 200, 500200 200, 500200 0))");
    const auto found = bounding_rectangle(*l, frame);
    REQUIRE(found.size() == 1);
    CHECK(found[0].shape->toPolygon()->get_Area() == Approx(200 * 200));
    CHECK(found[0].shape->Contains(l.get()));
}

TEST_CASE("a concave hull has no holes, and of ratio 1 is the convex one") {
    metric_frame frame{layer_in("EPSG:32633", box(500000, 0, 500400, 400))};
    const auto shape =
        wkt("MULTIPOLYGON (((500000 0, 500100 0, 500100 100, 500000 100, 500000 0), "
            "(500020 20, 500020 40, 500040 40, 500040 20, 500020 20)), ((500200 0, 500250 0, 500200 50, 500200 0)))");
    const auto area = [](const pieces& p) { return p.at(0).shape->toPolygon()->get_Area(); };
    CHECK(area(concave_hull(*shape, 1, frame)) == Approx(area(convex_hull(*shape))));
    const auto only =
        wkt("POLYGON ((500000 0, 500100 0, 500100 100, 500000 100, 500000 0), (500020 20, 500020 40, 500040 40, 500040 "
            "20, 500020 20))");
    CHECK(area(concave_hull(*only, 0.3, frame)) == Approx(100 * 100));
}

TEST_CASE("the smallest circle is one on the ground and holds every corner") {
    metric_frame frame{layer_in("EPSG:4326", box(20, 60, 20.02, 60.01))};
    const auto shape = wkt("POLYGON ((20 60, 20.02 60, 20.02 60.01, 20 60.01, 20 60))");
    const auto circle = bounding_circle(*shape, frame);
    REQUIRE(circle.size() == 1);
    CHECK(circle[0].values[0] == Approx(metres_north / 100 / std::sqrt(2)).epsilon(0.003));
    CHECK(circle[0].shape->Contains(shape.get()));
    OGREnvelope around;
    circle[0].shape->getEnvelope(&around);
    CHECK((around.MaxX - around.MinX) / (around.MaxY - around.MinY) == Approx(2).epsilon(0.01));
}

TEST_CASE("what reaches too far for a plane is laid on the map, and its metres are not known") {
    metric_frame frame{layer_in("EPSG:4326", box(-90, -60, 90, 60))};
    const auto wide = bounding_rectangle(*wkt("MULTIPOINT ((-90 -60), (90 -60), (90 60))"), frame);
    REQUIRE(wide.size() == 1);
    CHECK(frame.beyond() == 1);
    CHECK(std::isnan(wide[0].values[0]));
    CHECK_FALSE(frame.distance_error());
}
