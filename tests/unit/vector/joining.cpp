// What joins stand on: relations, likeness of keys, largest overlaps, and the nearest on the ellipsoid.
#include <random>

#include "layers.hpp"
#include "shapes.hpp"
#include "vector/likeness.hpp"
#include "vector/matches.hpp"
#include "vector/ogr_ground.hpp"
#include "vector/ogr_keys.hpp"
#include "vector/ogr_nearest.hpp"
#include "vector/ogr_shapes.hpp"
#include "vector/ogr_surface.hpp"
#include "vector/overlap.hpp"

using namespace gdalmcp_vector;
using found = std::vector<std::size_t>;

namespace {

// Two squares side by side, 0-2 and 2-4, and none.
struct squares {
    geos::shape left = shape("POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))"),
                right = shape("POLYGON ((2 0, 4 0, 4 2, 2 2, 2 0))");
    std::vector<const GEOSGeometry*> all{left.get(), nullptr, right.get()};
};

found relate(const squares& s, predicate p, const char* wkt) {
    matcher m{s.all, p, 1};
    return m.of(*shape(wkt), 0);
}

double brute_distance(const geod_geodesic& g, double lon, double lat, const std::vector<std::array<double, 2>>& points,
                      std::size_t& nearest) {
    double best = 1e9;
    for (std::size_t i = 0; i < points.size(); ++i) {
        double d = 0;
        geod_inverse(&g, lat, lon, points[i][1], points[i][0], &d, nullptr, nullptr);
        if (d < best) {
            best = d;
            nearest = i;
        }
    }
    return best;
}

}  // namespace

TEST_CASE("a point on a common edge intersects both squares and lies within neither") {
    const squares s;
    CHECK(relate(s, predicate::intersects, "POINT (2 1)") == found{0, 2});
    CHECK(relate(s, predicate::within, "POINT (2 1)").empty());
    CHECK(relate(s, predicate::within, "POINT (1 1)") == found{0});
    CHECK(relate(s, predicate::intersects, "POINT (9 9)").empty());
    CHECK(relate(s, predicate::intersects, "POINT EMPTY").empty());
    CHECK(relate(s, predicate::contains, "POLYGON ((1 -1, 5 -1, 5 3, 1 3, 1 -1))") == found{2});
    CHECK(relate(s, predicate::intersects, "LINESTRING (-1 1, 3 1)") == found{0, 2});
}

TEST_CASE("many points in one polygon are found by preparing that polygon") {
    std::vector<geos::shape> points;
    std::vector<const GEOSGeometry*> all;
    for (int i = 0; i < 20; ++i) points.push_back(shape(("POINT (" + std::to_string(i) + " 1)").c_str()));
    for (const auto& p : points) all.push_back(p.get());
    matcher m{all, predicate::intersects, 1};
    CHECK(m.of(*shape("POLYGON ((2.5 0, 6 0, 6 2, 2.5 2, 2.5 0))"), 0) == found{3, 4, 5, 6});
    matcher in{all, predicate::contains, 1};
    CHECK(in.of(*shape("POLYGON ((2.5 0, 6 0, 6 2, 2.5 2, 2.5 0))"), 0) == found{3, 4, 5});
}

TEST_CASE("names that mean the same place are alike, others are not") {
    CHECK(folded("Côte d'Ivoire") == "cotedivoire");
    CHECK(folded("Co\u0302te\u00a0d'Ivoire") == "cotedivoire");
    CHECK(folded(" ÅLAND-Īslands 2") == "alandislands2");
    CHECK(likeness("night", "nacht") == Approx(0.25));
    CHECK(likeness("abc", "abc") == 1);
    CHECK(most_alike("Côte d'Ivoire", {"Brazil", "Ivory Coast", "Norway"}, 3) ==
          std::vector<std::string>{"Ivory Coast"});
    CHECK(most_alike("berlin ", {"Bern", "Berlin"}, 1) == std::vector<std::string>{"Berlin"});
    CHECK(most_alike("xyz", {"Brazil"}, 3).empty());
    // Two of five pairs are the same: little for single words, however they are padded.
    CHECK(likeness("camden", "pender") == Approx(0.4));
    CHECK(most_alike("Camden", {" Pender "}, 3).empty());
    CHECK(most_alike("Camden", {"Hamden"}, 3) == std::vector<std::string>{"Hamden"});
}

TEST_CASE("the largest overlap wins, equal ones are all named, touching is none") {
    const squares s;
    const auto area = [](const GEOSGeometry& g) { return geos::area(g); };
    const auto mostly_right =
        find_largest_overlap(*shape("POLYGON ((1.5 0, 4 0, 4 1, 1.5 1, 1.5 0))"), {0, 2}, s.all, area);
    CHECK(mostly_right.items == found{2});
    CHECK(mostly_right.area == 2);
    CHECK(find_largest_overlap(*shape("POLYGON ((1 0, 3 0, 3 1, 1 1, 1 0))"), {0, 2}, s.all, area).items ==
          found{0, 2});
    CHECK(find_largest_overlap(*shape("POLYGON ((0 2, 4 2, 4 3, 0 3, 0 2))"), {0, 2}, s.all, area).items.empty());
}

