#include <hydrology/d8.hpp>

#include "catch.hpp"

#include "terrain.hpp"

using namespace gdalmcp_hydrology;
using terrain::land_of;
using terrain::nodata;
using terrain::unit_cells;

namespace {

constexpr std::uint8_t E = east, SE = southeast, S = south, W = west, N = north, none = no_terrain;

template <class T>
grid<std::uint8_t> directions_of(const grid<T>& dem, d8_report& report, nodata_holes holes = nodata_holes::outlet) {
    return d8(dem, land_of(dem, holes), unit_cells(dem.height()), report);
}

// Steps from `index` until the water leaves the terrain; more than the number of cells means a circle.
std::size_t steps_to_outlet(const grid<std::uint8_t>& directions, std::size_t index) {
    std::size_t steps = 0;
    while (index != off_grid && directions[index] != no_terrain && steps <= directions.size()) {
        if (directions[index] == undrained) return off_grid;
        index = directions.extent().neighbour(index, directions[index]);
        ++steps;
    }
    return steps;
}

}  // namespace

TEST_CASE("water takes the steepest way, and a diagonal is longer than a side") {
    d8_report report;
    // The centre can fall 2 to the east (slope 2) or 2.5 to the south-east (slope 1.77).
    const auto directions = directions_of(grid<double>{{9, 9, 9}, {9, 5, 3}, {9, 9, 2.5}}, report);
    CHECK(directions(1, 1) == E);
    CHECK(directions(1, 2) == S);
    CHECK(directions(0, 0) == SE);
    CHECK(directions(2, 2) == E);  // the lowest corner leaves the terrain
    CHECK(report.undrained == 0);
}

TEST_CASE("the true shape of the cells decides between two drops") {
    const grid<double> dem{{9, 9, 9}, {9, 5, 4}, {9, 3.5, 9}};
    d8_report report;
    const auto land = land_of(dem);
    CHECK(d8(dem, land, cell_sizes::planar(3, 1, 1), report)(1, 1) == S);
    CHECK(d8(dem, land, cell_sizes::planar(3, 1, 2), report)(1, 1) == E);
}

TEST_CASE("a border cell drains inwards if it can, else off the terrain") {
    d8_report report;
    const auto directions = directions_of(grid<int>{{5, 5, 5}, {5, 1, 5}, {5, 5, 5}}, report);
    CHECK(directions(0, 1) == S);
    CHECK(directions(1, 1) == undrained);
    CHECK(report.undrained == 1);
    CHECK(directions_of(grid<int>{{7}}, report) == grid<std::uint8_t>{{E}});
    CHECK(directions_of(grid<int>{{1, nodata, 2}}, report) == grid<std::uint8_t>{{E, none, E}});
}

TEST_CASE("a hole is drained to or ignored, as its footprint says") {
    const grid<int> dem{{9, 9, 9, 9, 9}, {9, 2, 2, 2, 9}, {9, 2, nodata, 2, 9}, {9, 2, 2, 2, 9}, {9, 9, 9, 9, 9}};
    d8_report report;
    const auto drained = directions_of(dem, report, nodata_holes::outlet);
    CHECK(drained(1, 2) == S);
    CHECK(drained(2, 3) == W);
    CHECK(report.undrained == 0);
    directions_of(dem, report, nodata_holes::missing);
    CHECK(report.undrained == 8);
}

TEST_CASE("a flat drains to its outlet, away from the higher side") {
    d8_report report;
    // A shelf of height 5 below a wall of 9, with one way down at the right.
    const auto directions = directions_of(
        grid<int>{{9, 9, 9, 9, 9}, {9, 5, 5, 5, 9}, {9, 5, 5, 5, 4}, {9, 5, 5, 5, 9}, {9, 9, 9, 9, 9}}, report);
    CHECK(directions(2, 1) == E);
    CHECK(directions(2, 2) == E);
    CHECK(directions(2, 3) == E);
    CHECK(directions(1, 3) == SE);
    CHECK(report.flats_resolved == 1);
    CHECK(report.flat_cells_resolved == 6);
    CHECK(report.undrained == 0);
}

TEST_CASE("on filled random terrain every path ends outside and never climbs") {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        const shape extent{6 + seed % 19, 5 + seed % 23};
        auto dem =
            terrain::random_terrain<int>(seed, extent, 2 + static_cast<int>(seed % 9), static_cast<int>(seed % 4) * 4);
        const auto land = land_of(dem);
        fill(dem, land, unit_cells(dem.height()), {});
        d8_report report;
        const auto directions = d8(dem, land, unit_cells(dem.height()), report);
        CAPTURE(seed);
        REQUIRE(report.undrained == 0);
        for (std::size_t i = 0; i < dem.size(); ++i) {
            REQUIRE((directions[i] == no_terrain) == (land[i] != footprint::terrain));
            if (land[i] != footprint::terrain) continue;
            REQUIRE(steps_to_outlet(directions, i) <= dem.size());
            const auto n = dem.extent().neighbour(i, directions[i]);
            if (n != off_grid && land[n] == footprint::terrain) REQUIRE(dem[n] <= dem[i]);
        }
    }
}

TEST_CASE("depressions left unfilled leave their floor undrained, and no flow loops") {
    for (unsigned seed = 300; seed < 330; ++seed) {
        const auto dem = terrain::random_terrain<float>(seed, {17, 15}, 4, 5);
        d8_report report;
        const auto directions = directions_of(dem, report);
        std::size_t undrained_cells = 0;
        for (std::size_t i = 0; i < dem.size(); ++i) {
            undrained_cells += directions[i] == undrained;
            const auto steps = directions[i] == no_terrain ? 0 : steps_to_outlet(directions, i);
            REQUIRE((steps <= dem.size() || steps == off_grid));
        }
        CHECK(undrained_cells == report.undrained);
    }
}

TEST_CASE("a wholly flat terrain drains to its edges") {
    d8_report report;
    const auto directions = directions_of(grid<std::int16_t>{shape{9, 7}, 3}, report);
    CHECK(report.undrained == 0);
    CHECK(report.flats_resolved == 1);
    CHECK(directions(3, 1) == W);
    CHECK(directions(1, 4) == N);
    CHECK(directions(3, 7) == E);
}

TEST_CASE("a terrain of nodata has no directions") {
    d8_report report;
    const auto directions = directions_of(grid<int>{shape{3, 2}, nodata}, report);
    CHECK(directions == grid<std::uint8_t>{shape{3, 2}, none});
    CHECK(report.undrained == 0);
}
