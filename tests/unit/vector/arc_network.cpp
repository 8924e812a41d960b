#include "vector/arc_network.hpp"

#include "catch.hpp"
#include "vector/arc_conflicts.hpp"
#include "vector/visvalingam.hpp"

#include <algorithm>

using namespace gdalmcp_vector;

TEST_CASE("neighbours share the arc between their nodes") {
    // Two squares side by side; their common edge has a vertex in the middle.
    arc_network net;
    const auto left = net.add({{0, 0}, {1, 0}, {1, 1}, {1, 2}, {0, 2}, {0, 0}});
    const auto right = net.add({{1, 0}, {2, 0}, {2, 2}, {1, 2}, {1, 1}, {1, 0}});
    net.build();
    REQUIRE(net.arcs().size() == 3);
    REQUIRE(net.uses(left).size() == 2);
    REQUIRE(net.uses(right).size() == 2);
    std::size_t shared = 99;
    for (const auto& a : net.uses(left))
        for (const auto& b : net.uses(right))
            if (a.arc == b.arc) {
                shared = a.arc;
                CHECK(a.reversed != b.reversed);
            }
    REQUIRE(shared < 3);
    CHECK(net.arcs()[shared] == point_list{{1, 0}, {1, 1}, {1, 2}});
    auto arcs = net.arcs();
    arcs[shared] = {{1, 0}, {1, 2}};
    CHECK(net.points_of(left, arcs).size() == 5);
    CHECK(net.points_of(right, arcs).size() == 5);
    CHECK(net.points_of(left, arcs).front() == net.points_of(left, arcs).back());
}

TEST_CASE("an island and the hole around it are one arc, wherever their rings begin and whichever way they run") {
    arc_network net;
    net.add({{1, 1}, {2, 1}, {2, 2}, {1, 2}, {1, 1}});
    net.add({{2, 2}, {2, 1}, {1, 1}, {1, 2}, {2, 2}});
    net.build();
    CHECK(net.arcs().size() == 1);
}

TEST_CASE("lines are cut where another one branches off, and not where one passes") {
    arc_network net;
    const auto trunk = net.add({{0, 0}, {1, 0}, {2, 0}, {3, 0}});
    net.add({{2, 0}, {2, 5}});
    net.build();
    REQUIRE(net.uses(trunk).size() == 2);
    CHECK(net.points_of(trunk, net.arcs()) == point_list{{0, 0}, {1, 0}, {2, 0}, {3, 0}});
}

TEST_CASE("equal points in a row are one, and a path of one point stays") {
    arc_network net;
    const auto line = net.add({{0, 0}, {0, 0}, {1, 1}}), point = net.add({{5, 5}, {5, 5}}), nothing = net.add({});
    net.build();
    CHECK(net.points_of(line, net.arcs()) == point_list{{0, 0}, {1, 1}});
    CHECK(net.points_of(point, net.arcs()) == point_list{{5, 5}});
    CHECK(net.points_of(nothing, net.arcs()).empty());
}

TEST_CASE("the least triangle goes first") {
    //            (2,3)
    //    (1,0.1)        (3,0)  (4,0)
    const point_list line{{0, 0}, {1, 0.1}, {2, 3}, {3, 0}, {4, 0}};
    // Triangles: 1.4 at (1, 0.1), 2.95 at (2, 3), 1.5 at (3, 0). Without (1, 0.1): 4.5 at (2, 3).
    CHECK(visvalingam(line, 1) == std::vector<std::size_t>{0, 1, 2, 3, 4});
    CHECK(visvalingam(line, 1.45) == std::vector<std::size_t>{0, 2, 3, 4});
    CHECK(visvalingam(line, 2) == std::vector<std::size_t>{0, 2, 4});
    CHECK(visvalingam(line, 100) == std::vector<std::size_t>{0, 4});
    CHECK(visvalingam({{0, 0}, {1, 1}}, 100) == std::vector<std::size_t>{0, 1});
}

TEST_CASE("arcs cross, run over each other, or touch within an edge") {
    const point_list flat{{0, 0}, {4, 0}};
    const std::vector<crossing> of_both{{{0, 0}, {1, 0}}};
    CHECK(crossings({flat, {{2, -1}, {2, 1}}}) == of_both);
    CHECK(crossings({flat, {{2, 0}, {2, 1}}}) == of_both);
    const auto along = crossings({flat, {{4, 0}, {0, 0}}});
    CHECK_FALSE(along.empty());
    CHECK(std::count(along.begin(), along.end(), of_both.front()) == std::ssize(along));
    CHECK(crossings({flat, {{4, 0}, {4, 1}}}).empty());
    CHECK(crossings({flat, {{0, 1}, {4, 1}}}).empty());
    CHECK(crossings({{{0, 0}, {2, 2}, {2, 0}, {0, 2}}}).front() == crossing{{0, 0}, {0, 2}});
}

TEST_CASE("an arc that would pass over an islet is found") {
    const std::vector<point_list> arcs{{{0, 0}, {2, 3}, {4, 0}}, {{2, 1}, {2.1, 1}, {2, 1.1}, {2, 1}}};
    CHECK(passed_over(arcs, {{0, 2}, {0, 1, 2, 3}}) == std::vector<arc_segment>{{0, 0}});
    CHECK(passed_over(arcs, {{0, 1, 2}, {0, 1, 2, 3}}).empty());
}
