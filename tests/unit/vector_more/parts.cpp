#include "vector_more/ogr_parts.hpp"

#include "geometries.hpp"
#include "vector_more/ogr_rounding.hpp"

using namespace gdalmcp_vector_more;
using words = std::vector<std::string>;
using numbers = std::vector<double>;

TEST_CASE("a collection falls into its parts, numbered, those of collections within it too") {
    const auto all =
        parts_of(*wkt("GEOMETRYCOLLECTION (POINT (1 2), MULTIPOINT ((3 4), (5 6)), LINESTRING EMPTY, "
                      "GEOMETRYCOLLECTION (LINESTRING (0 0, 1 1)))"));
    CHECK(texts(all) == words{"POINT (1 2)", "POINT (3 4)", "POINT (5 6)", "LINESTRING (0 0,1 1)"});
    CHECK(all.back().values == numbers{4});
}

TEST_CASE("vertices have the numbers of part, ring and place, and a ring's last one is its first") {
    const auto all =
        vertices_of(*wkt("MULTIPOLYGON (((0 0, 4 0, 0 4, 0 0), (1 1, 2 1, 1 2, 1 1)), ((8 8, 9 8, 8 9, 8 8)))"));
    REQUIRE(all.size() == 9);
    CHECK(wkt(*all[4].shape) == "POINT (2 1)");
    CHECK(all[4].values == numbers{1, 1, 2});
    CHECK(all[8].values == numbers{2, 0, 3});
    // A closed line has both of its ends.
    CHECK(vertices_of(*wkt("LINESTRING (0 0, 1 0, 0 0)")).size() == 3);
}

TEST_CASE("the ends of each line keep heights, and polygons have none") {
    const auto all = ends_of(*wkt("MULTILINESTRING Z ((0 0 7, 1 1 8, 2 2 9), (5 5 1, 6 6 2))"));
    CHECK(texts(all) == words{"POINT Z (0 0 7)", "POINT Z (2 2 9)", "POINT Z (5 5 1)", "POINT Z (6 6 2)"});
    CHECK(all[1].values == numbers{1, 3});
    CHECK_THROWS_AS(ends_of(*wkt("POINT (1 2)")), gdalmcp_vector::unusable);
}

TEST_CASE("parts of one kind become its multi-part form, mixed ones a collection") {
    CHECK(wkt(*collected(*wkt("GEOMETRYCOLLECTION (POINT (1 2), MULTIPOINT ((3 4)))"))) == "MULTIPOINT ((1 2),(3 4))");
    CHECK(wkt(*collected(*wkt("GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (0 0, 1 1))"))) ==
          "GEOMETRYCOLLECTION (POINT (1 2),LINESTRING (0 0,1 1))");
    CHECK(collected(*wkt("GEOMETRYCOLLECTION EMPTY")) == nullptr);
}

TEST_CASE("a type's part type keeps its dimensions") {
    CHECK(part_type(wkbMultiPolygon25D) == wkbPolygon25D);
    CHECK(part_type(wkbLineString) == wkbLineString);
    CHECK(part_type(wkbGeometryCollection) == wkbUnknown);
}

TEST_CASE("rounding keeps polygons valid and drops what is smaller than the grid") {
    CHECK(texts(rounded(*wkt("POINT (1.26 -3.14)"), 1)) == words{"POINT (1.3 -3.1)"});
    CHECK(texts(rounded(*wkt("LINESTRING (14 26, 31 49)"), -1)) == words{"LINESTRING (10 30,30 50)"});
    CHECK(rounded(*wkt("POLYGON ((0 0, 0.1 0, 0.1 0.1, 0 0.1, 0 0))"), 0).empty());
    // A waist narrower than the grid would cross itself.
    const auto waist = rounded(*wkt("POLYGON ((0 0, 4 0, 4 4, 2.1 4, 2.1 1.1, 2 1.1, 2 4, 0 4, 0 0))"), 0);
    REQUIRE(waist.size() == 1);
    CHECK(waist[0].shape->IsValid());
    CHECK(flattened(*wkt("POINT ZM (1 2 3 4)"))[0].shape->getGeometryType() == wkbPoint);
}
