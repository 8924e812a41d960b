#include <raster/trial.hpp>

#include <cmath>

#include "catch.hpp"
#include "rasters.hpp"

#include <raster/gdal_trial_piece.hpp>

using namespace gdalmcp_raster;
namespace sdk = gdalmcp::gdal;

namespace {

cells of(const rasters::matrix& rows) {
    cells c{static_cast<int>(rows[0].size()), static_cast<int>(rows.size()), {}, {}};
    for (const auto& row : rows)
        for (const double v : row) {
            c.values.push_back(v);
            c.valid.push_back(v == -1 ? 0 : 255);
        }
    return c;
}

rasters::matrix filled(std::size_t columns, std::size_t rows, double value) {
    return rasters::matrix(rows, std::vector<double>(columns, value));
}

}  // namespace

TEST_CASE("a changed cell is one whose value differs where both have one") {
    CHECK(share_differing(of({{1, 2}, {3, -1}}), of({{1, 5}, {3, 7}})) == Approx(1.0 / 3));
    CHECK(share_differing(of({{-1}}), of({{1}})) == 0);
}

TEST_CASE("a value is foreign when no cell around its origin has it") {
    const auto in = of({{1, 1, 1, 9}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}});
    const auto out = of({{9, 9, 5, 1}});
    // From the corner cell; from its neighbour's neighbour; a value that is nowhere; a value that is.
    const std::vector<double> x{3.5, 1.5, 0.5, 2.5}, y{0.5, 0.5, 3.5, 2.5};
    CHECK(share_foreign(out, in, x, y, 1) == Approx(2.0 / 4));
    CHECK(share_foreign(out, in, x, y, 2) == Approx(1.0 / 4));
    CHECK(share_foreign(of({{-1}}), in, {0.5}, {0.5}, 1) == 0);
}

TEST_CASE("the class that lost or gained most, relative to what it had, is named") {
    const auto in = of({{1, 1, 1, 1, 1, 1, 2, 2, 3, 3}});
    const auto lost = largest_change(commonest(in), of({{1, 1, 1, 1, 1, 1, 1, 2, 3, 3}}));
    REQUIRE(lost);
    CHECK(lost->value == 2);
    CHECK(lost->relative() == Approx(-0.5));
    const auto gone = largest_change(commonest(in), of({{1, 1, 1, 1, 1, 2, 2, 2, 2, 7}}));
    CHECK(gone->value == 2);
    CHECK(gone->relative() == Approx(1));
    CHECK(largest_change(commonest(in), in)->relative() == Approx(0));
    CHECK_FALSE(largest_change(commonest(of({{-1}})), in));
}

TEST_CASE("of a hundred values at one per cent each, eight are followed") {
    rasters::matrix hundred(1);
    for (int v = 0; v < 100; ++v) hundred[0].push_back(v);
    CHECK(commonest(of(hundred)).size() == 8);
    hundred[0].push_back(7);  // every other value now has less than 1 %
    const auto common = commonest(of(hundred));
    REQUIRE(common.size() == 1);
    CHECK(common[0].value == 7);
    CHECK(common[0].share == Approx(2.0 / 101));
}

TEST_CASE("results differ by the share of unlike cells, a value on one side only included") {
    CHECK(share_unlike(of({{1, 2}, {3, -1}}), of({{1, 5}, {3, 7}})) == Approx(2.0 / 4));
    CHECK(share_unlike(of({{1, -1}}), of({{1, -1}})) == 0);
    CHECK(share_unlike(of({{-1}}), of({{-1}})) == 0);
}

TEST_CASE("the largest relative difference is that of the cell where results lie farthest apart") {
    // 10 against 9, and 4 against 5: a fifth of the larger.
    CHECK(largest_relative_difference({of({{10, 4}}), of({{9, 5}}), of({{10, 4}})}) == Approx(0.2));
    CHECK(largest_relative_difference({of({{0, 3}}), of({{0, 3}})}) == 0);
    CHECK(largest_relative_difference({of({{-4}}), of({{4}})}) == Approx(2));
    CHECK(largest_relative_difference({of({{5, -1}}), of({{5, -1}})}) == 0);
    CHECK(largest_relative_difference({of({{5, -1}}), of({{5, 8}})}) == Approx(0.01));  // a hole in one only
    // 1 m apart in heights from 3000 to 3002 m, as in the same heights above 0.
    CHECK(largest_relative_difference({of({{3000, 3001, 3002}}), of({{3000, 3002, 3002}})}) == Approx(0.5));
    CHECK(largest_relative_difference({of({{0, 1, 2}}), of({{0, 2, 2}})}) == Approx(0.5));
    CHECK(largest_relative_difference({of({{21, 22, 1e-9}}), of({{21, 22, -1e-9}})}) == 0);
    // One large value, such as an undeclared nodata value, hides no difference.
    CHECK(largest_relative_difference({of({{1, 4, 1e30}}), of({{1, 5, 1e30}})}) == Approx(0.2));
}

