#include <hydrology/flow_shares.hpp>

#include <hydrology/d8.hpp>
#include <hydrology/fill.hpp>
#include "catch.hpp"
#include "terrain.hpp"

#include <cmath>

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
    const auto sharing = [](const shared_by_two& s, direction first, direction second) {
        return s.first == first && s.second == second;
    };
    const auto east_only = of.of(0, 1), between = of.of(static_cast<float>(pi / 8), 1),
               last = of.of(static_cast<float>(2 * pi - pi / 8), 1);
    CHECK((sharing(east_only, east, northeast) && east_only.share == 0));
    CHECK(sharing(between, east, northeast));
    CHECK(between.share == Approx(0.5).margin(1e-6));
    CHECK(sharing(last, southeast, east));
    CHECK(last.share == Approx(0.5).margin(1e-6));
    SECTION("in cells twice as wide as high the diagonal lies at 26.6 degrees") {
        const angle_shares wide{cell_sizes::planar(3, 20, 10), 3};
        const auto diagonal = wide.of(static_cast<float>(std::atan2(1, 2)), 1),
                   quarter = wide.of(static_cast<float>(std::atan2(1, 2) / 4), 1);
        CHECK((diagonal.first == northeast ? diagonal.share == 0 : diagonal.share == 1));
        CHECK(sharing(quarter, east, northeast));
        CHECK(quarter.share == Approx(0.25).margin(1e-6));
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
    const std::uint8_t x = no_terrain, E = east;
    const grid<std::uint8_t> directions{{x, E, x}, {E, x, E}, {x, E, x}};
    std::vector<shares<float>> halves(9);
    halves[1][southwest] = halves[1][southeast] = 0.5F;
    halves[3][southeast] = halves[5][southwest] = halves[7][south] = 1;
    const grid<double> ones{{0, 1, 0}, {1, 0, 1}, {0, 1, 0}};
    for (const std::size_t rows : {512, 2, 1}) {
        const auto flow = accumulate_shares(flow_by_shares{halves}, directions, ones, {}, {.rows = rows});
        CHECK(flow.values == grid<double>{{0, 1, 0}, {1.5, 0, 1.5}, {0, 4, 0}});
        CHECK(flow.outlets == 1);
        CHECK(flow.discharged == 4);
        CHECK_FALSE(flow.cycle);
    }
}

TEST_CASE("shared flow that leads back to where it came from is a loop") {
    std::vector<shares<float>> round(4);
    round[0][east] = round[1][south] = round[3][west] = 1;
    round[2][north] = 0.5F;
    round[2][southwest] = 0.5F;
    for (const std::size_t rows : {512, 1}) {
        const auto flow = accumulate_shares(flow_by_shares{round}, grid<std::uint8_t>{shape{2, 2}, east},
                                            grid<double>{shape{2, 2}, 1}, {}, {.rows = rows});
        CHECK(flow.cycle);
    }
}

namespace {

// The flow of every cell followed to its end, one after the other, in small steps of fractions.
grid<double> walked(const std::vector<shares<double>>& all, const routed& t) {
    grid<double> values{t.dem.extent()};
    std::vector<std::pair<std::size_t, double>> moving;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!t.terrain[i]) continue;
        moving.emplace_back(i, 1.0);
        while (!moving.empty()) {
            const auto [cell, amount] = moving.back();
            moving.pop_back();
            values[cell] += amount;
            for (std::size_t d = 0; d < 8; ++d) {
                const auto n = all[cell][d] > 0 ? t.dem.extent().neighbour(cell, d) : off_grid;
                if (n != off_grid && t.terrain[n]) moving.emplace_back(n, amount * all[cell][d]);
            }
        }
    }
    return values;
}

bool close(const grid<double>& a, const grid<double>& b, double tolerance) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if (std::abs(a[i] - b[i]) > tolerance * (1 + std::abs(b[i]))) return false;
    return true;
}

}  // namespace

TEST_CASE("of random terrains all that falls arrives, by angles and by multiple flow, and no flow loops") {
    for (unsigned seed = 0; seed < 150; ++seed) {
        const auto t =
            route(terrain::random_terrain<float>(seed, {4 + seed % 30, 3 + seed % 19}, 3 + static_cast<int>(seed % 60),
                                                 static_cast<int>(seed % 3) * 5),
                  20, seed % 2 ? 20 : 35);
        const grid<double> ones{t.dem.extent(), 1};
        const auto angles = d_infinity(t.dem, t.d8, t.sizes);
        const auto multiple = multiple_flow(t.dem, t.d8, t.sizes, 1.1);
        const team strips_of_two{.threads = 2, .rows = 2};
        const auto by_angles = [&](const team& by) {
            return accumulate_shares(flow_by_angles{angles, t.sizes}, t.d8, ones, {}, by);
        };
        const auto by_shares = [&](const team& by) {
            return accumulate_shares(flow_by_shares{multiple}, t.d8, ones, {}, by);
        };
        CAPTURE(seed);
        CHECK(d_infinity(t.dem, t.d8, t.sizes, {}, strips_of_two) == angles);
        CHECK(multiple_flow(t.dem, t.d8, t.sizes, 1.1, {}, strips_of_two) == multiple);
        for (const auto& flow : {by_angles({}), by_shares({}), by_angles(strips_of_two), by_shares(strips_of_two)}) {
            REQUIRE_FALSE(flow.cycle);
            CHECK(flow.discharged == Approx(flow.contributed).epsilon(1e-12));
            for (std::size_t i = 0; i < ones.size(); ++i) REQUIRE(flow.values[i] >= (t.terrain[i] ? 1 : 0));
        }
        CHECK(close(by_angles(strips_of_two).values, by_angles({}).values, 1e-12));
        CHECK(by_angles(strips_of_two).contaminated == by_angles({}).contaminated);
        CHECK(by_angles({.threads = 0, .rows = 2}).values == by_angles(strips_of_two).values);
        if (t.dem.size() > 60) continue;
        std::vector<shares<double>> pairs(t.dem.size()), many(t.dem.size());
        const angle_shares by_angle{t.sizes, t.dem.height()};
        for (std::size_t i = 0; i < t.dem.size(); ++i) {
            double sum = 0;
            for (std::size_t d = 0; d < 8; ++d) sum += many[i][d] = static_cast<double>(multiple[i][d]);
            for (auto& share : many[i]) share = sum > 0 ? share / sum : 0;
            if (angles[i] < 0) continue;
            const auto s = by_angle.of(angles[i], t.dem.extent().row(i));
            pairs[i][s.first] += 1 - s.share;
            pairs[i][s.second] += s.share;
        }
        CHECK(close(by_angles({}).values, walked(pairs, t), 1e-6));
        CHECK(close(by_shares({}).values, walked(many, t), 1e-9));
    }
}
