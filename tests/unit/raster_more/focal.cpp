#include <raster_more/focal.hpp>

#include <array>
#include <cmath>

#include "catch.hpp"

using namespace gdalmcp_raster_more;

namespace {

constexpr double none = -1;

// The middle row of 3 × 3 cells with a border of missing ones.
std::array<double, 3> middle(focal_statistic s, const std::vector<focal_neighbour>& window, const double (&cells)[3][3],
                             double missing = -99) {
    std::array<double, 25> around{};
    std::array<unsigned char, 25> valid{};
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c) {
            around[(r + 1) * 5 + c + 1] = cells[r][c];
            valid[(r + 1) * 5 + c + 1] = cells[r][c] != missing;
        }
    std::array<double, 3> out{};
    focal_scratch scratch;
    focal(s, window, {&around[11], &valid[11], 5}, 3, none, out.data(), scratch);
    return out;
}

using row = std::array<double, 3>;

}  // namespace

TEST_CASE("statistics of 3 x 3 cells, those beyond the edge left out") {
    const double cells[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    const auto window = rectangle(3, 3);
    CHECK(middle(focal_statistic::sum, window, cells) == row{27, 45, 33});
    CHECK(middle(focal_statistic::mean, window, cells) == row{4.5, 5, 5.5});
    CHECK(middle(focal_statistic::min, window, cells) == row{1, 1, 2});
    CHECK(middle(focal_statistic::max, window, cells) == row{8, 9, 9});
    CHECK(middle(focal_statistic::range, window, cells) == row{7, 8, 7});
    CHECK(middle(focal_statistic::median, window, cells) == row{4.5, 5, 5.5});
    CHECK(middle(focal_statistic::count, window, cells) == row{6, 9, 6});
    CHECK(middle(focal_statistic::variety, window, cells) == row{6, 9, 6});
    CHECK(middle(focal_statistic::stdev, window, cells)[1] == Approx(std::sqrt(60.0 / 9)));
}

TEST_CASE("of classes as frequent the smallest is the majority, and the minority") {
    const double cells[3][3] = {{2, 2, 7}, {2, 7, 7}, {9, 9, 7}};
    const auto window = rectangle(3, 3);
    CHECK(middle(focal_statistic::majority, window, cells) == row{2, 7, 7});
    CHECK(middle(focal_statistic::minority, window, cells) == row{7, 9, 2});
    const double even[3][3] = {{0, 0, 0}, {4, 3, 4}, {0, 0, 0}};
    CHECK(middle(focal_statistic::majority, rectangle(1, 3), even) == row{3, 4, 3});
}

TEST_CASE("missing cells stay missing, and are left out of the others' windows") {
    const double cells[3][3] = {{1, 1, 1}, {1, -99, 5}, {1, 1, 1}};
    CHECK(middle(focal_statistic::sum, rectangle(3, 3), cells) == row{5, none, 9});
}

TEST_CASE("a weighted sum is not mirrored, and undefined next to missing cells") {
    const double cells[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    CHECK(middle(focal_statistic::weighted_sum, kernel({0, 0, 0, 1, 0, 10, 0, 0, 0}, 3, 3), cells) ==
          row{none, 64, none});
}

TEST_CASE("a round window holds the cells whose centres are within its radius") {
    CHECK(circle(10, 10, 10).size() == 5);
    CHECK(circle(14.2, 10, 10).size() == 9);
    CHECK(circle(20, 10, 20).size() == 7);  // rows of half the height
    CHECK(circle(0.3, 0.1, 0.1).size() == 29);
    CHECK(reach(circle(20, 10, 20)) == 2);
}