TEST_CASE("what a data type takes from values is measured by their standard deviation") {
    // 0.25 and 0.75 deviate by 0.25 from their mean, and so do 0 and 1 from them.
    CHECK(loss_of_type(of({{0, 1}}), of({{0.25, 0.75}})) == Approx(1));
    CHECK(loss_of_type(of({{100, 300}}), of({{100, 300}})) == 0);
    CHECK(loss_of_type(of({{1, 1}}), of({{1.2, 1.2}})) == 0);
    CHECK(loss_of_type(of({{255, 100, -1}}), of({{400, 100, 9}})) == Approx(145 / (150 * std::sqrt(2.0))));
}

TEST_CASE("range and variance are of the valid cells") {
    const auto r = range_of(of({{2, 4}, {-1, 9}}));
    REQUIRE(r);
    CHECK(r->min == 2);
    CHECK(r->max == 9);
    CHECK(r->variance == Approx(26.0 / 3));
    CHECK(r->mean == Approx(5));
    CHECK_FALSE(range_of(of({{-1}})));
}

TEST_CASE("figures of several results are of the cells that all of them fill") {
    std::vector<cells> results{of({{2, -1, 4}, {6, 8, -1}}), of({{-1, 1, 5}, {7, 9, 3}})};
    keep_common(results);
    CHECK(range_of(results[0])->mean == Approx((4 + 6 + 8) / 3.0));
    CHECK(range_of(results[1])->mean == Approx((5 + 7 + 9) / 3.0));
}

TEST_CASE("the gradient of a plane is its own, whatever the cell's shape") {
    rasters::matrix plane = filled(6, 5, 0);
    for (std::size_t y = 0; y < 5; ++y)
        for (std::size_t x = 0; x < 6; ++x)
            plane[y][x] = 100 + 3 * 10 * static_cast<double>(x) - 4 * 20 * static_cast<double>(y);
    CHECK(*steep_gradient(of(plane), 10, 20) == Approx(5));
    CHECK_FALSE(steep_gradient(of({{1, 2}, {3, 4}}), 1, 1));
    CHECK_FALSE(steep_gradient(of({{1, 1, 1}, {1, -1, 1}, {1, 1, 1}}), 1, 1));
}

TEST_CASE("the trial has at most 512 x 512 input cells and a meaningful output") {
    CHECK(trial_side(1, 4000, 4000) == 512);
    CHECK(trial_side(1, 100, 80) == 100);
    CHECK(trial_side(16, 4000, 4000) == 512);
    CHECK(trial_side(0.01, 4000, 4000) == 51);
    CHECK_FALSE(trial_side(1e5, 4000, 4000));  // not even 8 x 8 output cells
    CHECK_FALSE(trial_side(1e-6, 4000, 4000));
}

TEST_CASE("four times the cell size is sixteen input cells on the ground, in any CRS") {
    const auto source =
        rasters::make({filled(64, 64, 1)}, {.type = GDT_Byte, .geotransform = {500000, 10, 0, 4000640, 0, -10}});
    const auto same = plan_trial(*source, {}, {.resolution = {40}});
    CHECK(same.support == Approx(16).epsilon(1e-6));
    CHECK_FALSE(same.reprojected);
    // In Web Mercator a cell of 40 covers 40 cos(lat) metres.
    const auto mercator = plan_trial(*source, sdk::parse_crs("EPSG:3857"), {.resolution = {40}});
    CHECK(mercator.support == Approx(16 * std::pow(std::cos(36.1395 * 3.14159265 / 180), 2)).epsilon(0.01));
    CHECK(plan_trial(*source, sdk::parse_crs("EPSG:3857"), {}).support == Approx(1).epsilon(0.05));
}

