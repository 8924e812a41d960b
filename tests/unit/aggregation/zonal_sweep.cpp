#include <aggregation/zonal_sweep.hpp>

#include "catch.hpp"

#include <map>

#include "outlines.hpp"

using namespace gdalmcp_aggregation;
using outlines::box;

namespace {

// A grid whose cell (row, column) holds what `value` says, read through a counter.
struct counted_grid {
    std::size_t rows, columns, block;
    std::function<double(std::size_t row, std::size_t column)> value;  // of band 1; others add 100 a band
    std::map<std::pair<std::size_t, std::size_t>, int> reads;          // of each stored block
    std::size_t largest = 0;                                           // cells of one read

    sweep_source source() {
        sweep_source s{rows, columns, block, block, {}, {}, {}};
        s.read = [this](int band, const window& w, block_values& into) {
            into = read(w);
            for (auto& v : into.value) v += 100 * (band - 1);
        };
        return s;
    }

    block_values read(const window& w) {
        block_values out;
        for (auto r = w.row / block; r <= (w.row + w.height - 1) / block; ++r)
            for (auto c = w.column / block; c <= (w.column + w.width - 1) / block; ++c) ++reads[{r, c}];
        largest = std::max(largest, w.size());
        for (auto r = w.row; r < w.row + w.height; ++r)
            for (auto c = w.column; c < w.column + w.width; ++c) {
                const double v = value(r, c);
                out.value.push_back(v);
                out.valid.push_back(v >= 0);
            }
        return out;
    }
};

struct swept {
    std::vector<std::vector<double>> values;  // of each zone, in the order of the statistics
    std::vector<std::vector<value_share>> classes;
    sweep_overlaps overlaps;
};

swept sweep_zones_of(counted_grid& grid, const std::vector<zone>& outlines, sweep_request asked,
                     const std::function<void(sweep_source&)>& change = {}) {
    swept out{
        std::vector<std::vector<double>>(outlines.size()), std::vector<std::vector<value_share>>(outlines.size()), {}};
    auto source = grid.source();
    if (change) change(source);
    sweep_zones zones;
    for (const auto& o : outlines) zones.where.push_back(enclosing(o, grid.rows, grid.columns));
    zones.outline = [&](std::size_t n) { return outlines[n]; };
    zones.seen = [&](std::size_t n, std::vector<zone_statistics>& found, bool whole) {
        if (!whole) return;
        for (auto& of_band : found)
            for (const auto s : asked.wanted)
                if (s != statistic::frac) out.values[n].push_back(of_band.value_of(s).value_or(-999));
        out.classes[n] = found[0].classes();
    };
    out.overlaps = sweep(source, asked, zones, [](double) {});
    return out;
}

double textured(std::size_t row, std::size_t column) {
    const auto v = (row * 7919 + column * 104729) % 1009;
    return v < 20 ? -1 : static_cast<double>(v) / 7;
}

std::vector<zone> many_zones(std::size_t n, double reach, double size) {
    std::mt19937 random{17};
    std::uniform_real_distribution<double> place{-0.1 * size, 1.1 * size}, radius{0.05 * reach, reach};
    std::vector<zone> all;
    for (std::size_t i = 0; i < n; ++i) {
        const point centre{place(random), place(random)};
        const double r = radius(random);
        polygon part{outlines::star(random, centre, 0.5 * r, r, 5 + static_cast<int>(i % 20)), {}};
        if (i % 3 == 0) part.holes.push_back(outlines::star(random, centre, 0.1 * r, 0.4 * r, 5));
        all.push_back({std::move(part)});
    }
    return all;
}

const std::vector<statistic> most{statistic::count,  statistic::sum,      statistic::mean,    statistic::stdev,
                                  statistic::median, statistic::majority, statistic::variety, statistic::frac};
const std::vector<statistic> plain{statistic::sum, statistic::mean, statistic::min, statistic::max};

sweep_request request(std::vector<statistic> wanted) {
    sweep_request r;
    r.wanted = std::move(wanted);
    r.bands = {1};
    return r;
}

}  // namespace