TEST_CASE("001 is no 1 unless numbers are asked for, and nulls have no key") {
    const memory_layer m{{{1, nullptr, "001", 1}, {2, nullptr, nullptr, 7}}};
    auto& l = *m.layer;
    CHECK_THROWS_AS((key_fields{l, l, {{"name", "size"}}, key_type::as_stored}), gdalmcp::error);
    CHECK_THROWS_AS((key_fields{l, l, {{"nix", "size"}}, key_type::as_stored}), gdalmcp::error);
    const OGRFeatureUniquePtr one{l.GetFeature(1)}, two{l.GetFeature(2)};
    const key_fields numbers{l, l, {{"name", "size"}}, key_type::number};
    CHECK(numbers.of_first(*one) == numbers.of_second(*one));
    CHECK_FALSE(numbers.of_first(*two));
    const key_fields texts{l, l, {{"name", "size"}}, key_type::text};
    CHECK(texts.of_first(*one) != texts.of_second(*one));
    const key_fields pair{l, l, {{"name", "name"}, {"size", "size"}}, key_type::as_stored};
    CHECK(pair.of_first(*one) == pair.of_second(*one));
    CHECK_FALSE(pair.of_first(*two));
    CHECK(pair.shown_first(*one) == "001, 1");
}

TEST_CASE("the nearest are those of a search through all geodesics, over the antimeridian and the poles as well") {
    const auto crs = *gdalmcp::gdal::parse_crs("OGC:CRS84");
    geod_geodesic wgs84;
    geod_init(&wgs84, crs.GetSemiMajor(), 1 / crs.GetInvFlattening());
    std::mt19937 random{1};
    std::uniform_real_distribution<double> lon{-180, 180}, lat{-90, 90};
    std::vector<std::array<double, 2>> points;
    std::vector<traced> items;
    for (int i = 0; i < 2000; ++i) {
        points.push_back({lon(random), lat(random)});
        items.push_back({{points.back()[0]}, {points.back()[1]}, {{0, 0}}});
    }
    const nearest_index index{gdalmcp::ellipsoid{crs.GetSemiMajor(), crs.GetInvFlattening()}, items};
    for (int i = 0; i < 300; ++i) {
        const double x = i < 20 ? 179.99 : lon(random), y = i % 10 == 0 ? 89.9 : lat(random);
        std::size_t expected = 0;
        const double d = brute_distance(wgs84, x, y, points, expected);
        const auto answer = index.nearest({{x}, {y}, {{0, 0}}}, 1);
        REQUIRE(answer.nearest.size() == 1);
        CHECK(answer.nearest[0].item == expected);
        CHECK(answer.nearest[0].distance == Approx(d).epsilon(1e-12));
    }
    CHECK(index.nearest({{0}, {0}, {{0, 0}}}, 5).nearest.size() == 5);
    CHECK(index.nearest({{0}, {0}, {{0, 0}}}, 5, 1.0).nearest.empty());
}

TEST_CASE("in degrees the nearer by the plane is not the nearer on the ground") {
    // At 60° north 1.5 degrees east are 84 km, 1 degree north is 111 km.
    const auto crs = *gdalmcp::gdal::parse_crs("OGC:CRS84");
    tracer t{crs};
    const nearest_index index{t.shape_of_earth(),
                              {t.trace(*shape("POINT (10 61)")), t.trace(*shape("POINT (11.5 60)"))}};
    const auto answer = index.nearest(t.trace(*shape("POINT (10 60)")), 2);
    REQUIRE(answer.nearest.size() == 2);
    CHECK(answer.nearest[0].item == 1);
    CHECK(answer.nearest[0].distance == Approx(83698.2096).epsilon(1e-9));  // pyproj
}

TEST_CASE("a long edge of a geographic CRS is a parallel, and the distance to it is taken along the meridian") {
    tracer t{*gdalmcp::gdal::parse_crs("OGC:CRS84")};
    const nearest_index index{t.shape_of_earth(), {t.trace(*shape("LINESTRING (-40 50, 40 50)"))}};
    const auto answer = index.nearest(t.trace(*shape("POINT (0 51)")), 1);
    REQUIRE(answer.nearest.size() == 1);
    CHECK(answer.nearest[0].distance == Approx(111238.6809).margin(0.03));  // pyproj
    const double along =
        *ground{*gdalmcp::gdal::parse_crs("OGC:CRS84")}.measure(*wkt("LINESTRING (0 50, 0 51)")).length;
    CHECK(answer.nearest[0].distance == Approx(along).margin(0.03));
}