TEST_CASE("columns and rows are cells of the whole raster, or of the extent wanted") {
    const auto source =
        rasters::make({filled(64, 64, 1)}, {.type = GDT_Byte, .geotransform = {500000, 10, 0, 4000640, 0, -10}});
    CHECK(plan_trial(*source, {}, {.width = 16, .height = 16}).support == Approx(16).epsilon(1e-3));
    CHECK(plan_trial(*source, {}, {.width = 16, .height = 64}).support == Approx(4).epsilon(1e-3));
    const auto square = plan_trial(*source, {}, {.width = 32});
    CHECK(square.cell_width == Approx(20).epsilon(1e-3));
    CHECK(square.cell_height == square.cell_width);
    const std::vector<double> quarter{500000, 4000320, 500320, 4000640};
    CHECK(plan_trial(*source, {}, {.width = 16, .height = 16, .bounds = quarter}).cell_width == Approx(20));
    const auto degrees = sdk::parse_crs("EPSG:4326");
    const auto there = plan_trial(*source, {}, {.width = 16, .bounds = {15, 36, 15.01, 36.01}, .bounds_crs = degrees});
    CHECK(there.cell_width == Approx(901 / 16.0).epsilon(0.01));  // a hundredth of a degree of longitude at 36 N
}

TEST_CASE("a trial without a cell size or another CRS is refused, and so is an absurd ratio") {
    const auto source = rasters::make({filled(20, 20, 1)});
    CHECK(rasters::refusal([&] { plan_trial(*source, {}, {}); }).status == GDALMCP_UNSUPPORTED);
    CHECK(rasters::refusal([&] { plan_trial(*source, sdk::parse_crs("EPSG:32633"), {}); }).status ==
          GDALMCP_UNSUPPORTED);
    CHECK(rasters::refusal([&] { plan_trial(*source, {}, {.resolution = {1e30}}); }).status == GDALMCP_UNSUPPORTED);
    const auto nowhere = rasters::make({filled(20, 20, 1)}, {.crs = ""});
    CHECK(rasters::refusal([&] { plan_trial(*nowhere, sdk::parse_crs("EPSG:3857"), {}); }).status ==
          GDALMCP_UNSUPPORTED);
    CHECK(plan_trial(*nowhere, {}, {.resolution = {20}}).support == Approx(4));
}

TEST_CASE("averaging 2 x 2 cells in a trial gives their means, nodata left out, and knows where they came from") {
    auto values = filled(32, 32, 0);
    for (std::size_t y = 0; y < 32; ++y)
        for (std::size_t x = 0; x < 32; ++x) values[y][x] = static_cast<double>(32 * y + x);
    for (const std::size_t y : {0U, 1U})
        for (const std::size_t x : {0U, 1U}) values[y][x] = -9;
    const auto source = rasters::make({values}, {.nodata = -9});
    const auto plan = plan_trial(*source, {}, {.resolution = {20}});
    const trial_piece piece{*source, 1, plan, source->GetRasterBand(1)->GetRasterDataType()};
    CHECK(piece.place() == window{0, 0, 32, 32});
    const auto out = piece.resampled("average");
    REQUIRE(out.columns == 16);
    REQUIRE(out.rows == 16);
    CHECK_FALSE(out.valid[0]);
    CHECK(out.valid[1]);
    CHECK(out.values[1] == Approx((2 + 3 + 34 + 35) / 4.0));
    std::vector<double> x, y;
    piece.origins(x, y);
    REQUIRE(x.size() == 256);
    CHECK(x[17] == Approx(3));
    CHECK(y[17] == Approx(3));
}

TEST_CASE("the trial goes where the raster has values") {
    auto values = filled(1300, 1300, -9);
    for (std::size_t y = 0; y < 400; ++y)
        for (std::size_t x = 900; x < 1300; ++x) values[y][x] = 5;
    const auto source = rasters::make({values}, {.type = GDT_Int16, .nodata = -9});
    const auto plan = plan_trial(*source, {}, {.resolution = {20}});
    CHECK(trial_piece{*source, 1, plan, GDT_Int16}.place() == window{788, 0, 512, 512});
    const auto empty = rasters::make({filled(40, 40, -9)}, {.nodata = -9});
    const auto none = plan_trial(*empty, {}, {.resolution = {20}});
    CHECK(rasters::refusal([&] { trial_piece{*empty, 1, none, GDT_Float32}; }).status == GDALMCP_UNSUPPORTED);
}

TEST_CASE("cells that an alpha band hides take no part in a trial") {
    auto alpha = filled(32, 32, 255);
    for (auto& row : alpha) std::fill(row.begin(), row.begin() + 16, 0);
    const auto source = rasters::make({filled(32, 32, 7), alpha}, {.type = GDT_Byte});
    source->GetRasterBand(2)->SetColorInterpretation(GCI_AlphaBand);
    const auto plan = plan_trial(*source, {}, {.resolution = {20}});
    const auto out = trial_piece{*source, 1, plan, GDT_Byte}.resampled("nearest");
    CHECK(out.valid[0] == 0);
    CHECK(out.valid[15] != 0);
}