TEST_CASE("two zones of a small grid have the sums of their cells") {
    counted_grid grid{2, 3, 2, [](auto r, auto c) { return static_cast<double>(10 * r + c); }, {}};
    // Values {{0, 1, 2}, {10, 11, 12}}: the left half of column 0, and the cells (0, 1), (0, 2), (1, 1), (1, 2).
    const auto found = sweep_zones_of(grid, {{{box(0, 0, 0.5, 2), {}}}, {{box(1, 0, 3, 2), {}}}},
                                      request({statistic::count, statistic::sum, statistic::max}));
    CHECK(found.values[0] == std::vector<double>{1, 5, 10});
    CHECK(found.values[1] == std::vector<double>{4, 26, 12});
    CHECK(found.overlaps.cells == 0);
}

TEST_CASE("each block is read once however many zones lie in it, and none where no zone lies") {
    counted_grid grid{640, 640, 32, textured, {}};
    auto zones = many_zones(5000, 6, 640);
    const zone whole{{box(-5, -5, 700, 700), {}}};
    zones.push_back(whole);
    auto asked = request({statistic::sum});
    asked.cells_at_once = 32 * 320;
    sweep_zones_of(grid, zones, asked);
    CHECK(grid.reads.size() == 400);
    for (const auto& [block, times] : grid.reads) REQUIRE(times == 1);
    CHECK(grid.largest <= 4 * asked.cells_at_once);

    counted_grid sparse{640, 640, 32, textured, {}};
    sweep_zones_of(sparse, {{{box(33, 33, 40, 40), {}}}, {{box(610, 610, 620, 620), {}}}}, asked);
    CHECK(sparse.reads.size() == 2);
}

TEST_CASE("results do not depend on blocks, strips or threads, to the last bit") {
    const auto zones = many_zones(150, 60, 200);
    counted_grid reference{200, 200, 200, textured, {}};
    auto asked = request(GENERATE(as<std::vector<statistic>>{}, most, plain));
    asked.bands = GENERATE(as<std::vector<int>>{}, std::vector{1}, std::vector{1, 3, 2, 4});
    const auto expected = sweep_zones_of(reference, zones, asked);
    CHECK(expected.overlaps.cells > 0);
    for (const std::size_t block : {7u, 64u})
        for (const std::size_t threads : {1u, 3u})
            for (const std::size_t at_once : {1000u, 1000000u}) {
                CAPTURE(block, threads, at_once);
                counted_grid grid{200, 200, block, textured, {}};
                asked.threads = threads;
                asked.cells_at_once = at_once;
                const auto found = sweep_zones_of(grid, zones, asked);
                REQUIRE(found.values == expected.values);
                REQUIRE(found.overlaps.cells == expected.overlaps.cells);
                REQUIRE(found.overlaps.zones == expected.overlaps.zones);
                for (std::size_t z = 0; z < zones.size(); ++z) {
                    REQUIRE(found.classes[z].size() == expected.classes[z].size());
                    for (std::size_t i = 0; i < found.classes[z].size(); ++i)
                        REQUIRE(found.classes[z][i].cells == expected.classes[z][i].cells);
                }
            }
}

TEST_CASE("cells without a value in a run are left out, each for its reason, and the others added") {
    const auto value = [](std::size_t, std::size_t c) {
        return c == 20 ? -1 : c == 40 ? NAN : c == 60 ? INFINITY : static_cast<double>(c);
    };
    counted_grid grid{1, 100, 100, value, {}};
    auto source = grid.source();
    const auto outline = zone{{box(0, 0, 100, 1), {}}};
    bool seen = false;
    sweep_zones zones{{enclosing(outline, 1, 100)}, [&](std::size_t) { return outline; }, {}};
    zones.seen = [&](std::size_t, std::vector<zone_statistics>& found, bool) {
        seen = true;
        CHECK(found[0].cells() == 97);
        CHECK(found[0].value_of(statistic::sum) == 99 * 100 / 2 - 20 - 40 - 60);
        CHECK(found[0].value_of(statistic::max) == 99);
        CHECK(found[0].nodata() == 1);
        CHECK(found[0].nan() == 1);
        CHECK(found[0].infinite() == 1);
    };
    sweep(source, request(plain), zones, [](double) {});
    CHECK(seen);
}

