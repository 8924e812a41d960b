#include <hydrology/flow_shares.hpp>

#include <hydrology/d8.hpp>
#include <hydrology/fill.hpp>
#include "catch.hpp"
#include "terrain.hpp"

#include <cmath>
#include <numeric>

using namespace gdalmcp_hydrology;

namespace {

constexpr double pi = 3.14159265358979323846;

struct routed {
    grid<float> dem;
    grid<footprint> land;
    cell_sizes sizes;
    grid<std::uint8_t> d8, terrain;
};

routed route(grid<float> dem, double dx, double dy) {
    auto land = terrain::land_of(dem);
    auto sizes = cell_sizes::planar(dem.height(), dx, dy);
    fill(dem, land, sizes, {});
    d8_report report;
    auto directions = d8(dem, land, sizes, report);
    grid<std::uint8_t> terrain{dem.extent()};
    for (std::size_t i = 0; i < dem.size(); ++i) terrain[i] = land[i] == footprint::terrain;
    return {std::move(dem), std::move(land), std::move(sizes), std::move(directions), std::move(terrain)};
}

double sum_of(const shares<double>& all) { return std::accumulate(all.begin(), all.end(), 0.0); }

}  // namespace

TEST_CASE("on a plane the angle is the way down, whatever the shape of the cells") {
    for (int degrees = 0; degrees < 360; degrees += 7) {
        const double towards = degrees * pi / 180, dx = 20, dy = 30;
        grid<float> dem{shape{5, 5}};
        for (std::size_t r = 0; r < 5; ++r)
            for (std::size_t c = 0; c < 5; ++c)
                dem(r, c) = static_cast<float>(1000 - std::cos(towards) * dx * static_cast<double>(c) +
                                               std::sin(towards) * dy * static_cast<double>(r));
        const auto t = route(dem, dx, dy);
        const auto angles = d_infinity(t.dem, t.d8, t.sizes);
        CAPTURE(degrees);
        CHECK(std::cos(static_cast<double>(angles(2, 2)) - towards) > 1 - 1e-7);
    }
}

TEST_CASE("the flow of an angle is shared between the two directions beside it") {
    const angle_shares of{cell_sizes::planar(3, 10, 10), 3};
    const auto east_only = of.of(0, 1), between = of.of(static_cast<float>(pi / 8), 1),
               last = of.of(static_cast<float>(2 * pi - pi / 8), 1);
    CHECK(east_only[east] == 1);
    CHECK(between[east] == Approx(0.5).margin(1e-6));
    CHECK(between[northeast] == Approx(0.5).margin(1e-6));
    CHECK(last[east] == Approx(0.5).margin(1e-6));
    CHECK(last[southeast] == Approx(0.5).margin(1e-6));
    CHECK(sum_of(of.of(undrained_angle, 1)) == 0);
    SECTION("in cells twice as wide as high the diagonal lies at 26.6 degrees") {
        const angle_shares wide{cell_sizes::planar(3, 20, 10), 3};
        CHECK(wide.of(static_cast<float>(std::atan2(1, 2)), 1)[northeast] == 1);
        CHECK(wide.of(static_cast<float>(std::atan2(1, 2) / 4), 1)[northeast] == Approx(0.25).margin(1e-6));
    }
}

TEST_CASE("multiple flow is shared by slope to the power of the exponent") {
    // East falls 2 over 1, south 1 over 1, southeast 2 over the diagonal; the rest is higher.
    const grid<float> dem{{9, 9, 9}, {9, 5, 3}, {9, 4, 3}};
    const auto t = route(dem, 1, 1);
    for (const double p : {1.0, 1.1, 4.0}) {
        const auto all = multiple_flow(dem, t.d8, t.sizes, p)[4];
        const double e = std::pow(2, p), s = 1, se = std::pow(2 / std::sqrt(2), p), sum = e + s + se;
        CHECK(static_cast<double>(all[east]) == Approx(e / sum));
        CHECK(static_cast<double>(all[south]) == Approx(s / sum));
        CHECK(static_cast<double>(all[southeast]) == Approx(se / sum));
        CHECK(all[north] == 0);
    }
}

TEST_CASE("flow split in halves meets again") {
    //   a        a drains in halves to b and c, these to d
    //  b c
    //   d
    const grid<std::uint8_t> terrain{{0, 1, 0}, {1, 0, 1}, {0, 1, 0}};
    const auto halves = [](std::size_t cell) {
        shares<double> all{};
        if (cell == 1) all[southwest] = all[southeast] = 0.5;
        if (cell == 3) all[southeast] = 1;
        if (cell == 5) all[southwest] = 1;
        if (cell == 7) all[south] = 1;
        return all;
    };
    const auto flow = accumulate_shares(halves, terrain, grid<double>{{0, 1, 0}, {1, 0, 1}, {0, 1, 0}});
    CHECK(flow.values == grid<double>{{0, 1, 0}, {1.5, 0, 1.5}, {0, 4, 0}});
    CHECK(flow.outlets == 1);
    CHECK(flow.discharged == 4);
    CHECK_FALSE(flow.cycle);
}

TEST_CASE("of random terrains all that falls arrives, by angles and by multiple flow, and no flow loops") {
    for (unsigned seed = 0; seed < 150; ++seed) {
        const auto t =
            route(terrain::random_terrain<float>(seed, {4 + seed % 30, 3 + seed % 19}, 3 + static_cast<int>(seed % 60),
                                                 static_cast<int>(seed % 3) * 5),
                  20, seed % 2 ? 20 : 35);
        const grid<double> ones{t.dem.extent(), 1};
        const auto angles = d_infinity(t.dem, t.d8, t.sizes);
        const angle_shares by_angle{t.sizes, t.dem.height()};
        const auto dinf = accumulate_shares(
            [&](std::size_t i) { return by_angle.of(angles[i], t.dem.extent().row(i)); }, t.terrain, ones);
        const auto multiple = multiple_flow(t.dem, t.d8, t.sizes, 1.1);
        const auto mfd = accumulate_shares(
            [&](std::size_t i) {
                shares<double> all{};
                double sum = 0;
                for (std::size_t d = 0; d < 8; ++d) sum += all[d] = static_cast<double>(multiple[i][d]);
                for (auto& share : all) share = sum > 0 ? share / sum : 0;
                return all;
            },
            t.terrain, ones);
        CAPTURE(seed);
        for (const auto* flow : {&dinf, &mfd}) {
            REQUIRE_FALSE(flow->cycle);
            CHECK(flow->discharged == Approx(flow->contributed).epsilon(1e-12));
            for (std::size_t i = 0; i < ones.size(); ++i) REQUIRE(flow->values[i] >= (t.terrain[i] ? 1 : 0));
        }
    }
}
