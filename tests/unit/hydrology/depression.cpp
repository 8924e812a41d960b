#include <hydrology/depression.hpp>

#include <hydrology/fill.hpp>
#include "catch.hpp"

#include "terrain.hpp"

using namespace gdalmcp_hydrology;
using terrain::land_of;
using terrain::unit_cells;

namespace {

std::vector<depression> depressions_of(const grid<double>& dem, const cell_sizes& sizes) {
    auto filled = dem;
    fill(filled, land_of(dem), sizes, {});
    return find_depressions(dem, filled, sizes);
}

}  // namespace

TEST_CASE("two ponds are two depressions, each with its area, volume and depth") {
    const grid<double> dem{{9, 9, 9, 9, 9, 9}, {9, 5, 9, 9, 6, 9}, {9, 4, 9, 9, 9, 9}, {9, 9, 9, 8, 9, 9}};
    const auto found = depressions_of(dem, cell_sizes::planar(4, 10, 20));
    REQUIRE(found.size() == 2);
    CHECK(found[0].cells.size() == 2);
    CHECK(found[0].area == 2 * 200);
    CHECK(found[0].volume == 200 * (4 + 5));
    CHECK(found[0].deepest == 5);
    CHECK(found[0].deepest_cell == 2 * 6 + 1);
    CHECK(found[1].deepest == 3);
    CHECK(found[1].area == 200);
}

TEST_CASE("ponds that touch at a corner are one depression") {
    const grid<double> dem{{9, 9, 9, 9}, {9, 5, 9, 9}, {9, 9, 6, 9}, {9, 9, 9, 9}};
    REQUIRE(depressions_of(dem, unit_cells(4)).size() == 1);
}

TEST_CASE("a slope has no depression") {
    CHECK(depressions_of(grid<double>{{3, 2, 1}, {3, 2, 1}}, unit_cells(2)).empty());
}

TEST_CASE("fill and find_depressions count alike on random terrain") {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const auto dem = terrain::random_terrain<double>(seed, {19, 17}, 3 + static_cast<int>(seed % 6), 5);
        auto filled = dem;
        const auto report = fill(filled, land_of(dem), unit_cells(17), {});
        const auto found = find_depressions(dem, filled, unit_cells(17));
        double volume = 0;
        for (const auto& d : found) volume += d.volume;
        CAPTURE(seed);
        CHECK(found.size() == report.depressions);
        CHECK(volume == Approx(report.volume));
    }
}

TEST_CASE("length is along the principal axis, from edge to edge, and width is what area leaves") {
    const shape extent{40, 40};
    depression row, diagonal, square;
    for (std::size_t i = 0; i < 12; ++i) {
        row.cells.push_back(5 * 40 + 3 + i);
        diagonal.cells.push_back((5 + i) * 40 + 3 + i);
    }
    row.area = diagonal.area = 12 * 10 * 10;
    for (std::size_t i = 0; i < 16; ++i) square.cells.push_back((5 + i / 4) * 40 + 3 + i % 4);
    square.area = 1600;
    const auto cells = cell_sizes::planar(40, 10, 10);
    CHECK(oblong_of(row, extent, cells).length == Approx(120));
    CHECK(oblong_of(row, extent, cells).width == Approx(10));
    CHECK(oblong_of(diagonal, extent, cells).length == Approx(120 * std::sqrt(2.0)));
    CHECK(oblong_of(square, extent, cells).width >= 30);
    CHECK(oblong_of(row, extent, cell_sizes::planar(40, 30, 10)).length == Approx(360));
}

TEST_CASE("long, narrow and deep looks like water behind a road; short, round or shallow does not") {
    depression d;
    d.cells.resize(12);
    d.deepest = 3;
    CHECK(looks_like_road(d, {120, 10}, 1));
    CHECK_FALSE(looks_like_road(d, {40, 30}, 1));
    CHECK_FALSE(looks_like_road(d, {120, 10}, 3));
    d.cells.resize(9);
    CHECK_FALSE(looks_like_road(d, {120, 10}, 1));
}

TEST_CASE("independent errors of 1 m make depths uncertain by 1.41 m, half correlated ones by 1 m") {
    CHECK(depth_noise(1, 0) == Approx(std::sqrt(2.0)));
    CHECK(depth_noise(1, 0.5) == Approx(1));
    CHECK(depth_noise(0.1, 0.5) == Approx(0.1));
}
