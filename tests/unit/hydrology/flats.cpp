#include <hydrology/flats.hpp>

#include <hydrology/d8.hpp>
#include "catch.hpp"
#include "terrain.hpp"

using namespace gdalmcp_hydrology;

namespace {

constexpr std::uint8_t E = east, S = south, W = west, N = north, U = undrained;

// The increments of Barnes, Lehman & Mulla 2014 over the whole grid at once: rings from the cells that drain beside a
// flat, counted twice, and rings from higher terrain turned around within each region of equal elevation.
struct by_the_book {
    grid<std::uint32_t> label, relief;

    template <class T>
    by_the_book(const grid<T>& z, const grid<std::uint8_t>& directions) : label{z.extent()}, relief{z.extent()} {
        const auto is = [&](std::size_t i) { return directions[i] != no_terrain; };
        std::vector<std::size_t> low, high;
        for (std::size_t i = 0; i < z.size(); ++i)
            z.extent().around(i, [&](std::size_t n, std::size_t) {
                if (!is(i) || !is(n)) return;
                if (directions[i] != U && directions[n] == U && z[n] == z[i]) low.push_back(i);
                if (directions[i] == U && z[n] > z[i]) high.push_back(i);
            });
        std::uint32_t labels = 0;
        for (const auto seed : low) {
            if (label[seed]) continue;
            std::vector<std::size_t> open{seed};
            label[seed] = ++labels;
            for (std::size_t k = 0; k < open.size(); ++k)
                z.extent().around(open[k], [&](std::size_t n, std::size_t) {
                    if (!is(n) || label[n] || z[n] != z[seed]) return;
                    label[n] = labels;
                    open.push_back(n);
                });
        }
        const auto away = rings(directions, high), near = rings(directions, low);
        std::vector<std::uint32_t> reach(labels + 1);
        for (std::size_t i = 0; i < z.size(); ++i) reach[label[i]] = std::max(reach[label[i]], away[i]);
        for (std::size_t i = 0; i < z.size(); ++i)
            if (label[i] && near[i]) relief[i] = 2 * near[i] + (away[i] ? reach[label[i]] - away[i] : 0);
    }

    grid<std::uint32_t> rings(const grid<std::uint8_t>& directions, std::vector<std::size_t> front) const {
        grid<std::uint32_t> ring{label.extent()};
        for (const auto i : front)
            if (label[i]) ring[i] = 1;
        for (std::size_t k = 0; k < front.size(); ++k)
            if (label[front[k]])
                label.extent().around(front[k], [&](std::size_t n, std::size_t) {
                    if (ring[n] || directions[n] != U || label[n] != label[front[k]]) return;
                    ring[n] = ring[front[k]] + 1;
                    front.push_back(n);
                });
        return ring;
    }
};

}  // namespace

TEST_CASE("a valley floor between walls drains to the east end, where it can") {
    const grid<int> dem{{9, 9, 9, 9, 9}, {9, 5, 5, 5, 4}, {9, 9, 9, 9, 9}};
    grid<std::uint8_t> directions{{S, S, S, S, S}, {E, U, U, E, E}, {N, N, N, N, N}};
    const auto found = resolve_flats(dem, directions);
    CHECK(directions == grid<std::uint8_t>{{S, S, S, S, S}, {E, E, E, E, E}, {N, N, N, N, N}});
    CHECK(found.flats == 1);
    CHECK(found.cells == 2);
    CHECK(found.undrained == 0);
}

TEST_CASE("a flat without a way down stays as it is") {
    const grid<int> dem{{9, 9, 9}, {9, 5, 9}, {9, 9, 9}};
    grid<std::uint8_t> directions{{S, S, S}, {E, U, W}, {N, N, N}};
    const auto found = resolve_flats(dem, directions);
    CHECK(directions(1, 1) == U);
    CHECK(found.flats == 0);
    CHECK(found.undrained == 1);
}

TEST_CASE("directions across flats fall down the relief of the book, to its lowest neighbour") {
    for (unsigned seed = 1; seed <= 300; ++seed) {
        auto dem = terrain::random_terrain<float>(seed, {4 + seed % 21, 3 + seed % 17}, 2 + static_cast<int>(seed % 4),
                                                  static_cast<int>(seed % 3) * 4);
        const auto land = terrain::land_of(dem);
        const auto sizes = terrain::unit_cells(dem.height());
        if (seed % 2) fill(dem, land, sizes, {});
        d8_report report;
        const auto directions = d8(dem, land, sizes, report);
        d8_report of_strips;
        CHECK(d8(dem, land, sizes, of_strips, {}, {.threads = seed % 3, .rows = 1 + seed % 5}) == directions);
        CHECK(of_strips.flats_resolved == report.flats_resolved);
        CHECK(of_strips.flat_cells_resolved == report.flat_cells_resolved);
        CHECK(of_strips.undrained == report.undrained);
        auto before = directions;  // as it was ahead of the flats: no drop to a lower neighbour, and no way out
        for (std::size_t i = 0; i < dem.size(); ++i) {
            if (directions[i] == no_terrain || is_outlet(land, i)) continue;
            bool lower = false;
            dem.extent().around(i, [&](std::size_t n, std::size_t) {
                lower = lower || (land[n] == footprint::terrain && dem[n] < dem[i]);
            });
            if (!lower) before[i] = U;
        }
        const by_the_book book{dem, before};
        for (std::size_t i = 0; i < dem.size(); ++i) {
            if (before[i] != U) continue;
            CAPTURE(seed, i);
            REQUIRE((directions[i] == U) == (book.label[i] == 0));
            if (directions[i] == U) continue;
            auto lowest = book.relief[i];
            dem.extent().around(i, [&](std::size_t n, std::size_t) {
                if (book.label[n] == book.label[i]) lowest = std::min(lowest, book.relief[n]);
            });
            const auto to = dem.extent().neighbour(i, directions[i]);
            REQUIRE(book.label[to] == book.label[i]);
            REQUIRE(book.relief[to] == lowest);
            REQUIRE(lowest < book.relief[i]);
        }
    }
}
