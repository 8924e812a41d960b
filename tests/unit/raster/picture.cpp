#include <raster/picture.hpp>

#include <cmath>

#include "catch.hpp"

using namespace gdalmcp_raster;

TEST_CASE("a stretch runs from black to white and clamps") {
    CHECK(stretched(10, {10, 20}) == 0);
    CHECK(stretched(15, {10, 20}) == 128);
    CHECK(stretched(20, {10, 20}) == 255);
    CHECK(stretched(-5, {10, 20}) == 0);
    CHECK(stretched(99, {10, 20}) == 255);
}

TEST_CASE("the percentile range ignores cells without data and one wild value in a hundred") {
    std::vector<double> cells;
    for (int i = 0; i < 100; ++i) cells.push_back(i);
    cells[99] = 1e6;
    std::vector<unsigned char> valid(cells.size(), 255);
    cells.push_back(-9999);
    valid.push_back(0);
    CHECK(percentile_range(cells, valid, 2, 98) == std::array<double, 2>{2, 97});
}

TEST_CASE("a constant raster ranges from its value to its value, of one colour") {
    CHECK(percentile_range({5, 5, 5}, {255, 255, 255}, 2, 98) == std::array<double, 2>{5, 5});
    CHECK(stretched(5, {5, 5}) == 0);
    CHECK(height_ramp({-5, -5}).front() == height_ramp({-5, -5}).back());
    CHECK(percentile_range({5}, {0}, 2, 98) == std::array<double, 2>{0, 1});
}

TEST_CASE("values that differ in the last digits are one, and ranges beyond doubles are stretched") {
    CHECK(percentile_range({7.25, std::nextafter(7.25, 8), 7.25}, {255, 255, 255}, 2, 98) ==
          std::array<double, 2>{7.25, 7.25});
    const std::array<double, 2> wide{-1e308, 1e308};
    CHECK(stretched(-1e308, wide) == 0);
    CHECK(stretched(0, wide) == 128);
    CHECK(stretched(1e308, wide) == 255);
    CHECK(percentile_range({-1e308, 1e308, 0, 1}, {255, 255, 255, 255}, 0, 100) == wide);
}

TEST_CASE("each ramp runs over 256 opaque colours") {
    for (const char* name : ramp_names()) {
        const auto colors = ramp(name);
        CHECK(colors.size() == 256);
        CHECK(colors.front() != colors.back());
        for (const auto& c : colors) CHECK(c[3] == 255);
    }
    CHECK(ramp("gray")[128] == color{128, 128, 128, 255});
}

TEST_CASE("classes get a colour each, cells without data none") {
    const auto colors = class_colors({11, 42, 11, 0}, {255, 255, 255, 0});
    CHECK(colors.size() == 2);
    CHECK(colors.at(11) != colors.at(42));
}

TEST_CASE("colours are written as #rrggbbaa") { CHECK(color_text({255, 0, 16, 128}) == "#ff001080"); }

namespace {

// Relative luminance of sRGB, as WCAG 2 defines it: 0 is black, 1 is white.
double luminance(const color& c) {
    const auto linear = [](std::uint8_t v) {
        const double s = v / 255.0;
        return s <= 0.03928 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
}

}  // namespace

TEST_CASE("ramps tell low from high by lightness alone") {
    for (const auto& colors : {ramp("gray"), ramp("viridis"), ramp("terrain"), height_ramp({100, 2000})})
        for (std::size_t i = 8; i < colors.size(); i += 8) CHECK(luminance(colors[i]) > luminance(colors[i - 8]));
    const auto two = ramp("blue_red");
    for (std::size_t i = 8; i < 128; i += 8) {
        CHECK(luminance(two[i]) > luminance(two[i - 8]));
        CHECK(luminance(two[255 - i]) > luminance(two[255 - i + 8]));
    }
}

TEST_CASE("heights below zero are blue, those above are not") {
    const auto colors = height_ramp({-100, 100});
    CHECK(colors[0] == color{10, 30, 80, 255});
    CHECK(colors[127][2] > colors[127][0]);
    CHECK(colors[128][2] < colors[128][1]);
    CHECK(height_ramp({-200, -100})[0][2] > height_ramp({-200, -100})[0][0]);
    CHECK(height_ramp({0, 100}) == ramp("terrain"));
}

TEST_CASE("a range straddles zero if both signs matter") {
    CHECK(straddles_zero({-1, 2}));
    CHECK(straddles_zero({-1, 20}));
    CHECK_FALSE(straddles_zero({-1, 21}));
    CHECK_FALSE(straddles_zero({0, 5}));
    CHECK_FALSE(straddles_zero({-5, 0}));
    CHECK(about_zero({-1, 2}) == std::array<double, 2>{-2, 2});
    CHECK(about_zero({-3, 2}) == std::array<double, 2>{-3, 3});
}

TEST_CASE("heights are exaggerated until nearly all steps rise by less than a cell") {
    // Steps of 2 on cells of 10; the step between the rows, of 100, and the hole are none.
    const std::vector<double> cells{0, 2, 4, 100, 98, 999};
    CHECK(relief_exaggeration(cells, {1, 1, 1, 1, 1, 0}, 3, 10) == 5);
    CHECK(relief_exaggeration({7, 7, 7, 7}, {1, 1, 1, 1}, 2, 10) == 1);
    CHECK(relief_exaggeration({7}, {1}, 1, 10) == 1);
}

TEST_CASE("level ground keeps its colour, shadow keeps a third") {
    CHECK(shaded({30, 60, 90, 255}, 181, 181) == color{30, 60, 90, 255});
    CHECK(shaded({30, 60, 90, 255}, 0, 181) == color{10, 20, 30, 255});
    CHECK(shaded({240, 60, 90, 255}, 255, 181)[0] == 255);
}
