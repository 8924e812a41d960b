#include <hydrology/tiled_fill.hpp>

#include <hydrology/tiled_depressions.hpp>
#include <hydrology/tiled_holes.hpp>

#include "catch.hpp"
#include "terrain.hpp"
#include "tiles.hpp"

using namespace gdalmcp_hydrology;
using terrain::land_of;
using terrain::nodata;
using terrain::random_terrain;
using terrain::unit_cells;
using namespace tiles;

namespace {

template <class T>
grid<std::uint8_t> valid_in(const grid<T>& heights) {
    return valid_cells(heights, std::optional<T>{static_cast<T>(nodata)});
}

struct tiled_result {
    fill_report report;
    hole_count holes;
};

// All phases, each tile read anew.
template <class T>
tiled_result fill_in_tiles(grid<T>& dem, shape size, order wanted, nodata_holes holes,
                           std::optional<double> max_depth = {}) {
    const auto before = dem;
    const tiling cut_in{dem.extent(), size};
    const auto all = in_order(cut_in.count(), wanted);
    tiled_holes nodata_of{cut_in};
    for (const auto t : all) nodata_of.add(t, find_holes(valid_in(cut(before, cut_in.at(t)))));

    tiled_levels<filled_as<T>> levels{cut_in};
    const auto land_in = [&](std::size_t t) { return nodata_of.trace(t, valid_in(cut(before, cut_in.at(t))), holes); };
    for (const auto t : all) {
        const auto heights = cut(before, cut_in.at(t));
        grid<filled_as<T>> surface{heights.extent()};
        for (std::size_t i = 0; i < heights.size(); ++i) surface[i] = static_cast<filled_as<T>>(heights[i]);
        levels.add(t, find_spills(std::move(surface), land_in(t), 0));
    }
    levels.solve();

    std::size_t enclosed = 0;
    tiled_depressions depressions{cut_in, max_depth};
    for (const auto t : all) {
        const auto heights = cut(before, cut_in.at(t));
        auto surface = heights;
        auto land = land_in(t);
        enclosed += fill_tile(surface, land, levels.of(t), 0);
        depressions.add(t, measure_depressions(heights, surface, cut_in, t, unit_cells(dem.height())));
        paste(dem, cut_in.at(t), surface);
    }
    tiled_result result{depressions.solve(), nodata_of.count()};
    result.report.cells_without_outlet = enclosed;
    for (const auto t : all) {
        auto surface = cut(dem, cut_in.at(t));
        depressions.restore_deep(t, cut(before, cut_in.at(t)), surface);
        paste(dem, cut_in.at(t), surface);
    }
    return result;
}

template <class T>
void require_same(const grid<T>& dem, shape size, order wanted, nodata_holes holes,
                  std::optional<double> max_depth = {}) {
    auto expected = dem, found = dem;
    const auto land = land_of(dem, holes);
    const auto one = fill(expected, land, unit_cells(dem.height()), {.max_depth = max_depth});
    const auto tiled = fill_in_tiles(found, size, wanted, holes, max_depth);
    CAPTURE(size.width, size.height, static_cast<int>(wanted), static_cast<int>(holes));
    REQUIRE(found == expected);
    const auto& two = tiled.report;
    REQUIRE(two.depressions == one.depressions);
    REQUIRE(two.cells_in_depressions == one.cells_in_depressions);
    REQUIRE(two.cells_changed == one.cells_changed);
    REQUIRE(two.area == one.area);
    REQUIRE(two.volume == one.volume);  // whole numbers: exact in any order
    REQUIRE(two.deepest == one.deepest);
    REQUIRE(two.deepest_cell == one.deepest_cell);
    REQUIRE(two.depressions_left == one.depressions_left);
    REQUIRE(two.cells_without_outlet == one.cells_without_outlet);
    const auto counted = count_holes(valid_in(dem));
    REQUIRE(tiled.holes.holes == counted.holes);
    REQUIRE(tiled.holes.cells == counted.cells);
}

}  // namespace

TEST_CASE("a pit that four tiles share is filled to the lowest point of its rim") {
    grid<float> dem{{9, 9, 9, 9}, {9, 1, 2, 9}, {9, 3, 0, 5}, {9, 9, 9, 9}};
    const auto found = fill_in_tiles(dem, {2, 2}, order::forwards, nodata_holes::outlet);
    CHECK(dem == grid<float>{{9, 9, 9, 9}, {9, 5, 5, 9}, {9, 5, 5, 5}, {9, 9, 9, 9}});
    CHECK(found.report.depressions == 1);
    CHECK(found.report.cells_in_depressions == 4);
    CHECK(found.report.volume == 4 + 3 + 2 + 5);
    CHECK(found.report.deepest_cell == 2 * 4 + 2);
}

