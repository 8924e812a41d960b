#include "vector/ogr_census.hpp"

#include "layers.hpp"

using namespace gdalmcp_vector;

namespace {
const progress unwatched = [](double) {};
const auto never = [](GIntBig) { return false; };
}  // namespace

TEST_CASE("a census counts types, missing, empty and invalid geometries, and names the invalid ones") {
    const memory_layer m{{{1, "POLYGON ((0 0, 1 0, 1 1, 0 0))", "a", 1},
                          {2, "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)))", "b", 1},
                          {3, nullptr, "c", 1},
                          {4, "POLYGON EMPTY", "d", 1},
                          {9, "POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))", "bow-tie", 1}}};
    const auto c = take_census(*m.layer, never, unwatched);
    CHECK(c.features == 5);
    CHECK(c.types == std::map<std::string, GIntBig>{{"Polygon", 3}, {"MultiPolygon", 1}});
    CHECK(c.without_geometry == 1);
    CHECK(c.empty == 1);
    CHECK(c.invalid == 1);
    REQUIRE(c.first_invalid.size() == 1);
    CHECK(c.first_invalid[0].id == 9);
    CHECK(c.first_invalid[0].reason == "Self-intersection at or near point 1 1");
}

TEST_CASE("a census stops on request and at a cancellation") {
    memory_layer m{{}};
    for (int i = 0; i < 600; ++i) m.add({i, "POINT (0 0)", "x", i});
    const auto three = take_census(
        *m.layer, [](GIntBig before) { return before >= 3; }, unwatched);
    CHECK(three.features == 3);
    CHECK_FALSE(three.complete);
    CHECK(take_census(*m.layer, never, unwatched).complete);
    int asked = 0;
    CHECK_THROWS_AS(take_census(*m.layer, never,
                                [&](double) {
                                    if (++asked == 2) throw gdalmcp::cancelled{};
                                }),
                    gdalmcp::cancelled);
    CHECK(asked == 2);
}

TEST_CASE("geometry types are named as in WKT, with their dimensions") {
    CHECK(geometry_type_name(wkbMultiPolygon25D) == "MultiPolygon Z");
    CHECK(geometry_type_name(wkbLineStringZM) == "LineString ZM");
    CHECK(geometry_type_name(wkbPointM) == "Point M");
    CHECK(geometry_type_name(wkbUnknown) == "any");
    CHECK(geometry_type_name(wkbNone) == "None");
}

TEST_CASE("a single-part type may hide multi-part geometries") {
    const memory_layer single{{{1, "POLYGON ((0 0, 1 0, 1 1, 0 0))", "a", 1}}, "EPSG:32633", wkbPolygon};
    CHECK_FALSE(holds_multi_parts(*single.layer));
    const memory_layer mixed{{{1, "POLYGON ((0 0, 1 0, 1 1, 0 0))", "a", 1},
                              {2, "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)),((5 5, 6 5, 6 6, 5 5)))", "b", 1}},
                             "EPSG:32633",
                             wkbPolygon};
    CHECK(holds_multi_parts(*mixed.layer));
}
