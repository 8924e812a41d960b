#include "vector/ogr_simplification.hpp"

#include "layers.hpp"

using namespace gdalmcp_vector;

namespace {
const auto quiet_report = [](double) {};
using indexes = std::vector<std::size_t>;
}  // namespace

TEST_CASE("Douglas-Peucker keeps what is farther than the tolerance") {
    const vertex_choice choice{nullptr, simplification::douglas_peucker};
    const point_list line{{0, 0}, {1, 0.5}, {2, 2}, {3, 0.1}, {4, 0}};
    CHECK(choice.of(line, 0.01, true) == indexes{0, 1, 2, 3, 4});
    CHECK(choice.of(line, 1, true) == indexes{0, 2, 4});
    CHECK(choice.of(line, 3, true) == indexes{0, 4});
}

TEST_CASE("a ring below the tolerance becomes a triangle or nothing") {
    const vertex_choice choice{nullptr, simplification::douglas_peucker};
    const point_list square{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
    CHECK(choice.of(square, 10, false).empty());
    CHECK(choice.of(square, 10, true).size() == 4);
    CHECK(choice.of({{0, 0}, {1, 0}, {2, 0}, {1, 0}, {0, 0}}, 10, true).empty());
}

TEST_CASE("a tolerance in metres is one on the ground") {
    // At 60 degrees a degree of longitude is 55.8 km: a bulge of 0.01 degrees east is 558 m, north 1114 m.
    const ground earth{*gdalmcp::gdal::parse_crs("EPSG:4326")};
    const vertex_choice choice{&earth, simplification::douglas_peucker};
    const point_list east{{0, 60}, {0.01, 60.5}, {0, 61}}, north{{0, 60}, {0.5, 60.01}, {1, 60}};
    CHECK(choice.of(east, 500, true).size() == 3);
    CHECK(choice.of(east, 600, true).size() == 2);
    CHECK(choice.of(north, 1000, true).size() == 3);
    CHECK(choice.of(north, 1300, true).size() == 2);
}

TEST_CASE("an arc that would cross another is simplified less") {
    // A roof over a lower roof: flattened both, they would lie on each other.
    const std::vector<point_list> arcs{{{0, 0}, {2, 3}, {4, 0}}, {{0.5, 0.5}, {2, 2.5}, {3.5, 0.5}}};
    const vertex_choice choice{nullptr, simplification::douglas_peucker};
    const auto done = simplify_together(arcs, choice, 4, quiet_report);
    CHECK(done.arcs[0].size() == 3);
    CHECK(done.arcs[1].size() == 2);
    CHECK(done.finer == 1);
}

TEST_CASE("two arcs between the same nodes do not both become the same edge") {
    const std::vector<point_list> lens{{{0, 0}, {2, 1}, {4, 0}}, {{0, 0}, {2, -1}, {4, 0}}};
    const vertex_choice choice{nullptr, simplification::visvalingam};
    const auto done = simplify_together(lens, choice, 10, quiet_report);
    CHECK(done.arcs[0].size() + done.arcs[1].size() > 4);
}

TEST_CASE("what is too small is lost part by part") {
    const auto shape =
        wkt("GEOMETRYCOLLECTION (POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 2 1, 2 2, 1 1)), LINESTRING (0 0, 1 1), "
            "POINT (5 5))");
    const auto done = rebuild(
        *shape, [](const OGRSimpleCurve& line) { return line.getNumPoints() == 5 ? points_of(line) : point_list{}; });
    REQUIRE(done.shape);
    CHECK(done.lost == 2);
    CHECK(wkt(*done.shape) == "GEOMETRYCOLLECTION (POLYGON ((0 0,9 0,9 9,0 9,0 0)),POINT (5 5))");
    CHECK(rebuild(*wkt("LINESTRING (0 0, 1 1)"), [](const OGRSimpleCurve&) { return point_list{}; }).shape == nullptr);
}
