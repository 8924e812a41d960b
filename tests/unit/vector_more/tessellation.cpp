#include "vector_more/ogr_tessellation.hpp"

#include "geometries.hpp"

using namespace gdalmcp_vector_more;

namespace {
metric_frame on_map() { return metric_frame{layer_in(nullptr, box(0, 0, 10, 10))}; }
}  // namespace

TEST_CASE("each point has the cell it lies in, and two at one place share it") {
    auto frame = on_map();
    const auto points = wkt("GEOMETRYCOLLECTION (POINT (2 2), POINT (8 2), POINT (2 2), MULTIPOINT ((2 8), (8 8)))");
    const auto done = voronoi(*points->toGeometryCollection(), frame);
    CHECK(done.duplicates == 1);
    REQUIRE(done.made.size() == 4);
    const OGRPoint at[] = {{2, 2}, {8, 2}, {2, 8}, {8, 8}};
    const std::size_t member[] = {0, 1, 3, 3};
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(done.made[i].shape->Contains(&at[i]));
        CHECK(done.made[i].member == member[i]);
    }
    // The border between the first two is x = 5.
    const OGRPoint left{4.99, 2}, right{5.01, 2};
    CHECK(done.made[0].shape->Contains(&left));
    CHECK(done.made[1].shape->Contains(&right));
}

TEST_CASE("nothing is divided by one place, and lines have no cells") {
    auto frame = on_map();
    CHECK(voronoi(*wkt("GEOMETRYCOLLECTION (POINT (1 1), POINT (1 1))")->toGeometryCollection(), frame).made.empty());
    CHECK_THROWS_AS(voronoi(*wkt("GEOMETRYCOLLECTION (LINESTRING (1 1, 2 2))")->toGeometryCollection(), frame),
                    gdalmcp_vector::unusable);
    CHECK(voronoi(*wkt("GEOMETRYCOLLECTION (POINT (1 1), POINT (3 1))")->toGeometryCollection(), frame).made.size() ==
          2);
}

TEST_CASE("in degrees the border lies halfway on the ground") {
    metric_frame frame{layer_in("EPSG:4326", box(20, 60, 20.2, 60.1))};
    // On the ground they are at (11.1, 0) and (0, 11.1) km, and the border is the diagonal. In degrees it would be
    // steeper.
    const auto done =
        voronoi(*wkt("GEOMETRYCOLLECTION (POINT (20.2 60), POINT (20 60.1))")->toGeometryCollection(), frame);
    REQUIRE(done.made.size() == 2);
    const OGRPoint south{20.06, 60}, north{20.14, 60.1};  // (3.3, 0) and (7.8, 11.1) km
    CHECK(done.made[0].shape->Contains(&south));
    CHECK(done.made[1].shape->Contains(&north));
}

TEST_CASE("a square has two triangles with its corners, points on a line none") {
    auto frame = on_map();
    const auto done =
        delaunay(*wkt("GEOMETRYCOLLECTION (POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0)))")->toGeometryCollection(), frame);
    REQUIRE(done.made.size() == 2);
    double area = 0;
    for (const auto& p : done.made) area += p.shape->toPolygon()->get_Area();
    CHECK(area == 16);
    CHECK(delaunay(*wkt("GEOMETRYCOLLECTION (POINT (0 0), POINT (1 1), POINT (2 2))")->toGeometryCollection(), frame)
              .made.empty());
}
