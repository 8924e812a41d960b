#include <raster/relief.hpp>

#include <cmath>
#include <random>

#include "catch.hpp"

using namespace gdalmcp_raster;

namespace {

using heights = std::vector<std::vector<float>>;

template <class F>
float at_the_middle(const heights& z, F&& of) {
    float out = -1;
    of(relief_rows{&z[0][1], &z[1][1], &z[2][1], 1}, &out);
    return out;
}
float slope_of(const heights& z, relief_cell cell = {1, -1}, gradient by = gradient::horn, bool percent = false) {
    return at_the_middle(z, [&](const relief_rows& r, float* out) { slope(r, cell, by, percent, out); });
}
float aspect_of(const heights& z, relief_cell cell = {1, -1}, gradient by = gradient::horn) {
    return at_the_middle(z, [&](const relief_rows& r, float* out) { aspect(r, cell, by, -9999, out); });
}

}  // namespace

TEST_CASE("a plane that rises one unit a cell slopes by 45 degrees, or 100 percent") {
    const heights east{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    for (const auto by : {gradient::horn, gradient::zevenbergen_thorne}) {
        CHECK(slope_of(east, {1, -1}, by) == 45);
        CHECK(slope_of(east, {1, -1}, by, true) == 100);
    }
    CHECK(slope_of({{5, 5, 5}, {5, 5, 5}, {5, 5, 5}}) == 0);
}

TEST_CASE("a plane slopes by the arctangent of its gradient, whatever the shape of the cells") {
    // z = 3 x + 4 y, cells of 2 by 0.5: per cell 6 to the east, 2 to the north.
    const heights plane{{2, 8, 14}, {0, 6, 12}, {-2, 4, 10}};
    CHECK(slope_of(plane, {2, -0.5}, gradient::horn, true) == 500);
    CHECK(slope_of(plane, {2, -0.5}, gradient::zevenbergen_thorne, true) == 500);
    CHECK(slope_of(plane, {2, -0.5}) == static_cast<float>(std::atan(5) * 180 / M_PI));
}

TEST_CASE("the aspect is the direction downhill, clockwise from north; level ground has none") {
    CHECK(aspect_of({{1, 1, 1}, {2, 2, 2}, {3, 3, 3}}) == 0);    // higher to the south: faces north
    CHECK(aspect_of({{3, 2, 1}, {3, 2, 1}, {3, 2, 1}}) == 90);   // east
    CHECK(aspect_of({{3, 3, 3}, {2, 2, 2}, {1, 1, 1}}) == 180);  // south
    CHECK(aspect_of({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}) == 270);  // west
    CHECK(aspect_of({{1, 0, -1}, {2, 1, 0}, {3, 2, 1}}) == 45);
    CHECK(aspect_of({{5, 5, 5}, {5, 9, 5}, {5, 5, 5}}) == -9999);
}

TEST_CASE("on a south-up grid the row below lies to the north") {
    CHECK(aspect_of({{1, 1, 1}, {2, 2, 2}, {3, 3, 3}}, {1, 1}) == 180);
    CHECK(slope_of({{1, 1, 1}, {2, 2, 2}, {3, 3, 3}}, {1, 1}) == 45);
}

TEST_CASE("cells that are not square do not turn the aspect") {
    // z falls by 1 a unit to the east and to the north; cells of 2 by 1.
    CHECK(aspect_of({{1, -1, -3}, {2, 0, -2}, {3, 1, -1}}, {2, -1}) == 45);
}

TEST_CASE("horn weighs the corners by half, zevenbergen and thorne not at all") {
    const heights corner{{0, 0, 8}, {0, 0, 0}, {0, 0, 0}};
    CHECK(slope_of(corner, {1, -1}, gradient::horn, true) == static_cast<float>(100 * std::sqrt(2.0)));
    CHECK(slope_of(corner, {1, -1}, gradient::zevenbergen_thorne, true) == 0);
}

TEST_CASE("slopes in degrees have the bits of the C library's arctangent") {
    std::mt19937 random{7};
    std::uniform_real_distribution<float> exponent{-30, 12};
    // One rise a cell: with Zevenbergen and Thorne's weights it is half the height on the left.
    const std::size_t count = 100'000;
    std::vector<float> zero(count + 2), here(count + 2), out(count), expected(count);
    for (std::size_t i = 0; i < count + 2; i += 3) here[i] = std::exp2(exponent(random));
    here[3] = 2, here[6] = 2 * std::tan(0.39269908f), here[9] = 0, here[12] = INFINITY;
    slope({zero.data() + 1, here.data() + 1, zero.data() + 1, count}, {1, -1}, gradient::zevenbergen_thorne, false,
          out.data());
    for (std::size_t i = 0; i < count; ++i) {
        const double rise = std::abs(here[i] - here[i + 2]) / 2;
        expected[i] = static_cast<float>(std::atan(rise) * (180 / M_PI));
    }
    CHECK(out == expected);
}
