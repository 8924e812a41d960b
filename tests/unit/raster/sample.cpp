#include <raster/cell_sample.hpp>
#include <raster/gdal_cell_values.hpp>
#include <raster/gdal_sample_frame.hpp>
#include <raster/gdal_sample_points.hpp>
#include <raster/sample_estimate.hpp>

#include "catch.hpp"
#include "rasters.hpp"

#include <cmath>

using namespace gdalmcp_raster;
using rasters::make;
using rasters::matrix;

namespace {

const auto quiet_progress = [](double) {};

using cell_list = std::vector<std::int64_t>;
using sizes = std::map<std::int64_t, std::int64_t>;

cell_list numbers(const std::vector<drawn_cell>& cells) {
    cell_list all;
    for (const auto& c : cells) all.push_back(c.cell);
    return all;
}

// Of the cells 0 to 24.
cell_list drawn(std::uint64_t seed, std::int64_t n, bool backwards = false) {
    cell_draw draw{seed, {{0, n}}};
    for (std::int64_t i = 0; i < 25; ++i) draw.see(0, backwards ? 24 - i : i);
    return numbers(draw.cells());
}

matrix counting(std::size_t rows, std::size_t columns) {
    matrix m(rows, std::vector<double>(columns));
    for (std::size_t i = 0; i < rows * columns; ++i) m[i / columns][i % columns] = static_cast<double>(i);
    return m;
}

}  // namespace

TEST_CASE("cells have the published numbers of SplitMix64") {
    CHECK(cell_number(0, 0) == 0xe220a8397b1dcdaf);
    CHECK(cell_number(0, 1) == 0x6e789e6aa1b965f4);
    CHECK(cell_number(1234567, 0) == 6457827717110365317U);
    CHECK(cell_number(1234567, 1) == 3203168211198807973U);
}

TEST_CASE("seed 1 draws these of 25 cells, on every machine") {
    CHECK(drawn(1, 5) == cell_list{8, 15, 20, 21, 23});
    CHECK(drawn(2, 5) == cell_list{8, 15, 16, 19, 20});
    // In whatever order they are seen, and a larger sample holds the smaller one.
    CHECK(drawn(1, 5, true) == drawn(1, 5));
    CHECK(drawn(1, 8) == cell_list{8, 10, 14, 15, 20, 21, 23, 24});
    CHECK(drawn(1, 25).size() == 25);
    CHECK(drawn(1, 99).size() == 25);
    cell_draw one{1, {{0, 5}}}, other{1, {{0, 5}}};
    for (std::int64_t i = 0; i < 25; ++i) (i % 3 ? one : other).see(0, i);
    one.merge(other);
    CHECK(numbers(one.cells()) == drawn(1, 5));
}

TEST_CASE("every cell is drawn equally often over many seeds") {
    std::vector<int> times(25, 0);
    for (std::uint64_t seed = 0; seed < 4000; ++seed)
        for (const auto cell : drawn(seed, 5)) ++times[static_cast<std::size_t>(cell)];
    // Chi-square with 24 degrees of freedom, times (1 - 5/25) for draws without replacement: above 51 once in a
    // thousand.
    double chi_square = 0;
    for (const int t : times) chi_square += (t - 800.0) * (t - 800.0) / 800.0;
    CHECK(chi_square < 51);
}

TEST_CASE("samples of strata, masked cells and areas of a raster of 5 x 5 cells") {
    const auto cells = make({counting(5, 5)}, {.type = GDT_Float32});
    sample_frame frame{{cells->GetRasterBand(1)}, {}, nullptr};
    CHECK(frame.measure(nullptr, quiet_progress).at(0).count == 25);
    CHECK(numbers(frame.draw(1, {{0, 5}}, quiet_progress)) == cell_list{8, 15, 20, 21, 23});

    // Columns 0 and 1 are stratum 1, the others stratum 2.
    const auto classes = make({matrix(5, {1, 1, 2, 2, 2})}, {.type = GDT_Byte});
    frame.strata.emplace("c.tif", *classes->GetRasterBand(1), "");
    const auto strata = frame.measure(nullptr, quiet_progress);
    CHECK((strata.at(1).count == 10 && strata.at(2).count == 15));
    CHECK(frame.draw(1, {{1, 2}, {2, 3}}, quiet_progress) ==
          std::vector<drawn_cell>{{8, 2}, {20, 1}, {21, 1}, {23, 2}, {24, 2}});

    auto holes = counting(5, 5);
    holes[1][3] = holes[4][0] = -9999;  // cells 8 and 20
    holes[0][0] = INFINITY;
    const auto with_holes = make({holes}, {.type = GDT_Float32, .nodata = -9999});
    sample_frame valid{{with_holes->GetRasterBand(1)}, {}, nullptr};
    CHECK(valid.measure(nullptr, quiet_progress).at(0).count == 22);
    CHECK(numbers(valid.draw(1, {{0, 5}}, quiet_progress)) == cell_list{10, 15, 21, 23, 24});

    grid on = grid_of(*cells);
    const zone_mask zone{*gdalmcp::gdal::detail::rectangle(500010, 4000000, 500030, 4000020), on,
                         false};  // 2 x 2 cells
    sample_frame inside{{cells->GetRasterBand(1)}, {}, &zone};
    CHECK(inside.measure(nullptr, quiet_progress).at(0).count == 4);
    CHECK(numbers(inside.draw(1, {{0, 4}}, quiet_progress)) == cell_list{6, 7, 11, 12});
}

