#include <raster_more/line_of_sight.hpp>

#include <limits>

#include "catch.hpp"

using namespace gdalmcp_raster_more;

namespace {

constexpr double gap = std::numeric_limits<double>::quiet_NaN();

std::vector<int> seen(const sighted_surface& s, const sighting& from, int row) {
    std::vector<unsigned char> out(static_cast<std::size_t>(s.columns));
    see_row(s, from, row, 0, s.columns, out.data());
    return {out.begin(), out.end()};
}

}  // namespace

TEST_CASE("a wall hides what lies under the line over it") {
    const sighted_surface s{{0, 0, 2, 0, 0, 4, 0}, 7, 1, 1, 1};
    // The line from 1 m over the wall of 2 m two cells on is at 3.5 m at the next but two.
    CHECK(seen(s, {0, 0, 1, 0, {}}, 0) == std::vector{1, 1, 1, 0, 0, 1, 0});
    CHECK(seen(s, {0, 0, 1, 3, {}}, 0) == std::vector{1, 1, 1, 1, 1, 1, 0});
}

TEST_CASE("all of a level plain and of a slope that falls away is seen") {
    sighted_surface s{{}, 5, 5, 10, 10};
    s.heights.assign(25, 7);
    for (int row = 0; row < 5; ++row) CHECK(seen(s, {2, 2, 0, 0, {}}, row) == std::vector<int>(5, 1));
    for (int row = 0; row < 5; ++row)
        for (int c = 0; c < 5; ++c)
            s.heights[static_cast<std::size_t>(5 * row + c)] = -8.0 * (std::abs(row - 2) + std::abs(c - 2));
    for (int row = 0; row < 5; ++row) CHECK(seen(s, {2, 2, 2, 0, {}}, row) == std::vector<int>(5, 1));
}

TEST_CASE("a line between two cells passes over the mean of their heights") {
    // From (0, 0) to (1, 2): halfway it crosses row 1 between columns 0 and 1, at (6 + 0) / 2 = 3.
    const sighted_surface s{{0, 0, 6, 0, 0, 0}, 2, 3, 1, 1};
    CHECK(seen(s, {0, 0, 2.9, 2.9, {}}, 2)[1] == 0);
    CHECK(seen(s, {0, 0, 3.1, 3.1, {}}, 2)[1] == 1);
}

TEST_CASE("gaps are no data and hide nothing, and so is what is beyond reach") {
    const sighted_surface s{{0, gap, 0, 0, 0}, 5, 1, 10, 10};
    CHECK(seen(s, {0, 0, 1, 0, 30.0}, 0) == std::vector{1, 255, 1, 1, 255});
}

TEST_CASE("the curvature lowers heights by the square of the distance") {
    sighted_surface s{{5, 5, 5}, 3, 1, 1000, 1000};
    lower_by_curvature(s, {0, 0, 0, 0, {}}, 0.5, 1e6);
    CHECK(s.heights == std::vector<double>{5, 4.75, 4});
}
