#include <algorithm>
#include <hydrology/depression.hpp>
#include <hydrology/fill.hpp>

#include "catch.hpp"
#include "terrain.hpp"

using namespace gdalmcp_hydrology;
using terrain::land_of;
using terrain::nodata;
using terrain::unit_cells;

namespace {

template <class T>
fill_report fill_it(grid<T>& dem, nodata_holes holes = nodata_holes::outlet, const fill_options& options = {}) {
    return fill(dem, land_of(dem, holes), unit_cells(dem.height()), options);
}

// Second opinion: the lowest highest point on any path to an outlet, by relaxation until nothing changes.
grid<int> minimax_fill(const grid<int>& dem, const grid<footprint>& land) {
    constexpr int unreached = 1 << 20;
    grid<int> level{dem.extent(), unreached};
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < dem.size(); ++i) {
            if (land[i] != footprint::terrain) continue;
            int lowest = is_outlet(land, i) ? dem[i] : unreached;
            for (std::size_t d = 0; d < 8; ++d) {
                const auto n = dem.extent().neighbour(i, d);
                if (n != off_grid && land[n] == footprint::terrain)
                    lowest = std::min(lowest, std::max(dem[i], level[n]));
            }
            if (lowest < level[i]) {
                level[i] = lowest;
                changed = true;
            }
        }
    }
    for (std::size_t i = 0; i < dem.size(); ++i)
        if (level[i] == unreached) level[i] = dem[i];  // nodata, or terrain enclosed by holes
    return level;
}

template <class T>
std::size_t pits(const grid<T>& surface, const grid<footprint>& land) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < surface.size(); ++i) {
        if (land[i] != footprint::terrain || is_outlet(land, i)) continue;
        bool lower = false;
        for (std::size_t d = 0; d < 8; ++d) {
            const auto n = surface.extent().neighbour(i, d);
            lower |= n != off_grid && land[n] == footprint::terrain && surface[n] < surface[i];
        }
        found += !lower;
    }
    return found;
}

}  // namespace

TEST_CASE("a pit is raised to the lowest point of its rim") {
    grid<float> dem{{9, 9, 9, 9}, {9, 1, 2, 9}, {9, 9, 5, 9}, {9, 9, 9, 7}};
    const auto report = fill_it(dem);
    CHECK(dem == grid<float>{{9, 9, 9, 9}, {9, 7, 7, 9}, {9, 9, 7, 9}, {9, 9, 9, 7}});
    CHECK(report.cells_changed == 3);
    CHECK(report.depressions == 1);
    CHECK(report.cells_in_depressions == 3);
    CHECK(report.area == 3);
    CHECK(report.volume == 6 + 5 + 2);
    CHECK(report.deepest == 6);
    CHECK(report.deepest_cell == 5);
}

TEST_CASE("a slope is left as it is") {
    const grid<int> slope{{3, 2, 1}, {4, 3, 2}, {5, 4, 3}};
    auto dem = slope;
    CHECK(fill_it(dem).cells_changed == 0);
    CHECK(dem == slope);
}

TEST_CASE("two ponds that touch only through their spill cell are two depressions") {
    grid<int> dem{{9, 9, 9, 9, 9}, {9, 1, 6, 1, 5}, {9, 9, 9, 9, 9}};
    const auto report = fill_it(dem);
    CHECK(dem(1, 1) == 6);
    CHECK(dem(1, 3) == 5);
    CHECK(report.depressions == 2);
    CHECK(report.deepest == 5);
}

TEST_CASE("nodata inside the terrain is an outlet or missing, as requested") {
    const grid<int> dem{{9, 9, 9, 9, 9}, {9, 3, 3, 3, 9}, {9, 3, nodata, 3, 9}, {9, 3, 3, 3, 8}, {9, 9, 9, 9, 9}};
    auto drained = dem, missing = dem;
    CHECK(fill_it(drained, nodata_holes::outlet).cells_changed == 0);
    CHECK(fill_it(missing, nodata_holes::missing).cells_changed == 8);
    CHECK(missing(1, 1) == 8);
    CHECK(missing(2, 2) == nodata);
}

TEST_CASE("terrain enclosed by a hole that is missing is left and counted") {
    grid<int> dem{shape{7, 7}, nodata};
    for (std::size_t i = 0; i < 7; ++i) dem(0, i) = dem(6, i) = dem(i, 0) = dem(i, 6) = 5;
    dem(3, 3) = 1;
    const auto before = dem;
    const auto report = fill_it(dem, nodata_holes::missing);
    CHECK(dem == before);
    CHECK(report.cells_without_outlet == 1);
}

