#include <gdalmcp/gdal_wide_edges.hpp>

#include "layers.hpp"

using gdalmcp::gdal::first_wide_edge;
using gdalmcp::gdal::wide_edges;

TEST_CASE("an edge of more than half a turn is wide, one of half a turn and one of a whole turn are not") {
    const auto first = [](const char* text) { return first_wide_edge(*wkt(text), 1); };
    const auto wide = first("POLYGON ((170 -20, -170 -20, -170 -10, 170 -10, 170 -20))");
    REQUIRE(wide);
    CHECK((wide->from == 170 && wide->to == -170));
    CHECK(first("LINESTRING (0 0, 10 0, -175 0)"));
    CHECK(first("GEOMETRYCOLLECTION (POINT (0 0), MULTILINESTRING ((0 0, 1 1), (179 0, -179 0)))"));
    CHECK(first("POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (170 1, -170 1, -170 2, 170 1))"));
    CHECK_FALSE(first("POLYGON ((-180 -90, 180 -90, 180 90, -180 90, -180 -90))"));
    CHECK_FALSE(first("LINESTRING (-90 0, 90 0)"));
    CHECK_FALSE(first("MULTIPOINT (179 0, -179 0)"));
    CHECK_FALSE(first("POLYGON ((170 -20, 190 -20, 190 -10, 170 -10, 170 -20))"));
    CHECK(first_wide_edge(*wkt("LINESTRING (190 0, -190 0)"), 0.9)->from == 171);  // grads
    // Of Antarctica, with ends that are rounded; a strip across the antimeridian, and a way over it.
    CHECK_FALSE(first("POLYGON ((-180 -90, 179.99999 -90, 179.99999 -80, 0 -70, -180 -80, -180 -90))"));
    CHECK(first("POLYGON ((179.99999 -20, -180 -20, -180 -10, 179.99999 -10, 179.99999 -20))"));
    CHECK(first("LINESTRING (179.99999 0, -179.99999 0)"));
}

TEST_CASE("what was taken is said with both ways out") {
    CHECK(gdalmcp::gdal::wide_edge{170, -170}.taken_as("it") ==
          "taken as 340 degrees wide, through longitude 0; if the narrow way is meant, split it at 180 or write "
          "longitudes to 190");
    CHECK(gdalmcp::gdal::wide_edge{10, 350}.taken_as("it") ==
          "taken as 340 degrees wide, through longitude 180; if the narrow way is meant, split it at 0 or write "
          "longitudes from -10");
}

TEST_CASE("features with wide edges are counted, the first named; a map in metres has none") {
    const auto wide = wkt("LINESTRING (170 0, -175.5 0)"), narrow = wkt("LINESTRING (0 0, 1 0)");
    wide_edges degrees{*gdalmcp::gdal::parse_crs("EPSG:4326")}, metres{*gdalmcp::gdal::parse_crs("EPSG:32633")};
    CHECK(degrees.warning("the features").empty());
    degrees.see(*narrow, 1);
    degrees.see(*wide, 7);
    CHECK(degrees.warning("the features") ==
          "1 of the features has edges of more than 180 degrees of longitude, the first is 7 (longitude 170 to "
          "-175.5): taken as "
          "345.5 degrees wide, through longitude 0; if the narrow way is meant, split them at 180 or write longitudes "
          "to 184.5");
    degrees.see(*wide, std::string{"Fiji"});
    CHECK(degrees.warning("the zones").find("2 of the zones have edges") == 0);
    metres.see(*wide, 7);
    CHECK(metres.warning("the features").empty());
}
