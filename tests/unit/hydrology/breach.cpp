#include <hydrology/breach.hpp>

#include <hydrology/fill.hpp>
#include "catch.hpp"
#include "terrain.hpp"

using namespace gdalmcp_hydrology;

namespace {

template <class T>
breach_report breach_it(grid<T>& dem, const breach_limits& limits, nodata_holes holes = nodata_holes::outlet) {
    return breach(dem, terrain::land_of(dem, holes), terrain::unit_cells(dem.height()), limits);
}

}  // namespace

TEST_CASE("the path that is cheapest to dig is lowered to the height of the pit") {
    // East: one cell of 6 over the pit; south: one of 4; the way out to the west is longer and higher.
    grid<int> dem{{9, 9, 9, 9, 9}, {9, 8, 3, 9, 1}, {9, 9, 7, 9, 9}, {9, 9, 1, 9, 9}};
    const auto report = breach_it(dem, {10, {}});
    CHECK(dem == grid<int>{{9, 9, 9, 9, 9}, {9, 8, 3, 9, 1}, {9, 9, 3, 9, 9}, {9, 9, 1, 9, 9}});
    CHECK(report.pits == 1);
    CHECK(report.left == 0);
    CHECK(report.cells_lowered == 1);
    CHECK(report.deepest == 4);
    CHECK(report.longest == 2);
}

TEST_CASE("an embankment is cut, and the valley behind it is not raised") {
    const grid<int> valley{{9, 9, 9, 9, 9, 9}, {9, 6, 3, 8, 2, 1}, {9, 9, 9, 9, 9, 9}};
    auto dem = valley;
    const auto report = breach_it(dem, {10, {}});
    CHECK(dem(1, 3) == 3);
    CHECK(report.cells_lowered == 1);
    SECTION("unless the cut would be deeper or longer than allowed") {
        auto deep = valley, far = valley;
        CHECK(breach_it(deep, {10, 4.9}).left == 1);
        CHECK(deep == valley);
        CHECK(breach_it(far, {0.5, {}}).left == 1);
        CHECK(far == valley);
    }
}

TEST_CASE("a pit is drained off the terrain by lowering its rim") {
    grid<float> dem{{9, 9, 9}, {9, 2, 7}, {9, 9, 9}};
    CHECK(breach_it(dem, {10, {}}).cells_lowered == 1);
    CHECK(dem(1, 2) == 2);
}

TEST_CASE("a flat floor is one pit, and a flat with a way down is none") {
    grid<int> floor{{9, 9, 9, 9, 9}, {9, 3, 3, 9, 1}, {9, 9, 9, 9, 9}};
    CHECK(breach_it(floor, {10, {}}).pits == 1);
    grid<int> shelf{{9, 9, 9, 9, 9}, {9, 3, 3, 2, 1}, {9, 9, 9, 9, 9}};
    CHECK(breach_it(shelf, {10, {}}).pits == 0);
}

TEST_CASE("without limits nothing is left to fill, no cell is raised, and nothing is lowered below its pit") {
    for (unsigned seed = 0; seed < 150; ++seed) {
        const auto dem = terrain::random_terrain<float>(
            seed, {4 + seed % 17, 3 + seed % 13}, 4 + static_cast<int>(seed % 30), static_cast<int>(seed % 3) * 5);
        const auto land = terrain::land_of(dem);
        auto cut = dem;
        const auto report = breach_it(cut, {1e9, {}});
        CAPTURE(seed);
        CHECK(report.left == 0);
        std::size_t lowered = 0;
        float lowest = 1e9F;
        for (std::size_t i = 0; i < dem.size(); ++i)
            if (land[i] == footprint::terrain) lowest = std::min(lowest, dem[i]);
        for (std::size_t i = 0; i < dem.size(); ++i) {
            REQUIRE(cut[i] <= dem[i]);
            if (land[i] == footprint::terrain) REQUIRE(cut[i] >= lowest);
            lowered += cut[i] < dem[i];
        }
        CHECK(lowered <= report.cells_lowered);
        auto filled = cut;
        CHECK(fill(filled, land, terrain::unit_cells(dem.height()), {}).cells_changed == 0);
        CHECK(filled == cut);
    }
}

TEST_CASE("terrain within holes has no way out") {
    grid<float> dem{shape{7, 7}, terrain::nodata};
    for (std::size_t i = 0; i < 7; ++i) dem(0, i) = dem(6, i) = dem(i, 0) = dem(i, 6) = 5;
    dem(3, 3) = 1;
    CHECK(breach_it(dem, {1e9, {}}, nodata_holes::missing).left == 1);
}
