#include <hydrology/basins.hpp>

#include "catch.hpp"
#include "terrain.hpp"

#include <hydrology/d8.hpp>

using namespace gdalmcp_hydrology;

namespace {

constexpr std::uint8_t E = east, S = south, W = west, N = north, none = no_terrain, stays = undrained;

// The number of the first outlet on the way down, by walking.
std::int32_t by_walking(const grid<std::uint8_t>& directions, const std::vector<std::size_t>& outlets,
                        std::size_t cell) {
    for (; cell != off_grid; cell = receiver(directions, cell))
        for (std::size_t k = 0; k < outlets.size(); ++k)
            if (outlets[k] == cell) return static_cast<std::int32_t>(k + 1);
    return 0;
}

}  // namespace

TEST_CASE("a cell belongs to the first outlet its flow passes, the outlet included") {
    const grid<std::uint8_t> river{{E, E, E, E}, {none, N, W, S}};
    CHECK(label_basins(river, {3}) == grid<std::int32_t>{{1, 1, 1, 1}, {0, 1, 1, 0}});
    SECTION("an outlet upstream of another cuts its basin out of the lower one") {
        CHECK(label_basins(river, {3, 1}) == grid<std::int32_t>{{2, 2, 1, 1}, {0, 2, 2, 0}});
        CHECK(next_basins(river, label_basins(river, {3, 1}), {3, 1}) == std::vector<std::int32_t>{0, 1});
    }
}

TEST_CASE("flow ends at the edge, beside nodata and in pits") {
    const grid<std::uint8_t> river{{E, E, none}, {stays, W, S}};
    CHECK(flow_ends(river) == std::vector<std::size_t>{1, 3, 5});
}

TEST_CASE("a loop is named by a cell on it, not followed for ever") {
    const grid<std::uint8_t> circle{{E, S, none}, {N, W, none}, {none, none, N}};
    for (const std::size_t rows : {512, 1}) {
        CHECK_THROWS_AS(label_basins(circle, {0}, {}, {.rows = rows}), flow_loop);
        CHECK_THROWS_AS(label_basins(circle, {0, 4}, {}, {.rows = rows}), flow_loop);
        CHECK_THROWS_AS(label_basins(circle, {8}, {}, {.rows = rows}), flow_loop);
    }
}

TEST_CASE("basins of random terrains partition them, and are those found by walking down from each cell") {
    for (unsigned seed = 0; seed < 200; ++seed) {
        auto dem = terrain::random_terrain<float>(seed, {3 + seed % 12, 2 + seed % 9}, 5, 10);
        const auto land = terrain::land_of(dem);
        const auto sizes = terrain::unit_cells(dem.height());
        fill(dem, land, sizes, {});
        d8_report report;
        const auto directions = d8(dem, land, sizes, report);
        const auto ends = flow_ends(directions);
        const auto labels = label_basins(directions, ends);
        for (std::size_t i = 0; i < labels.size(); ++i) {
            REQUIRE((labels[i] != 0) == (directions[i] != no_terrain));
            REQUIRE(labels[i] == (directions[i] == no_terrain ? 0 : by_walking(directions, ends, i)));
        }
        const team in_strips{.threads = seed % 3, .rows = 1 + seed % 3};
        CHECK(flow_ends(directions, in_strips) == ends);
        CHECK(label_basins(directions, ends, {}, in_strips) == labels);
        const std::vector<std::size_t> some(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(ends.size() / 2));
        CHECK(label_basins(directions, some, {}, in_strips) == label_basins(directions, some));
    }
}
