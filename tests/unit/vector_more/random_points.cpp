#include "vector_more/ogr_random_points.hpp"

#include "geometries.hpp"

using namespace gdalmcp_vector_more;

namespace {

pieces in_degrees(const char* shape, std::int64_t n, std::uint64_t seed = 1, std::uint64_t number = 1) {
    gdalmcp_vector::surface earth{*gdalmcp::gdal::parse_crs("EPSG:4326")};
    return random_points(*wkt(shape), n, seed, number, &earth, true);
}

}  // namespace

TEST_CASE("a seed makes the same points, another seed or feature others, and fewer are the first of more") {
    const auto* square = "POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))";
    const auto once = texts(in_degrees(square, 20)), again = texts(in_degrees(square, 20));
    CHECK(once == again);
    CHECK(texts(in_degrees(square, 20, 2)) != once);
    CHECK(texts(in_degrees(square, 20, 1, 2)) != once);
    CHECK(texts(in_degrees(square, 5)) == std::vector<std::string>{once.begin(), once.begin() + 5});
}

TEST_CASE("points lie inside, not in holes, and overlapping parts count once") {
    const auto shape =
        "MULTIPOLYGON (((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 1 3, 3 3, 3 1, 1 1)), ((0 0, 4 0, 4 1, 0 1, 0 0)))";
    const auto all = random_points(*wkt(shape), 1200, 1, 1, nullptr, false);
    int below = 0;
    for (const auto& p : all) {
        const double x = p.shape->toPoint()->getX(), y = p.shape->toPoint()->getY();
        CHECK((x > 0 && x < 4 && y > 0 && y < 4));
        CHECK_FALSE((x > 1 && x < 3 && y > 1 && y < 3));
        below += y < 1;
    }
    // 4 of 12 square units: 400, with a deviation of 16.
    CHECK(below == Approx(400).margin(60));
}

TEST_CASE("from the equator to the pole, half of the points lie below 30 degrees") {
    const auto all = in_degrees("POLYGON ((0 0, 90 0, 90 90, 0 90, 0 0))", 4000);
    int south = 0;
    for (const auto& p : all) south += p.shape->toPoint()->getY() < 30;
    CHECK(south == Approx(2000).margin(4 * 32));  // sin 30° = 1/2; the ellipsoid adds 0.1 %
}

TEST_CASE("on a Mercator map as many points fall on the same ground") {
    const auto crs = *gdalmcp::gdal::parse_crs("EPSG:3857");
    gdalmcp_vector::surface earth{crs};
    // From the equator to 60 degrees, whose half of the area ends at asin(sin(60°) / 2) = 25.66°, here 2 957 km.
    const auto all =
        random_points(*wkt("POLYGON ((0 0, 1000000 0, 1000000 8399738, 0 8399738, 0 0))"), 4000, 1, 1, &earth, false);
    int south = 0;
    for (const auto& p : all) south += p.shape->toPoint()->getY() < 2.957e6;
    CHECK(south == Approx(2000).margin(4 * 32));
}

TEST_CASE("what has no area has no random points") {
    CHECK_THROWS_AS(in_degrees("LINESTRING (0 0, 1 1)", 1), gdalmcp_vector::unusable);
}
