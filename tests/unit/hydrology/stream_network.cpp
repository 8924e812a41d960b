#include <hydrology/stream_network.hpp>

#include <cmath>
#include <hydrology/accumulation.hpp>
#include "catch.hpp"

using namespace gdalmcp_hydrology;

namespace {

constexpr std::uint8_t E = east, SE = southeast, S = south, SW = southwest, none = no_terrain;

grid<double> cells_upstream(const grid<std::uint8_t>& directions) {
    return accumulate(directions, grid<double>{}, {}).values;
}

stream_network network_of(const grid<std::uint8_t>& directions, const grid<double>& heights, double threshold,
                          double dx = 1, double dy = 1) {
    const auto cells = channel_cells(cells_upstream(directions), threshold);
    return channel_tree{directions, heights, cell_sizes::planar(directions.height(), dx, dy), cells}.network(0);
}

// Two sources meet, and later a third joins: Strahler orders 1 1, 2, 1, still 2.
//     a . b
//      \|/       a, b: order 1
//       o   c    o: order 2
//       |  /     c: order 1
//       o        order 2, the outlet
const grid<std::uint8_t> valley{
    {SE, none, SW, none}, {none, S, none, none}, {none, S, none, SW}, {none, S, SW, none}, {none, S, none, none}};
const grid<double> valley_heights{{10, 0, 12, 0}, {0, 7, 0, 0}, {0, 6, 0, 9}, {0, 5, 8, 0}, {0, 2, 0, 0}};

}  // namespace

TEST_CASE("channel cells are those above the threshold, upstream before downstream") {
    const grid<double> area{{1, 2, 5}, {1, 1, 3}};
    CHECK(channel_cells(area, 2) == std::vector<std::size_t>{1, 5, 2});
    CHECK(channel_cells(area, 9).empty());
}

TEST_CASE("two streams of one order make one of the next, a lower one joining does not") {
    const auto found = network_of(valley, valley_heights, 1);
    CHECK(found.highest_order == 2);
    CHECK(found.links == 5);  // a, b, c, and the stretches below the two junctions
    REQUIRE(found.streams.size() == 4);
    std::size_t first = 0;
    for (const auto& s : found.streams) first += s.order == 1;
    CHECK(first == 3);
}

TEST_CASE("a stream's length and drop reach to the cell it joins") {
    const auto found = network_of(valley, valley_heights, 1, 3, 4);
    double longest_first = 0, second_length = 0, second_drop = 0, first_drops = 0;
    for (const auto& s : found.streams) {
        if (s.order == 2) {
            second_length = s.length;
            second_drop = s.drop;
        } else {
            first_drops += s.drop;
            longest_first = std::max(longest_first, s.length);
        }
    }
    CHECK(second_length == 3 * 4);  // from the first junction down to the outlet's centre
    CHECK(second_drop == 7 - 2);
    CHECK(first_drops == (10 - 7) + (12 - 7) + (9 - 2));  // c joins the outlet's cell
    CHECK(longest_first == 2 * 5);                        // c: two diagonal steps over 3 x 4 cells
    CHECK(found.length == 2 * 5 + 2 * 5 + 3 * 4);
}

TEST_CASE("a higher threshold leaves fewer channels, the same as if it came first") {
    const auto area = cells_upstream(valley);
    const auto cells = channel_cells(area, 1), fewer = channel_cells(area, 3);
    const auto sizes = cell_sizes::planar(5, 1, 1);
    const auto part = channel_tree{valley, valley_heights, sizes, cells}.network(cells.size() - fewer.size());
    const auto alone = channel_tree{valley, valley_heights, sizes, fewer}.network(0);
    CHECK(alone.links == 1);
    CHECK(part.links == alone.links);
    CHECK(part.length == alone.length);
    CHECK(part.orders == alone.orders);
    CHECK(part.streams.size() == alone.streams.size());
}

TEST_CASE("three streams of one order meeting in a cell make one of the next order") {
    const grid<std::uint8_t> star{{SE, S, SW}, {none, S, none}, {none, E, none}};
    const auto found = network_of(star, grid<double>{shape{3, 3}, 1}, 1);
    CHECK(found.highest_order == 2);
    CHECK(found.links == 4);
}

TEST_CASE("four sources in a balanced tree make order three") {
    const grid<std::uint8_t> tree{{SE, none, SW, none, SE, none, SW},
                                  {none, SE, none, none, none, SW, none},
                                  {none, none, SE, none, SW, none, none},
                                  {none, none, none, S, none, none, none}};
    const auto found = network_of(tree, grid<double>{shape{7, 4}, 1}, 1);
    CHECK(found.highest_order == 3);
    CHECK(found.links == 7);
    CHECK(found.streams.size() == 7);
}

TEST_CASE("no channel cell makes no network") {
    const auto found = network_of(valley, valley_heights, 100);
    CHECK(found.links == 0);
    CHECK(found.highest_order == 0);
    CHECK(found.streams.empty());
    CHECK_FALSE(test_constant_drop(found.streams));
}

TEST_CASE("Student's t of drops is that of the textbook") {
    // Means 3 and 6, pooled variance (2 + 2) / (3 + 3 - 2) = 1, t = -3 / sqrt(1/3 + 1/3).
    const std::vector<stream> streams{{1, 1, 2}, {1, 1, 3}, {1, 1, 4}, {2, 1, 5}, {2, 1, 6}, {3, 1, 7}};
    const auto test = test_constant_drop(streams);
    REQUIRE(test);
    CHECK(test->t == Approx(-3 / std::sqrt(2.0 / 3)));
    CHECK(test->first_order_mean == 3);
    CHECK(test->higher_order_mean == 6);
    CHECK(test->first_order == 3);
    CHECK(test->higher_order == 3);
}

TEST_CASE("with a single stream on a side, or all drops alike, there is nothing to test") {
    CHECK_FALSE(test_constant_drop({{1, 1, 2}, {1, 1, 3}, {2, 1, 5}}));
    CHECK_FALSE(test_constant_drop({{1, 1, 2}, {1, 1, 2}, {2, 1, 5}, {2, 1, 5}}));
}
