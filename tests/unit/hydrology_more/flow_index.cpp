#include <hydrology_more/flow_index.hpp>

#include <cmath>
#include "catch.hpp"

using namespace gdalmcp_hydrology;
using namespace gdalmcp_hydrology_more;

namespace {

constexpr std::uint8_t E = east, SE = southeast, S = south, none = no_terrain;

const grid<std::uint8_t> slope{{E, S, none}, {SE, S, S}, {E, E, E}};
const grid<double> heights{{9, 7, 0}, {8, 5, 4}, {3, 2, 1}};
const grid<std::uint8_t> river{{0, 0, 0}, {0, 0, 0}, {0, 1, 1}};

}  // namespace

TEST_CASE("height above the channel is counted from the first channel cell on the way down") {
    const auto hand = height_above_channel(slope, heights, river);
    CHECK(hand(0, 0) == 9 - 2);
    CHECK(hand(1, 0) == 8 - 2);
    CHECK(hand(1, 2) == 4 - 1);
    CHECK(hand(2, 0) == 3 - 2);
    CHECK(hand(2, 1) == 0);
    CHECK(std::isnan(hand(0, 2)));
}

TEST_CASE("a cell whose flow reaches no channel has no height above one") {
    const grid<std::uint8_t> two{{E, E}, {E, E}};
    const auto hand = height_above_channel(two, grid<double>{{3, 2}, {3, 1}}, grid<std::uint8_t>{{0, 1}, {0, 0}});
    CHECK(hand(0, 0) == 1);
    CHECK(std::isnan(hand(1, 0)));
}

TEST_CASE("the flow length is that of the steps, straight and diagonal") {
    const auto sizes = cell_sizes::planar(3, 3, 4);
    const auto to_end = flow_length(slope, sizes, {});
    CHECK(to_end(0, 0) == 3 + 4 + 4 + 3);
    CHECK(to_end(1, 0) == 5 + 3);
    CHECK(to_end(2, 2) == 0);
    const auto to_river = flow_length(slope, sizes, river);
    CHECK(to_river(0, 0) == 3 + 4 + 4);
    CHECK(to_river(2, 2) == 0);
}

TEST_CASE("the slope is the drop to the next cell by the length of the step") {
    const auto sizes = cell_sizes::planar(3, 3, 4);
    CHECK(flow_slope(slope, heights, sizes, 3) == (8.0 - 2) / 5);
    CHECK(flow_slope(slope, heights, sizes, 8) == (2.0 - 1) / 3);  // flows off the grid: from the cell behind
    CHECK(std::isnan(flow_slope({{E, undrained}}, {{5, 4}}, sizes, 1)));
    CHECK(std::isnan(flow_slope({{none, E}}, {{5, 4}}, sizes, 1)));
}

TEST_CASE("wetness and stream power of a hundred metres at one in ten") {
    CHECK(wetness(100, 0.1) == Approx(std::log(1000.0)));
    CHECK(stream_power(100, 0.1) == Approx(10));
}
