#include <gdalmcp/gdal_area.hpp>
#include <gdalmcp/gdal_cell_area.hpp>

#include "catch.hpp"

namespace sdk = gdalmcp::gdal;

namespace {

using transform = std::array<double, 6>;

// The cell as a polygon, measured through the equal-area projection: another way to the same area.
double polygon_area(const char* crs, const transform& t, int column, int row) {
    OGRLinearRing ring;
    for (const auto& [i, j] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}})
        ring.addPoint(t[0] + (column + i) * t[1] + (row + j) * t[2], t[3] + (column + i) * t[4] + (row + j) * t[5]);
    OGRPolygon cell;
    cell.addRing(&ring);
    return sdk::ellipsoidal_area(cell, *sdk::parse_crs(crs)).value();
}

void check_cells(const char* crs, const transform& t, int columns, int rows) {
    INFO(crs);
    const auto areas = sdk::cell_areas::of(*sdk::parse_crs(crs), t, columns, rows);
    REQUIRE(areas);
    for (const int row : {0, 1, rows / 3, rows / 2, rows - 1})
        for (const int column : {0, columns / 3, columns - 1})
            CHECK(areas->at(column + 0.5, row) == Approx(polygon_area(crs, t, column, row)).epsilon(5e-5));
}

}  // namespace

TEST_CASE("a degree of latitude and longitude has the area of the ellipsoid") {
    const auto areas = sdk::cell_areas::of(*sdk::parse_crs("EPSG:4326"), {10, 1, 0, 50, 0, -1}, 3, 3);
    REQUIRE(areas);
    // Between 49 and 50 N on WGS 84, by Simpson's rule over the meridian in 2000 steps.
    CHECK(areas->at(0.5, 0) == Approx(8056245437.271024).epsilon(1e-12));
}

TEST_CASE("the rows of a world in degrees add up to the whole ellipsoid, south-up as well") {
    for (const double sign : {-1.0, 1.0}) {
        const auto areas =
            sdk::cell_areas::of(*sdk::parse_crs("EPSG:4326"), {-180, 1, 0, -90 * sign, 0, sign}, 360, 180);
        double sum = 0;
        for (int row = 0; row < 180; ++row) sum += 360 * areas->at(180, row);
        CHECK(sum == Approx(510065621724088.0).epsilon(1e-12));
    }
}

TEST_CASE("cells of projected grids have their true area, not that of the map") {
    check_cells("EPSG:3857", {0, 10000, 0, 10000000, 0, -10000}, 1000, 1000);
    check_cells("EPSG:3857", {-20037508, 40075.016, 0, 20037508, 0, -40075.016}, 1000, 1000);
    check_cells("EPSG:32612", {300000, 30, 0, 4200000, 0, -30}, 3000, 3000);
    check_cells("EPSG:2264", {2000000, 100, 0, 500000, 0, -100}, 1000, 1000);      // US survey feet
    check_cells("EPSG:3413", {-1000000, 1000, 0, 1000000, 0, -1000}, 2000, 2000);  // the pole is in the middle
    check_cells("EPSG:32633", {500000, 20, 10, 5000000, 10, -20}, 500, 500);       // rotated
    check_cells("EPSG:4326", {10, 0.02, 0.01, 50, 0.01, -0.02}, 100, 100);         // rotated, in degrees
    check_cells("EPSG:6933", {-17000000, 100000, 0, 7000000, 0, -100000}, 340, 140);
}

TEST_CASE("without a CRS, or in one of a building site, there is no true area") {
    CHECK_FALSE(sdk::cell_areas::of(OGRSpatialReference{}, {0, 1, 0, 0, 0, -1}, 3, 3));
    OGRSpatialReference local;
    REQUIRE(local.SetFromUserInput("LOCAL_CS[\"site\",UNIT[\"metre\",1]]") == OGRERR_NONE);
    CHECK_FALSE(sdk::cell_areas::of(local, {0, 1, 0, 0, 0, -1}, 3, 3));
}