TEST_CASE("water that leaves a tile and comes back stands as high as the pass it takes outside") {
    // The pit at the left drains over 6, through the tile to the right, and over its 7 at the bottom.
    grid<float> dem{{9, 9, 9, 9, 9, 9}, {9, 1, 6, 2, 3, 9}, {9, 9, 9, 9, 7, 9}, {9, 9, 9, 9, 0, 9}};
    fill_in_tiles(dem, {3, 4}, order::forwards, nodata_holes::outlet);
    CHECK(dem == grid<float>{{9, 9, 9, 9, 9, 9}, {9, 7, 7, 7, 7, 9}, {9, 9, 9, 9, 7, 9}, {9, 9, 9, 9, 0, 9}});
}

TEST_CASE("a hole is one over all tiles, and an outlet or not as asked") {
    grid<int> dem{{5, 5, 5, 5}, {5, nodata, nodata, 5}, {5, 1, 5, 5}, {5, 5, 5, 5}};
    for (const auto size : {shape{1, 1}, shape{2, 2}, shape{2, 4}}) {
        auto open = dem, closed = dem;
        CHECK(fill_in_tiles(open, size, order::forwards, nodata_holes::outlet).holes.holes == 1);
        CHECK(open == dem);
        CHECK(fill_in_tiles(closed, size, order::forwards, nodata_holes::missing).holes.cells == 2);
        CHECK(closed(2, 1) == 5);
    }
}

TEST_CASE("terrain enclosed by holes is left as it is, also where tiles divide it") {
    constexpr auto n = nodata;
    grid<float> dem{{5, 5, 5, 5, 5, 5}, {5, n, n, n, n, 5}, {5, n, 3, 1, n, 5}, {5, n, n, n, n, 5}, {5, 5, 5, 5, 5, 5}};
    const auto before = dem;
    for (const auto size : {shape{1, 1}, shape{3, 5}, shape{6, 5}}) {
        CHECK(fill_in_tiles(dem, size, order::shuffled, nodata_holes::missing).report.cells_without_outlet == 2);
        CHECK(dem == before);
    }
}

TEST_CASE("a depression deeper than allowed is left whole, of whichever tile its deepest cell is") {
    grid<float> dem{{9, 9, 9, 9, 9, 9}, {9, 6, 6, 6, 1, 9}, {9, 9, 9, 9, 8, 9}};
    const auto before = dem;
    CHECK(fill_in_tiles(dem, {2, 3}, order::backwards, nodata_holes::outlet, 5).report.depressions_left == 1);
    CHECK(dem == before);
    CHECK(fill_in_tiles(dem, {2, 3}, order::backwards, nodata_holes::outlet, 7).report.cells_changed == 4);
    CHECK(dem == grid<float>{{9, 9, 9, 9, 9, 9}, {9, 8, 8, 8, 8, 9}, {9, 9, 9, 9, 8, 9}});
}

TEMPLATE_TEST_CASE("tiles of any size, in any order, fill random terrains as one grid does", "", std::int16_t,
                   std::int32_t, float, double) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        const shape extent{1 + seed * 7 % 23, 1 + seed * 11 % 19};
        const auto levels = seed % 3 == 0 ? 3 : seed % 3 == 1 ? 10 : 1000;
        const auto dem =
            random_terrain<TestType>(seed, extent, levels, seed % 4 == 3 ? 45 : static_cast<int>(seed % 4) * 8);
        CAPTURE(seed);
        const auto size = sizes[seed % sizes.size()];
        for (const auto wanted : {order::forwards, order::backwards, order::shuffled})
            for (const auto holes : {nodata_holes::outlet, nodata_holes::missing}) {
                require_same(dem, size, wanted, holes);
                require_same(dem, size, wanted, holes, levels / 2.0);
            }
    }
}

TEST_CASE("nested terraces and a plain, cut in every way, are filled as one grid is") {
    for (const auto& dem : {terrain::terraces(24), grid<int>{shape{24, 24}, 4}})
        for (std::size_t width = 1; width <= 25; width += 4)
            for (std::size_t height = 1; height <= 25; height += 3)
                require_same(dem, {width, height}, order::forwards, nodata_holes::outlet);
}
