#include <datasets/gdal_cell_size.hpp>

#include "catch.hpp"

#include <gdalmcp/ellipsoid.hpp>

#include <cmath>

using namespace gdalmcp_datasets;
namespace sdk = gdalmcp::gdal;

namespace {

grid cell_at(const char* crs, double x, double y, double side) {
    grid g;
    g.width = g.height = 1;
    g.geotransform = {x, side, 0, y, 0, -side};
    g.crs = *sdk::parse_crs(crs);
    return g;
}

}  // namespace

TEST_CASE("a cell of 1 degree at 60 north is half as wide as high, and UTM has metres") {
    const auto degree = cell_size_of(cell_at("EPSG:4326", 10, 60.5, 1), 0, 0);
    REQUIRE(degree);
    CHECK(degree->width == Approx(55800).epsilon(0.001));  // 111.320 km cos 60, with the ellipsoid
    CHECK(degree->height == Approx(111412).epsilon(0.0005));
    const auto utm = cell_size_of(cell_at("EPSG:32633", 500000, 4000000, 10), 0, 0);
    REQUIRE(utm);
    CHECK(utm->width == Approx(10 / 0.9996).epsilon(1e-6));
    const auto feet = cell_size_of(cell_at("EPSG:2264", 2000000, 600000, 100), 0, 0);
    REQUIRE(feet);
    CHECK(feet->width == Approx(100 * 1200.0 / 3937).epsilon(3e-4));
    const auto mercator = cell_size_of(cell_at("EPSG:3857", -12579102, 4484000, 10), 0, 0);
    CHECK(100 / mercator->area() == Approx(1.583).epsilon(0.002));
}

TEST_CASE("the area of a cell between corners agrees with the closed form on the ellipsoid") {
    const auto cells = cell_ruler::of(cell_at("EPSG:4326", 10, 45, 0.01));
    REQUIRE(cells);
    constexpr double degree = 3.14159265358979323846 / 180;
    const gdalmcp::ellipsoid earth{6378137, 298.257223563};
    const double band = earth.zone_area(45 * degree) - earth.zone_area(44.99 * degree);
    CHECK(*cells->area(0, 0) == Approx(band * 0.01 * degree).epsilon(1e-6));
}

TEST_CASE("a degree that is a grad has its own length") {
    const auto grad = cell_size_of(cell_at("EPSG:4807", 0, 50, 1), 0, 0);  // 100 grads are 90 degrees
    REQUIRE(grad);
    CHECK(grad->height == Approx(0.9 * 111132).epsilon(0.001));
}

TEST_CASE("cells of unequal area are named from a twentieth on, those of an equal-area CRS never") {
    auto rows = cell_at("EPSG:4326", 10, 60, 1);
    CHECK(unequal_cells(rows).empty());
    rows.height = 2;  // cos 58.5° / cos 59.5° = 1.03
    CHECK(unequal_cells(rows).empty());
    rows.height = 10;  // cos 50.5° / cos 59.5° = 1.25
    CHECK(unequal_cells(rows).find("1.25 times the ground of the smallest") != std::string::npos);
    auto ease = cell_at("EPSG:6933", -17367530, 7342230, 100000);  // the pole is at 7342230
    ease.width = 347, ease.height = 147;
    CHECK(unequal_cells(ease).empty());
    auto mollweide = cell_at("ESRI:54009", -18050000, 9050000, 50000);
    mollweide.width = 722, mollweide.height = 362;
    CHECK(unequal_cells(mollweide).empty());
}

TEST_CASE("a cell without a CRS has no known size") {
    grid nowhere;
    nowhere.width = nowhere.height = 1;
    CHECK_FALSE(cell_ruler::of(nowhere));
    CHECK_FALSE(cell_size_of(nowhere, 0, 0));
}
