#include <raster_more/least_cost.hpp>

#include <cmath>
#include <limits>

#include "catch.hpp"

using namespace gdalmcp_raster_more;

namespace {

constexpr double wall = std::numeric_limits<double>::quiet_NaN();
constexpr double far = std::numeric_limits<double>::infinity();
const auto silent = [](double) {};

travel_costs over(int columns, std::vector<double> cells, double width = 1, double height = 1) {
    const int rows = static_cast<int>(cells.size()) / columns;
    return {std::move(cells), columns, rows, std::vector<row_size>(static_cast<std::size_t>(rows), {width, height})};
}

}  // namespace

TEST_CASE("a step costs its length times the mean of both cells") {
    const auto t = accumulate(over(3, {1, 3, 5}, 10, 99), {0}, silent);
    CHECK(t.cost == std::vector<double>{0, 20, 60});
    const auto square = accumulate(over(2, {1, 1, 1, 1}, 3, 4), {0}, silent);
    CHECK(square.cost == std::vector<double>{0, 3, 4, 5});
}

TEST_CASE("rows of different widths have steps of their own") {
    travel_costs c = over(2, {1, 1, 1, 1});
    c.sizes = {{2, 1}, {4, 3}};
    const auto t = accumulate(c, {0}, silent);
    CHECK(t.cost == std::vector<double>{0, 2, 2, std::hypot(3, 2)});
}

TEST_CASE("the cheaper way is the longer one around a costly cell") {
    const auto c = over(3, {1, 9, 1,  //
                            1, 9, 1,  //
                            1, 1, 1});
    const auto t = accumulate(c, {0}, silent);
    const auto way = way_to(t, 3, 2);
    CHECK(way == std::vector<std::size_t>{0, 3, 7, 5, 2});
    CHECK(t.cost[2] == Approx(2 + 2 * std::sqrt(2)));
    CHECK(length_of(c, way) == Approx(2 + 2 * std::sqrt(2)));
}

TEST_CASE("a diagonal line of barriers holds, and one beside a diagonal step does not") {
    const auto closed = accumulate(over(2, {1, wall, wall, 1}), {0}, silent);
    CHECK(closed.cost == std::vector<double>{0, far, far, far});
    CHECK(accumulate(over(2, {1, wall, 1, 1}), {0}, silent).cost[3] == Approx(std::sqrt(2)));
}

TEST_CASE("each cell belongs to the nearest of several sources") {
    const auto t = accumulate(over(5, {1, 1, 1, 1, 1}), {0, 4}, silent);
    CHECK(t.cost == std::vector<double>{0, 1, 2, 1, 0});
    CHECK(way_to(t, 5, 3) == std::vector<std::size_t>{4, 3});
}

TEST_CASE("a way is told by its turns") {
    CHECK(turns_of({0, 1, 2, 8, 14}, 6) == std::vector<std::size_t>{0, 2, 14});
    CHECK(turns_of({5}, 6) == std::vector<std::size_t>{5});
    // In two columns a step to the right and one down to the left have the same offset.
    CHECK(turns_of({0, 1, 2}, 2) == std::vector<std::size_t>{0, 1, 2});
}
