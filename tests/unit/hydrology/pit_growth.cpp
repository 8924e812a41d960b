#include <hydrology/pit_growth.hpp>

#include "catch.hpp"
#include "terrain.hpp"

using namespace gdalmcp_hydrology;

namespace {

// Filled with one worker and no tiles.
grid<float> grown(grid<float> dem, const grid<footprint>& land, const growth_limits& limits) {
    CHECK(grow_depressions(dem, land, limits).complete);
    return dem;
}

}  // namespace

TEST_CASE("a region grows from its pit to the level at which it spills") {
    grid<float> dem{{9, 9, 9, 9}, {9, 1, 2, 9}, {9, 9, 5, 9}, {9, 9, 9, 7}};
    const auto found = grow_depressions(dem, terrain::land_of(dem), {});
    CHECK(dem == grid<float>{{9, 9, 9, 9}, {9, 7, 7, 9}, {9, 9, 7, 9}, {9, 9, 9, 7}});
    CHECK(found.complete);
    CHECK(found.enclosed.empty());
}

TEST_CASE("terrain within holes is named, whatever was raised in it") {
    grid<float> dem{shape{7, 7}, terrain::nodata};
    for (std::size_t i = 0; i < 7; ++i) dem(0, i) = dem(6, i) = dem(i, 0) = dem(i, 6) = 5;
    dem(3, 2) = 1, dem(3, 3) = 4, dem(3, 4) = 2;
    const auto found = grow_depressions(dem, terrain::land_of(dem, nodata_holes::missing), {});
    CHECK(found.enclosed == std::vector<std::size_t>{23, 24, 25});
}

TEST_CASE("the surface is the same whatever the tiles and the threads") {
    for (unsigned seed = 0; seed < 200; ++seed) {
        const auto dem = terrain::random_terrain<float>(
            seed, {5 + seed % 60, 4 + seed % 41}, 3 + static_cast<int>(seed % 40), static_cast<int>(seed % 3) * 3);
        const auto land = terrain::land_of(dem, seed % 2 ? nodata_holes::missing : nodata_holes::outlet);
        growth_limits limits{{}, 1000, 0};
        const auto whole = grown(dem, land, limits);
        CAPTURE(seed);
        limits.tiles = {7};
        REQUIRE(grown(dem, land, limits) == whole);
        limits.tiles = {5, 16};
        limits.threads = 3;
        REQUIRE(grown(dem, land, limits) == whole);
    }
}

TEST_CASE("work beyond the limit is left, below the filled surface") {
    auto dem = terrain::random_terrain<float>(4, {300, 200}, 1000, 0);
    const auto land = terrain::land_of(dem);
    const auto filled = grown(dem, land, {{}, 1000, 0});
    const auto before = dem;
    CHECK_FALSE(grow_depressions(dem, land, {{}, 0.01, 0}).complete);
    for (std::size_t i = 0; i < dem.size(); ++i)
        if (land[i] == footprint::terrain) REQUIRE((before[i] <= dem[i] && dem[i] <= filled[i]));
}

// A lake of 140 x 140 cells in a plain, with one way out: nothing to fill, but every cell of it without a lower
// neighbour.
TEST_CASE("flats are not visited once for each of their cells") {
    grid<float> dem{shape{160, 160}, 9};
    for (std::size_t r = 10; r < 150; ++r)
        for (std::size_t c = 10; c < 150; ++c) dem(r, c) = 5;
    for (std::size_t c = 150; c < 160; ++c) dem(80, c) = 4;
    const auto before = dem;
    CHECK(grow_depressions(dem, terrain::land_of(dem), {{16, 64}, 3, 0}).complete);
    CHECK(dem == before);
}