TEST_CASE("the area of cells side by side is the sum of theirs") {
    for (const auto& [crs, t] : {std::pair{"EPSG:4326", transform{10, 0.5, 0, 50, 0, -0.5}},
                                 {"EPSG:3857", {0, 10000, 0, 10000000, 0, -10000}},
                                 {"EPSG:32612", {300000, 3000, 0, 4200000, 0, -3000}},
                                 {"EPSG:32633", {500000, 200, 100, 5000000, 100, -200}}}) {
        INFO(crs);
        const auto areas = sdk::cell_areas::of(*sdk::parse_crs(crs), t, 70, 50);
        REQUIRE(areas);
        for (const int row : {0, 17, 49}) {
            for (const auto& [from, to] : {std::pair{0, 1}, {0, 70}, {13, 16}, {68, 70}, {9, 61}}) {
                double sum = 0;
                for (int column = from; column < to; ++column) sum += areas->at(column + 0.5, row);
                CHECK(areas->of_run(from, to - from, row) == Approx(sum).epsilon(1e-6));
            }
        }
    }
}

TEST_CASE("the areas of cells range as the parallels do, on either side of the equator") {
    // Rows from 40 to 51 south; a cell at latitude φ is about cos φ wide.
    const auto south = sdk::cell_areas::extremes(*sdk::parse_crs("EPSG:4326"), {10, 1, 0, -40, 0, -1}, 1, 11);
    REQUIRE(south);
    CHECK((*south)[0] / (*south)[1] == Approx(std::cos(50.5 / 57.2958) / std::cos(40.5 / 57.2958)).epsilon(0.005));
    const auto world = sdk::cell_areas::extremes(*sdk::parse_crs("EPSG:4326"), {-180, 1, 0, 90, 0, -1}, 360, 180);
    REQUIRE(world);
    CHECK((*world)[1] > 100 * (*world)[0]);
}

TEST_CASE("in an equal-area CRS cells that touch the pole are as large as all others, and one across it has its part") {
    // EPSG:6933 ends at y = 7342230.14. 50 rows of 100 km from there, and from 10 km beyond it.
    const auto crs = *sdk::parse_crs("EPSG:6933");
    const auto whole = sdk::cell_areas::of(crs, {-17300000, 100000, 0, 7342230.136, 0, -100000}, 346, 50);
    REQUIRE(whole);
    for (const int row : {0, 1, 49})
        for (const int column : {0, 345}) CHECK(whole->at(column + 0.5, row) == Approx(1e10).epsilon(1e-4));
    const auto cut = sdk::cell_areas::of(crs, {-17300000, 100000, 0, 7352230.136, 0, -100000}, 346, 50);
    REQUIRE(cut);
    CHECK(cut->at(7.5, 0) == Approx(0.9e10).epsilon(0.05));
    CHECK(cut->at(7.5, 1) == Approx(1e10).epsilon(1e-6));
}

TEST_CASE("the cells of a map of the world add up to the Earth, whatever its outline") {
    constexpr double earth = 510065621724088.0;
    for (const auto& [name, x, y] : {std::tuple{"ESRI:54009", 18050000, 9050000}, {"EPSG:8857", 17250000, 8400000}}) {
        INFO(name);
        constexpr int size = 200000;
        const int columns = 2 * x / size + 1, rows = 2 * y / size + 1;
        const auto areas =
            sdk::cell_areas::of(*sdk::parse_crs(name), {-1.0 * x, size, 0, 1.0 * y, 0, -1.0 * size}, columns, rows);
        REQUIRE(areas);
        double sum = 0;
        for (int row = 0; row < rows; ++row)
            for (int column = 0; column < columns; ++column)
                if (const double area = areas->at(column + 0.5, row); std::isfinite(area)) sum += area;
        CHECK(sum == Approx(earth).epsilon(2e-4));
    }
}

TEST_CASE("cells beyond the antimeridian of a cylindrical map have the area of the ground a turn away") {
    const auto areas =
        sdk::cell_areas::of(*sdk::parse_crs("EPSG:3857"), {20000000, 10000, 0, -1900000, 0, -10000}, 20, 3);
    REQUIRE(areas);
    CHECK(areas->at(19.5, 1) == Approx(areas->at(0.5, 1)).epsilon(1e-6));
}
