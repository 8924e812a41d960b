#include <raster/picture.hpp>

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

TEST_CASE("a constant raster still has a range") {
    const auto range = percentile_range({5, 5, 5}, {255, 255, 255}, 2, 98);
    CHECK(range[0] < range[1]);
    CHECK(percentile_range({5}, {0}, 2, 98) == std::array<double, 2>{0, 1});
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