TEST_CASE("zones that overlap are named in their order, with the cells covered twice") {
    counted_grid grid{4, 4, 2, [](auto, auto) { return 1.0; }, {}};
    const auto found = sweep_zones_of(
        grid, {{{box(0, 0, 2, 4), {}}}, {{box(2, 0, 4, 4), {}}}, {{box(1, 1, 3, 2), {}}}, {{box(9, 9, 10, 10), {}}}},
        request({statistic::count}));
    CHECK(found.overlaps.zones == std::vector<std::size_t>{0, 1, 2});
    CHECK(found.overlaps.cells == 2);
    CHECK(found.values[3].empty());  // beside the grid: never seen
}

TEST_CASE("extremes are located in the zone only, the same in every layout") {
    // The zone covers the two columns on the right; -1 has no data, and 4 occurs three times.
    const std::vector<std::vector<double>> cells{{9, -1, 1}, {9, 4, 4}, {2, 4, 2}};
    for (const std::size_t block : {1u, 2u, 3u}) {
        counted_grid grid{3, 3, block, [&](auto r, auto c) { return cells[r][c]; }, {}};
        auto asked = request({statistic::min_location, statistic::max_location});
        asked.cells_at_once = 1;
        auto source = grid.source();
        sweep_zones zones;
        zones.where = {{0, 1, 3, 2}};
        zones.outline = [](std::size_t) { return zone{{box(1, 0, 3, 3), {}}}; };
        std::optional<cell_place> lowest, highest;
        zones.seen = [&](std::size_t, std::vector<zone_statistics>& found, bool) {
            lowest = found[0].lowest();
            highest = found[0].highest();
        };
        sweep(source, asked, zones, [](double) {});
        REQUIRE(lowest);
        CHECK(std::pair{lowest->row, lowest->column} == std::pair<std::size_t, std::size_t>{0, 2});
        CHECK(std::pair{highest->row, highest->column} == std::pair<std::size_t, std::size_t>{1, 1});
    }
}

TEST_CASE("classes have the area of their cells, each cell by its share") {
    // Rows of 100 and 300 m2, classes {{1, 2}, {2, 2}}; the zone leaves out a quarter of the upper row.
    counted_grid grid{2, 2, 2, [](auto r, auto c) { return r + c > 0 ? 2.0 : 1.0; }, {}};
    const auto found =
        sweep_zones_of(grid, {{{box(0.5, 0, 2, 2), {}}}}, request({statistic::frac}), [](sweep_source& s) {
            s.cell_areas = [](std::size_t row, std::size_t, std::size_t length, double* areas) {
                std::fill_n(areas, length, row == 0 ? 100.0 : 300.0);
            };
        });
    REQUIRE(found.classes[0].size() == 2);
    CHECK(found.classes[0][0].value == 1);
    CHECK(found.classes[0][0].cells == 0.5);
    CHECK(found.classes[0][0].area == 50);
    CHECK(found.classes[0][1].cells == 2.5);
    CHECK(found.classes[0][1].area == 100 + 150 + 300);
}

TEST_CASE("cells below the requested coverage are left out, and an exception of a callback ends the sweep") {
    counted_grid grid{1, 3, 1, [](auto, auto c) { return static_cast<double>(c); }, {}};
    auto asked = request({statistic::count, statistic::sum});
    asked.least_share = 0.5;
    CHECK(sweep_zones_of(grid, {{{box(0.75, 0, 2.5, 1), {}}}}, asked).values[0] == std::vector<double>{1.5, 2});
    sweep_zones zones;
    zones.where = {{0, 0, 1, 3}};
    zones.outline = [](std::size_t) { return zone{{box(0, 0, 3, 1), {}}}; };
    zones.seen = [](std::size_t, std::vector<zone_statistics>&, bool) { throw std::runtime_error{"enough"}; };
    CHECK_THROWS_WITH(sweep(grid.source(), asked, zones, [](double) {}), "enough");
}
