#include <hydrology/accumulation.hpp>

#include "catch.hpp"

#include <hydrology/d8.hpp>

#include "terrain.hpp"

using namespace gdalmcp_hydrology;

namespace {

constexpr std::uint8_t E = east, S = south, W = west, N = north, SE = southeast, U = undrained, x = no_terrain;
using counts = grid<std::uint64_t>;

accumulation<std::uint64_t> count(const grid<std::uint8_t>& directions) { return accumulate(directions, counts{}); }

}  // namespace

TEST_CASE("a cell counts itself and everything upstream") {
    const auto flow = count({{E, E, S}, {E, E, S}, {E, E, E}});
    CHECK(flow.values == counts{{1, 2, 3}, {1, 2, 6}, {1, 2, 9}});
    CHECK(flow.maximum == 9);
    CHECK(flow.maximum_cell == 8);
    CHECK(flow.outlets == 1);
    CHECK(flow.terrain_cells == 9);
    CHECK(flow.discharged == 9);
}

TEST_CASE("flow into nodata and undrained cells ends there") {
    const auto flow = count({{E, x, E, U}});
    CHECK(flow.values == counts{{1, 0, 1, 2}});
    CHECK(flow.outlets == 2);
    CHECK(flow.discharged == flow.contributed);
}

TEST_CASE("cells downstream of the edge are contaminated") {
    grid<std::uint8_t> directions{shape{5, 5}, E};
    const auto flow = count(directions);
    CHECK(flow.contaminated == grid<std::uint8_t>{shape{5, 5}, 1});
    directions = grid<std::uint8_t>{shape{5, 5}, W};
    directions(2, 2) = E;
    directions(1, 4) = directions(2, 4) = directions(3, 4) = E;
    directions(1, 3) = directions(2, 3) = directions(3, 3) = E;
    const auto divide = count(directions);
    CHECK(divide.contaminated(2, 2) == 0);
    CHECK(divide.contaminated(2, 3) == 0);
    CHECK(divide.contaminated(2, 4) == 1);
    CHECK(divide.contaminated(0, 2) == 1);
}

TEST_CASE("weights are summed along the flow") {
    const auto flow = accumulate(grid<std::uint8_t>{{E, E, E}}, grid<double>{{0.5, -1, 2}});
    CHECK(flow.values == grid<double>{{0.5, -0.5, 1.5}});
    CHECK(flow.contributed == 1.5);
    CHECK(flow.discharged == 1.5);
}

TEST_CASE("a flow loop is found and one of its cells named") {
    const auto flow = count({{E, S, W}, {N, W, W}});
    REQUIRE(flow.cycle);
    CHECK((*flow.cycle == 0 || *flow.cycle == 1 || *flow.cycle == 3 || *flow.cycle == 4));
    CHECK_FALSE(count({{E, S, W}, {W, W, W}}).cycle);
    CHECK(accumulate(grid<std::uint8_t>{{E, S, W}, {N, W, W}}, counts{}, {}, {.rows = 1}).cycle);
}

TEST_CASE("shapes that differ are refused") {
    CHECK_THROWS_AS(accumulate(grid<std::uint8_t>{{E, E}}, grid<double>{{1}}), std::invalid_argument);
}

TEST_CASE("no cell is lost, every receiver has more than its donors, and counting by walking agrees") {
    for (unsigned seed = 1; seed <= 30; ++seed) {
        auto dem = terrain::random_terrain<int>(seed, {13, 16}, 6, static_cast<int>(seed % 3) * 6);
        const auto land = terrain::land_of(dem);
        fill(dem, land, terrain::unit_cells(16), {});
        d8_report report;
        const auto directions = d8(dem, land, terrain::unit_cells(16), report);
        const auto flow = count(directions);
        REQUIRE_FALSE(flow.cycle);
        CHECK(flow.discharged == flow.terrain_cells);
        counts walked{dem.extent()};
        for (std::size_t i = 0; i < dem.size(); ++i)
            for (auto at = i; at != off_grid && directions[at] != no_terrain;) {
                ++walked[at];
                at = dem.extent().neighbour(at, directions[at]);
            }
        CHECK(flow.values == walked);
        for (const std::size_t threads : {0, 2}) {
            const auto in_strips = accumulate(directions, counts{}, {}, {.threads = threads, .rows = 1 + seed % 4});
            CHECK(in_strips.values == flow.values);
            CHECK(in_strips.contaminated == flow.contaminated);
            CHECK(in_strips.contaminated_cells == flow.contaminated_cells);
            CHECK(in_strips.outlets == flow.outlets);
            CHECK(in_strips.discharged == flow.discharged);
            CHECK(in_strips.maximum_cell == flow.maximum_cell);
        }
    }
}

TEST_CASE("a single column and a terrain of nodata accumulate") {
    CHECK(count({{S}, {S}, {S}}).values == counts{{1}, {2}, {3}});
    const auto nothing = count({{x, x}, {x, x}});
    CHECK(nothing.terrain_cells == 0);
    CHECK(nothing.maximum_cell == off_grid);
    CHECK(count({{SE, x}, {x, E}}).values == counts{{1, 0}, {0, 2}});
}

TEST_CASE("flow rises along its directions, heights fall, and equal or missing values do neither") {
    const grid<std::uint8_t> directions{{E, E, S}, {E, x, S}, {U, W, W}};
    const auto nan = std::numeric_limits<double>::quiet_NaN();
    const auto trend = [&](const grid<double>& values) {
        const auto [rising, falling] = trend_along(directions, values);
        return std::array{rising, falling};
    };
    // Six steps: along the first row, down the last column and back along the last row.
    CHECK(trend({{1, 2, 3}, {1, 0, 4}, {6, 5, 4.5}}) == std::array<std::size_t, 2>{6, 0});
    CHECK(trend({{9, 8, 7}, {9, 0, 6}, {3, 4, 5}}) == std::array<std::size_t, 2>{0, 6});
    CHECK(trend({{1, 1, nan}, {1, 0, 2}, {3, 3, 3}}) == std::array<std::size_t, 2>{1, 0});
}
