#include <hydrology/snapping.hpp>

#include <hydrology/accumulation.hpp>
#include "catch.hpp"

using namespace gdalmcp_hydrology;

namespace {

constexpr std::uint8_t E = east, S = south, N = north, SE = southeast;

// A river along row 2, and a brook down column 4 that joins it in column 4.
//   row 0: · · · · b · ·
//   row 1: · · · · b · ·
//   row 2: r r r r r r r
struct valley {
    grid<std::uint8_t> directions{{S, S, S, E, S, S, S}, {S, S, SE, E, S, S, S}, {E, E, E, E, E, E, E}};
    cell_sizes sizes = cell_sizes::planar(3, 10, 10);
    grid<double> area =
        accumulate(directions, grid<double>{{1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1}, {90, 1, 1, 1, 1, 1, 1}})
            .values;
    grid<std::uint8_t> channels{{0, 0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, 0, 0}, {1, 1, 1, 1, 1, 1, 1}};

    snapped_point at(std::size_t cell, snap_to to, double radius, std::optional<double> known = {}) const {
        return snap({directions, sizes, area, area, channels}, cell, {to, radius, known});
    }
};

}  // namespace

TEST_CASE("without snapping a point stays") {
    const auto found = valley{}.at(8, snap_to::nothing, 0);
    CHECK(found.cell == 8);
    CHECK(found.moved == 0);
}

TEST_CASE("the nearest channel cell is found within the radius only") {
    const valley v;
    CHECK(v.at(8, snap_to::nearest_channel, 10).cell == 15);  // straight below (1, 1)
    CHECK(v.at(8, snap_to::nearest_channel, 10).moved == 10);
    CHECK(v.at(8, snap_to::nearest_channel, 9.9).cell == off_grid);
}

TEST_CASE("distances count from the point, not from the centre of its cell") {
    // Two rivers to the south, in columns 0 and 4; the point lies in column 2, 4 m west or east of the middle.
    const grid<std::uint8_t> directions{{S, S, S, S, S}}, channels{{1, 0, 0, 0, 1}};
    const grid<double> area{{1, 1, 1, 1, 9}};
    const auto sizes = cell_sizes::planar(1, 10, 10);
    const auto near = [&](double radius, double right) {
        return snap({directions, sizes, area, area, channels}, 2, {snap_to::nearest_channel, radius, {}, right, 0});
    };
    CHECK(near(30, 0).cell == 4);  // the larger one
    CHECK(near(30, -0.4).cell == 0);
    CHECK(near(30, -0.4).moved == 16);
    CHECK(near(30, 0.4).cell == 4);
    CHECK(near(17, 0.4).moved == 16);
    CHECK(near(15, 0.4).cell == off_grid);
}

TEST_CASE("downstream is the first channel cell on the way of the flow") {
    const valley v;
    CHECK(v.at(9, snap_to::downstream, 20).cell == 17);  // (1, 2) flows diagonally
    CHECK(v.at(9, snap_to::downstream, 20).moved == Approx(14.142).margin(1e-3));
    CHECK(v.at(9, snap_to::downstream, 12).cell == off_grid);
}

TEST_CASE("the largest accumulation within the radius is downstream on the same river") {
    const valley v;
    const auto found = v.at(14, snap_to::most_flow, 20);
    CHECK(found.cell == 16);
    CHECK_FALSE(found.rival);
}

TEST_CASE("streams that lie on one flow path do not compete, however much larger the lower one is") {
    // (0, 4) is on the brook; within 25 m the largest accumulation is the river past their junction.
    const valley v;
    const auto found = v.at(4, snap_to::most_flow, 25);
    CHECK(found.cell == 19);
    CHECK_FALSE(found.rival);
}

TEST_CASE("a known area picks its best match among the channels") {
    const valley v;
    CHECK(v.at(10, snap_to::nearest_channel, 15, 4.0).cell == 11);    // the brook beside (1, 3)
    CHECK(v.at(10, snap_to::nearest_channel, 15, 100.0).cell == 17);  // the river below it
    CHECK_FALSE(v.at(10, snap_to::nearest_channel, 15, 100.0).rival);
}

TEST_CASE("two streams that meet below the radius compete") {
    // Two rivers, 10 and 2 cells of inflow, side by side, that never meet here.
    const grid<std::uint8_t> two{{E, E, E, E}, {N, N, S, S}, {E, E, E, E}};
    const auto sizes = cell_sizes::planar(3, 10, 10);
    const auto area = accumulate(two, grid<double>{{10, 1, 1, 1}, {1, 1, 1, 1}, {2, 1, 1, 1}}).values;
    const grid<std::uint8_t> channels{{1, 1, 1, 1}, {0, 0, 0, 0}, {1, 1, 1, 1}};
    const snapping_ground ground{two, sizes, area, area, channels};
    const auto found = snap(ground, 6, {snap_to::most_flow, 15, {}});  // (1, 2) drains south, the larger river is north
    CHECK(found.cell == 3);
    REQUIRE(found.rival);
    CHECK(*found.rival == 11);
    SECTION("a hillslope is no stream") {
        const auto larger = accumulate(two, grid<double>{{1000, 1, 1, 1}, {1, 1, 1, 1}, {2, 1, 1, 1}}).values;
        CHECK_FALSE(snap({two, sizes, larger, larger, channels}, 6, {snap_to::most_flow, 15, {}}).rival);
    }
}