TEST_CASE("a depression deeper than max_depth is left whole, a shallower one is filled") {
    grid<int> dem{{9, 9, 9, 9, 9, 9, 9}, {9, 1, 2, 9, 7, 7, 9}, {9, 9, 9, 9, 9, 9, 9}};
    fill_options options;
    options.max_depth = 2;
    const auto report = fill_it(dem, nodata_holes::outlet, options);
    CHECK(dem == grid<int>{{9, 9, 9, 9, 9, 9, 9}, {9, 1, 2, 9, 9, 9, 9}, {9, 9, 9, 9, 9, 9, 9}});
    CHECK(report.depressions == 2);
    CHECK(report.depressions_left == 1);
    CHECK(report.cells_changed == 2);
    options.max_depth = 8;  // exactly as deep as the deepest: still filled
    CHECK(fill_it(dem, nodata_holes::outlet, options).depressions_left == 0);
}

TEST_CASE("filling equals the minimax path on random terrain with holes") {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        const shape extent{8 + seed % 13, 8 + seed % 7};
        const auto dem =
            terrain::random_terrain<int>(seed, extent, 3 + static_cast<int>(seed % 20), static_cast<int>(seed % 4) * 5);
        for (const auto holes : {nodata_holes::outlet, nodata_holes::missing}) {
            const auto land = land_of(dem, holes);
            auto filled = dem;
            fill(filled, land, unit_cells(dem.height()), {});
            CAPTURE(seed);
            REQUIRE(filled == minimax_fill(dem, land));
        }
    }
}

TEST_CASE("filling twice changes nothing the second time, and a shift of all heights shifts the result") {
    for (unsigned seed = 100; seed < 120; ++seed) {
        const auto dem = terrain::random_terrain<int>(seed, {23, 17}, 12, 4);
        const auto land = land_of(dem);
        auto filled = dem, shifted = dem;
        fill(filled, land, unit_cells(17), {});
        auto again = filled;
        CHECK(fill(again, land, unit_cells(17), {}).cells_changed == 0);
        for (std::size_t i = 0; i < shifted.size(); ++i)
            if (land[i] == footprint::terrain) shifted[i] += 1000;
        fill(shifted, land, unit_cells(17), {});
        for (std::size_t i = 0; i < dem.size(); ++i) {
            REQUIRE(filled[i] >= dem[i]);
            if (land[i] == footprint::terrain) REQUIRE(shifted[i] == filled[i] + 1000);
        }
    }
}

TEST_CASE("the type of the heights does not change what is filled") {
    const auto dem = terrain::random_terrain<int>(7, {31, 29}, 9, 6);
    auto whole = dem;
    const auto report = fill_it(whole);
    const auto same_as = [&](auto zero) {
        using T = decltype(zero);
        grid<T> other{dem.extent()};
        for (std::size_t i = 0; i < dem.size(); ++i) other[i] = static_cast<T>(dem[i]);
        CHECK(fill_it(other).volume == report.volume);
        for (std::size_t i = 0; i < dem.size(); ++i) REQUIRE(other[i] == static_cast<T>(whole[i]));
    };
    same_as(std::int16_t{});
    same_as(float{});
    same_as(double{});
}

TEST_CASE("with an epsilon gradient every cell has a lower neighbour or is an outlet") {
    for (unsigned seed = 200; seed < 220; ++seed) {
        const auto dem = terrain::random_terrain<float>(seed, {19, 21}, 5, 3);
        const auto land = land_of(dem);
        fill_options options;
        options.epsilon = true;
        auto filled = dem, plain = dem;
        const auto report = fill(filled, land, unit_cells(21), options);
        const auto level = fill(plain, land, unit_cells(21), {});
        CHECK(pits(filled, land) == 0);
        CHECK(report.volume == level.volume);
        for (std::size_t i = 0; i < dem.size(); ++i)
            if (land[i] == footprint::terrain) REQUIRE(filled[i] >= plain[i]);
    }
    grid<int> whole{{1, 2}, {3, 4}};
    fill_options options;
    options.epsilon = true;
    CHECK_THROWS_AS(fill_it(whole, nodata_holes::outlet, options), std::invalid_argument);
}

TEST_CASE("nested terraces fill to the top of the outermost wall") {
    auto dem = terrain::terraces(21);
    fill_it(dem);
    for (std::size_t i = 0; i < dem.size(); ++i) REQUIRE(dem[i] == 100);
}