TEST_CASE("equal distances are ties, and the first item is taken") {
    tracer t{*gdalmcp::gdal::parse_crs("EPSG:32633")};
    const nearest_index index{t.shape_of_earth(),
                              {t.trace(*shape("POINT (500100 0)")), t.trace(*shape("POINT (500100 0)")),
                               t.trace(*shape("LINESTRING (500050 -50, 500050 50)"))}};
    const auto from = t.trace(*shape("POINT (500300 0)"));
    const auto one = index.nearest(from, 1);
    CHECK(one.nearest[0].item == 0);
    CHECK(one.tied == 1);
    CHECK(one.nearest[0].distance == Approx(200 / 0.9996).epsilon(1e-6));
    CHECK(index.nearest(from, 2).tied == 0);
    CHECK(index.nearest(from, 9).nearest.size() == 3);
    const auto crossing = index.nearest(t.trace(*shape("LINESTRING (500000 0, 500060 1)")), 1);
    CHECK(crossing.nearest[0].item == 2);
    CHECK(crossing.nearest[0].distance == 0);
}

TEST_CASE("areas of small polygons are those of the exact way") {
    for (const char* code : {"EPSG:32633", "EPSG:3857", "EPSG:4326", "EPSG:2263", "EPSG:3035"}) {
        const auto crs = *gdalmcp::gdal::parse_crs(code);
        const bool degrees = crs.IsGeographic();
        const std::string text =
            degrees ? "POLYGON ((10 60, 10.02 60, 10.025 60.015, 10 60.01, 10 60),(10.001 60.001, 10.002 60.001, "
                      "10.002 60.002, 10.001 60.001))"
                    : "POLYGON ((700000 5000000, 701500 5000000, 702000 5001800, 700300 5001500, 700000 5000000))";
        const auto polygon = shape(text.c_str());
        surface s{crs};
        CHECK(s.area(*polygon) == Approx(*gdalmcp::gdal::ellipsoidal_area(*wkt(text.c_str()), crs)).epsilon(5e-7));
        CHECK(s.area(*shape("LINESTRING (0 0, 1 1)")) == 0);
    }
}

TEST_CASE("shapes go to GEOS and back unchanged") {
    for (const char* text : {"POINT (1 2)", "LINESTRING (0 0,1 1)", "POLYGON ((0 0,4 0,4 4,0 0),(2 1,3 1,3 2,2 1))",
                             "MULTIPOLYGON (((0 0,1 0,1 1,0 0)),((5 5,6 5,6 6,5 5)))", "MULTIPOINT (1 1,2 2)",
                             "GEOMETRYCOLLECTION (POINT (1 1),LINESTRING (0 0,1 1))", "POLYGON EMPTY"})
        CHECK(to_ogr(*to_shape(*wkt(text)))->Equals(wkt(text).get()));
    CHECK(geos::length(*to_shape(*wkt("CIRCULARSTRING (0 0, 1 1, 2 0)"))) == Approx(3.14159).epsilon(1e-3));
    CHECK(to_ogr(*to_shape(*wkt("POINT Z (1 2 3)")))->Is3D() == FALSE);
}

TEST_CASE("near a meridian where the map is true, lines and polygons are as far apart as in the plane of GEOS") {
    tracer t{*gdalmcp::gdal::parse_crs("EPSG:32633")};
    std::mt19937 random{5};
    std::uniform_real_distribution<double> place{0, 4000}, step{-300, 300};
    const auto any = [&](int i) {
        const double x = 500000 + place(random), y = 5000000 + place(random);
        const auto at = [&](double dx, double dy) { return std::to_string(x + dx) + " " + std::to_string(y + dy); };
        if (i % 3 == 0) return shape(("POINT (" + at(0, 0) + ")").c_str());
        if (i % 3 == 1)
            return shape(("LINESTRING (" + at(0, 0) + "," + at(step(random), step(random)) + "," +
                          at(step(random), step(random)) + ")")
                             .c_str());
        return shape(("POLYGON ((" + at(0, 0) + "," + at(90, 10) + "," + at(80, 120) + "," + at(0, 0) + "))").c_str());
    };
    std::vector<geos::shape> shapes;
    std::vector<const GEOSGeometry*> all;
    std::vector<traced> items;
    for (int i = 0; i < 120; ++i) shapes.push_back(any(i));
    for (const auto& s : shapes) {
        all.push_back(s.get());
        items.push_back(t.trace(*s));
    }
    const nearest_index index{t.shape_of_earth(), items};
    matcher touching{all, predicate::intersects, 1};
    for (int i = 0; i < 90; ++i) {
        const auto from = any(i);
        std::vector<double> expected;
        for (const auto* s : all) {
            double d = 0;
            REQUIRE(GEOSDistance_r(geos::handle(), from.get(), s, &d) == 1);
            expected.push_back(d / 0.9996);
        }
        std::sort(expected.begin(), expected.end());
        const auto answer = index.nearest(t.trace(*from), 4, 1e9, touching.of(*from, 0));
        REQUIRE(answer.nearest.size() == 4);
        for (std::size_t k = 0; k < 4; ++k)
            CHECK(answer.nearest[k].distance == Approx(expected[k]).epsilon(1e-6).margin(0.03));
    }
}