TEST_CASE("a systematic sample begins at the start of its seed") {
    const auto cells = make({counting(5, 5)}, {.type = GDT_Float32});
    sample_frame frame{{cells->GetRasterBand(1)}, {}, nullptr};
    CHECK((systematic_start(1, 0, 2) == 1 && systematic_start(1, 1, 2) == 1));
    CHECK(numbers(frame.draw_systematic(1, 2, quiet_progress)) == cell_list{6, 8, 16, 18});
    CHECK((systematic_start(1, 0, 3) == 1 && systematic_start(1, 1, 3) == 2));
    CHECK(numbers(frame.draw_systematic(1, 3, quiet_progress)) == cell_list{7, 22});
    CHECK(frame.draw_systematic(1, 1, quiet_progress).size() == 25);
}

TEST_CASE("strata share a sample in proportion, with a minimum") {
    CHECK(allocation({{1, 50}, {2, 30}, {3, 20}}, 10, 0) == sizes{{1, 5}, {2, 3}, {3, 2}});
    CHECK(allocation({{1, 90}, {2, 9}, {3, 1}}, 10, 2) == sizes{{1, 7}, {2, 2}, {3, 1}});
    CHECK(allocation({{1, 1}, {2, 1}, {3, 1}}, 2, 0) == sizes{{1, 1}, {2, 1}, {3, 0}});
    CHECK(allocation({{1, 4}, {2, 6}}, 10, 3) == sizes{{1, 4}, {2, 6}});
    CHECK(allocation({{7, 40}}, 3, 2) == sizes{{7, 3}});
}

TEST_CASE("standard errors by the design") {
    // Cochran: s² = 2.5 of 1 … 5; of 10 cells the error is sqrt((1 - 5/10) 2.5 / 5) = 0.5.
    const auto five = moments_of_sample({1, 2, 3, 4, 5});
    CHECK(five.mean == 3.0);
    CHECK(*five.stdev_sample == Approx(std::sqrt(2.5)));
    CHECK(*standard_error(five, 10) == Approx(0.5));
    CHECK(*standard_error(five, 5) == 0);
    CHECK_FALSE(standard_error(moments_of_sample({7}), 10));
    CHECK_FALSE(standard_error(moments_of_sample({}), 10));

    // Weights 0.25 and 0.75; s² of {0, 2} is 2, of {3, 5, 7} 4.
    const auto both = stratified_estimate({{4, moments_of_sample({0, 2})}, {12, moments_of_sample({3, 5, 7})}});
    CHECK(*both.mean == Approx(4.0));
    CHECK(*both.standard_error == Approx(std::sqrt(0.0625 * 0.5 * 2 / 2 + 0.5625 * 0.75 * 4 / 3)));
    const auto single = stratified_estimate({{4, moments_of_sample({0, 2})}, {12, moments_of_sample({5})}});
    CHECK((single.mean && !single.standard_error));
    CHECK_FALSE(stratified_estimate({{4, moments_of_sample({})}, {12, moments_of_sample({5})}}).mean);
}

TEST_CASE("values at cells, in the order asked") {
    const auto cells =
        make({matrix{{1, 2, -1}, {4, 5, 6}}, matrix{{10, 20, 30}, {40, NAN, 60}}}, {.type = GDT_Float32, .nodata = -1});
    cells->GetRasterBand(2)->SetScale(0.5);
    cells->GetRasterBand(2)->SetOffset(1);
    const auto v =
        values_at({cells->GetRasterBand(1), cells->GetRasterBand(2)}, {{1, 2}, {0, 2}, {1, 1}, {0, 0}}, quiet_progress);
    using row = std::vector<std::optional<double>>;
    CHECK(v == std::vector<row>{{6.0, 31.0}, {std::nullopt, 16.0}, {5.0, std::nullopt}, {1.0, 6.0}});
}

TEST_CASE("a point lies in the cell whose upper left edges it may touch") {
    grid g;
    g.width = 3;
    g.height = 2;
    g.geotransform = {100, 10, 0, 50, 0, -10};
    CHECK(cell_of(g, 100, 50) == cell_place{0, 0});
    CHECK(cell_of(g, 110, 45) == cell_place{0, 1});
    CHECK(cell_of(g, 129.9, 30.1) == cell_place{1, 2});
    CHECK_FALSE(cell_of(g, 130, 45));
    CHECK_FALSE(cell_of(g, 115, 30));
    CHECK_FALSE(cell_of(g, NAN, 45));
    CHECK(centre_of(g, {1, 2}) == std::array{125.0, 35.0});
    g.geotransform = {100, 10, 0, 30, 0, 10};  // south up
    CHECK(cell_of(g, 105, 45) == cell_place{1, 0});
    g.geotransform = {0, 120, 0, 90, 0, -90};  // 0 to 360 degrees
    g.crs = *gdalmcp::gdal::parse_crs("OGC:CRS84");
    CHECK(cell_of(g, -10, 45) == cell_place{0, 2});
    CHECK(cell_of(g, 370, -45) == cell_place{1, 0});
}