TEST_CASE("single rows, single columns, flats, emptiness and a bowl with a dry rim") {
    grid<int> row{{5, 1, 5}}, column{{5}, {1}, {5}}, flat{shape{6, 4}, 3}, empty{shape{4, 4}, nodata}, none;
    CHECK(fill_it(row).cells_changed == 0);  // every cell of a single row lies at the edge
    CHECK(fill_it(column).cells_changed == 0);
    CHECK(fill_it(flat).cells_changed == 0);
    CHECK(fill_it(empty).depressions == 0);
    CHECK(fill_it(none).depressions == 0);
    grid<double> bowl{shape{41, 41}};
    for (std::size_t r = 0; r < 41; ++r)
        for (std::size_t c = 0; c < 41; ++c)
            bowl(r, c) = std::hypot(static_cast<double>(r) - 20, static_cast<double>(c) - 20);
    const auto report = fill_it(bowl);
    CHECK(report.depressions == 1);
    CHECK(report.deepest == 20);
    CHECK(bowl(20, 20) == 20);
}

TEST_CASE("NaN and infinity are not terrain, and -0.0 keeps its sign") {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    grid<float> dem{{9, 9, 9, 9, 9}, {9, 1, 9, nan, 9}, {9, 9, 9, 2, 9}, {9, inf, 3, 9, 9}, {9, 9, 9, 9, 9}};
    fill_it(dem);
    CHECK(dem(1, 1) == 9);
    CHECK(std::isnan(dem(1, 3)));
    CHECK(dem(2, 3) == 2);  // beside a hole that is an outlet
    CHECK(dem(3, 1) == inf);
    grid<float> zeros{{0.0F, 0.0F, 0.0F}, {0.0F, -0.0F, 0.0F}, {0.0F, 0.0F, 0.0F}};
    CHECK(fill_it(zeros).cells_changed == 0);
    CHECK(std::signbit(zeros(1, 1)));
}

TEST_CASE("terraces, a bowl with noise and threads give the surface that flooding gives") {
    // More visits than pit growth is given: the flood completes what it began.
    grid<float> bowl{shape{180, 180}};
    std::mt19937 random{7};
    for (std::size_t r = 0; r < 180; ++r)
        for (std::size_t c = 0; c < 180; ++c) {
            const double x = static_cast<double>(c) - 90, y = static_cast<double>(r) - 90;
            bowl(r, c) = static_cast<float>(x * x + y * y) + static_cast<float>(random() % 900);
        }
    const auto land = land_of(bowl);
    grid<int> whole{bowl.extent()};
    for (std::size_t i = 0; i < bowl.size(); ++i) whole[i] = static_cast<int>(bowl[i]);
    const auto expected = minimax_fill(whole, land);
    for (const std::size_t threads : {0, 2}) {
        auto filled = bowl;
        fill(filled, land, unit_cells(180), {.threads = threads});
        for (std::size_t i = 0; i < filled.size(); ++i) REQUIRE(filled[i] == static_cast<float>(expected[i]));
    }
}

TEST_CASE("depressions are counted and measured alike by any number of threads, across the strips they work on") {
    int across = 0;
    for (unsigned seed = 0; seed < 6; ++seed) {
        const auto dem = terrain::random_terrain<float>(seed, {6 + seed, 1100}, 3 + static_cast<int>(seed), 2);
        const auto land = terrain::land_of(dem);
        const auto sizes = terrain::unit_cells(1100);
        auto filled = dem;
        fill(filled, land, sizes, {});
        const auto all = find_depressions(dem, filled, sizes);
        const auto left = std::count_if(all.begin(), all.end(), [](const depression& d) { return d.deepest > 1; });
        CAPTURE(seed);
        across += std::any_of(all.begin(), all.end(), [&](const depression& d) {
            const auto [first, last] = std::minmax_element(d.cells.begin(), d.cells.end());
            return dem.extent().row(*first) < 512 && dem.extent().row(*last) >= 512;
        });
        for (const std::size_t threads : {0, 1, 3}) {
            auto surface = dem;
            const auto report = fill(surface, land, sizes, {.max_depth = 1, .threads = threads});
            CHECK(report.depressions == all.size());
            CHECK(report.depressions_left == static_cast<std::size_t>(left));
            double area = 0, volume = 0;
            for (const auto& d : all) area += d.area, volume += d.volume;
            CHECK(report.area == area);
            CHECK(report.volume == volume);
            for (const auto& d : all)
                for (const auto cell : d.cells) REQUIRE(surface[cell] == (d.deepest > 1 ? dem[cell] : filled[cell]));
        }
    }
    CHECK(across > 0);
}
