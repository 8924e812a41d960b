#include <hydrology/surface_look.hpp>

#include <random>

#include "catch.hpp"

using namespace gdalmcp_hydrology;

TEST_CASE("the plain is the height that most cells at the edge have, and its cells inland count as well") {
    const grid<float> heights{{0, 0, 0, 0, 5}, {0, 0, 3, 4, 6}, {7, 0, -1, 8, 9}, {7, 8, 9, 9, 9}};
    const auto seen = look_of(heights, grid<footprint>{heights.extent()}, {});
    CHECK(seen.plain == 0);
    CHECK(seen.in_plain == 7);
    CHECK(seen.below == 1);
    CHECK(seen.cells == 20);
    CHECK(seen.lowest == -1);
    CHECK(seen.highest == 9);
    CHECK_FALSE(seen.may_be_angles);
}

TEST_CASE("angles are floating-point numbers within a circle, or -1") {
    const grid<float> angles{{0, 3.1F, -1}, {6.28F, 1, 2}};
    const grid<std::int16_t> whole{{0, 3, -1}, {6, 1, 2}};
    const grid<footprint> land{angles.extent()};
    CHECK(look_of(angles, land, {}).may_be_angles);
    CHECK_FALSE(look_of(whole, land, {}).may_be_angles);
}

TEST_CASE("strips and threads see what each cell asked by itself tells") {
    std::mt19937 chance{7};
    for (int turn = 0; turn < 100; ++turn) {
        const shape extent{1 + chance() % 9, 1 + chance() % 9};
        grid<float> heights{extent};
        grid<std::uint8_t> valid{extent};
        for (std::size_t i = 0; i < heights.size(); ++i) {
            heights[i] = static_cast<float>(chance() % 4);
            valid[i] = chance() % 6 != 0;
        }
        const auto land = trace_footprint(valid, nodata_holes::missing);
        std::vector<double> edge;
        std::size_t cells = 0, in_plain = 0, below = 0;
        for (std::size_t i = 0; i < heights.size(); ++i) {
            cells += land[i] == footprint::terrain;
            if (land[i] == footprint::terrain && is_outlet(land, i)) edge.push_back(static_cast<double>(heights[i]));
        }
        const double plain = edge.empty() ? 0 : most_frequent(edge);
        for (std::size_t i = 0; !edge.empty() && i < heights.size(); ++i) {
            in_plain += land[i] == footprint::terrain && static_cast<double>(heights[i]) == plain;
            below += land[i] == footprint::terrain && static_cast<double>(heights[i]) < plain;
        }
        for (const auto& by : {team{}, team{0, 2}, team{2, 1}}) {
            const auto seen = look_of(heights, land, by);
            REQUIRE(seen.cells == cells);
            REQUIRE(seen.plain == plain);
            REQUIRE(seen.in_plain == in_plain);
            REQUIRE(seen.below == below);
        }
    }
}
