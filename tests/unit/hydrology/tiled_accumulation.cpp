#include <hydrology/tiled_accumulation.hpp>

#include <hydrology/d8.hpp>

#include "catch.hpp"
#include "terrain.hpp"
#include "tiles.hpp"

using namespace gdalmcp_hydrology;
using namespace tiles;

namespace {

constexpr std::uint8_t E = east, S = south, W = west, N = north, U = undrained, x = no_terrain;

// own: of the whole raster, or empty for 1 per cell.
template <class V>
accumulation<V> accumulate_in_tiles(const grid<std::uint8_t>& directions, const grid<V>& own, shape size,
                                    order wanted = order::forwards) {
    const tiling cut_in{directions.extent(), size};
    const auto own_in = [&](std::size_t t) { return own.size() ? cut(own, cut_in.at(t)) : grid<V>{}; };
    tiled_flow<V> flow{cut_in};
    for (const auto t : in_order(cut_in.count(), wanted))
        flow.add(t, find_links(cut(directions, cut_in.at(t)), own_in(t)));
    accumulation<V> all;
    all.values = grid<V>{directions.extent()};
    all.contaminated = grid<std::uint8_t>{directions.extent()};
    all.cycle = flow.solve();
    if (all.cycle) return all;
    for (const auto t : in_order(cut_in.count(), wanted)) {
        const auto part = accumulate_tile(cut(directions, cut_in.at(t)), own_in(t), flow.of(t));
        paste(all.values, cut_in.at(t), part.values);
        paste(all.contaminated, cut_in.at(t), part.contaminated);
        all.contaminated_cells += part.contaminated_cells;
        all.terrain_cells += part.terrain_cells;
        all.outlets += part.outlets;
        all.contributed += part.contributed;
        all.discharged += part.discharged;
    }
    return all;
}

grid<std::uint64_t> ones() { return {}; }

template <class V>
void require_same_flow(const accumulation<V>& found, const accumulation<V>& expected) {
    REQUIRE(found.values == expected.values);
    REQUIRE(found.contaminated == expected.contaminated);
    REQUIRE(found.contaminated_cells == expected.contaminated_cells);
    REQUIRE(found.terrain_cells == expected.terrain_cells);
    REQUIRE(found.outlets == expected.outlets);
    REQUIRE(found.contributed == expected.contributed);
    REQUIRE(found.discharged == expected.discharged);
}

}  // namespace

TEST_CASE("what flows into a tile is added along its way to the next") {
    const auto flow = accumulate_in_tiles({{E, E, S, x}, {S, W, W, x}, {E, E, E, U}}, ones(), {2, 2});
    CHECK(flow.values == grid<std::uint64_t>{{1, 2, 3, 0}, {6, 5, 4, 0}, {7, 8, 9, 10}});
    CHECK(flow.outlets == 1);
    CHECK(flow.discharged == 10);
}

TEST_CASE("nodata in another tile and the edge of the raster contaminate, the edge of a tile does not") {
    grid<std::uint8_t> directions{shape{7, 7}, W};
    directions(3, 5) = x;
    const auto flow = accumulate_in_tiles(directions, ones(), {2, 3});
    CHECK(flow.contaminated == accumulate(directions, ones()).contaminated);
    for (std::size_t c = 0; c < 7; ++c) directions(3, c) = W;
    for (std::size_t r = 1; r < 6; ++r) directions(r, 5) = directions(r, 6) = E;
    const auto inner = accumulate_in_tiles(directions, ones(), {2, 3});
    CHECK(inner.contaminated(3, 4) == 0);
    CHECK(inner.contaminated(3, 3) == 0);
    CHECK(inner.contaminated(3, 0) == 1);
}

TEST_CASE("a loop within a tile and one through several are found") {
    const grid<std::uint8_t> loop{{E, E, S}, {N, x, S}, {N, W, W}};
    for (const auto size : {shape{1, 1}, shape{2, 2}, shape{3, 3}})
        CHECK(accumulate_in_tiles(loop, ones(), size).cycle);
    CHECK_FALSE(accumulate_in_tiles({{E, E, S}, {U, x, S}, {N, W, W}}, ones(), {2, 2}).cycle);
}

TEST_CASE("tiles of any size, in any order, accumulate as one grid does") {
    for (unsigned seed = 0; seed < 60; ++seed) {
        const shape extent{1 + seed * 7 % 23, 1 + seed * 11 % 19};
        auto dem = terrain::random_terrain<int>(seed, extent, seed % 2 ? 20 : 1000, static_cast<int>(seed % 4) * 8);
        const auto land = terrain::land_of(dem, seed % 3 ? nodata_holes::outlet : nodata_holes::missing);
        if (seed % 5) fill(dem, land, terrain::unit_cells(extent.height), {});
        d8_report report;
        const auto directions = d8(dem, land, terrain::unit_cells(extent.height), report);
        std::mt19937 random{seed};
        grid<double> weights{extent};
        for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(random() % 100) - 20;
        for (const auto wanted : {order::forwards, order::backwards, order::shuffled})
            for (const auto size : tiles::sizes) {
                CAPTURE(seed, size.width, size.height, static_cast<int>(wanted));
                require_same_flow(accumulate_in_tiles(directions, ones(), size, wanted),
                                  accumulate(directions, ones()));
                // Whole numbers: sums are exact in any order.
                require_same_flow(accumulate_in_tiles(directions, weights, size, wanted),
                                  accumulate(directions, weights));
            }
    }
}
