#include <datasets/gdal_grid.hpp>

#include "catch.hpp"

using namespace gdalmcp_datasets;
namespace sdk = gdalmcp::gdal;

namespace {

grid ten_metres(double x = 500000) {
    grid g;
    g.width = 100;
    g.height = 80;
    g.geotransform = {x, 10, 0, 4000000, 0, -10};
    g.crs = *sdk::parse_crs("EPSG:32633");
    return g;
}

}  // namespace

TEST_CASE("grids are the same whose cells lie less than a thousandth of a cell apart") {
    CHECK(same_grid(ten_metres(), ten_metres(500000.009)));
    CHECK_FALSE(same_grid(ten_metres(), ten_metres(500000.011)));
    auto finer = ten_metres();
    finer.geotransform[1] = 10.00009;  // 9 mm over the 100 columns
    CHECK(same_grid(ten_metres(), finer));
    finer.geotransform[1] = 10.0002;
    CHECK_FALSE(same_grid(ten_metres(), finer));
}

TEST_CASE("a raster of another size or CRS has another grid; one without a CRS fits any") {
    auto smaller = ten_metres();
    smaller.height = 79;
    CHECK_FALSE(same_grid(ten_metres(), smaller));
    auto next_zone = ten_metres();
    next_zone.crs = *sdk::parse_crs("EPSG:32634");
    CHECK_FALSE(same_grid(ten_metres(), next_zone));
    next_zone.crs.Clear();
    CHECK(same_grid(ten_metres(), next_zone));
}

TEST_CASE("where only the CRSs differ, the message says so and how to state the right one") {
    auto next_zone = ten_metres();
    next_zone.crs = *sdk::parse_crs("EPSG:32634");
    try {
        require_same_grid({"a.tif", ten_metres()}, {"b.tif", next_zone});
        FAIL("not refused");
    } catch (const gdalmcp::error& e) {
        CHECK(e.message.find("the cells agree and the CRSs differ: a.tif is in EPSG:32633") == 0);
        CHECK(e.hint.find(R"("src_crs": "EPSG:32633", "dst_crs": "EPSG:32633")") != std::string::npos);
    }
}

TEST_CASE("a rotated grid is compared by the length of its cells' sides") {
    auto turned = ten_metres();
    turned.geotransform = {500000, 6, 8, 4000000, 8, -6};
    auto moved = turned;
    moved.geotransform[0] += 0.009;
    CHECK(same_grid(turned, moved));
    moved.geotransform[0] += 0.009;
    CHECK_FALSE(same_grid(turned, moved));
}

TEST_CASE("the refusal names both rasters with size, cell, place and CRS") {
    const std::string first = "a.tif", second = "b.tif";
    const auto here = ten_metres(), there = ten_metres(500010);
    require_same_grid({first, here}, {second, here});
    try {
        require_same_grid({first, here}, {second, there});
        FAIL("the grids differ");
    } catch (const gdalmcp::error& e) {
        CHECK(e.status == GDALMCP_INVALID_ARGUMENT);
        CHECK(
            e.message ==
            "the grids differ: a.tif has 100 x 80 cells of 10 by 10 at 500000, 4000000 in EPSG:32633; b.tif has 100 x "
            "80 cells of 10 by 10 at 500010, 4000000 in EPSG:32633");
        CHECK(e.hint.find("align_to") != std::string::npos);
    }
    auto from_south = here;
    from_south.geotransform = {500000, 10, 0, 3999200, 0, 10};
    try {
        require_same_grid({first, here}, {second, from_south});
        FAIL("one runs from the south");
    } catch (const gdalmcp::error& e) {
        CHECK(
            e.message.starts_with("the rows of one run from the south, those of the other from the north: a.tif has"));
        CHECK(e.hint.find(R"("align_to": "a.tif", "resampling": "nearest")") != std::string::npos);
    }
}
