#include <raster/gdal_zone_mask.hpp>

#include "catch.hpp"
#include "rasters.hpp"

using namespace gdalmcp_raster;

namespace {

// Cells of 10 m from (500000, 4000030) down; x and y below count from (500000, 4000000).
grid cells(int width, int height) {
    grid g;
    g.width = width;
    g.height = height;
    g.geotransform = {500000, 10, 0, 4000000.0 + 10 * height, 0, -10};
    g.georeferenced = true;
    g.crs = *gdalmcp::gdal::parse_crs("EPSG:32633");
    return g;
}

gdalmcp::gdal::geometry_ptr shape(const std::string& wkt) {
    GDALAllRegister();
    OGRGeometry* g = nullptr;
    REQUIRE(OGRGeometryFactory::createFromWkt(wkt.c_str(), nullptr, &g) == OGRERR_NONE);
    return gdalmcp::gdal::geometry_ptr{g};
}

std::string drawn(const zone_mask& z) {
    std::vector<unsigned char> cells;
    z.read(0, z.bounds().height, cells);
    std::string s;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i && i % static_cast<std::size_t>(z.bounds().width) == 0) s += '/';
        s += cells[i] ? '#' : '.';
    }
    return s;
}

const std::string triangle = "POLYGON ((500000 4000000, 500040 4000000, 500000 4000030, 500000 4000000))";

}  // namespace

TEST_CASE("cells whose centre is inside are selected") {
    CHECK(drawn(zone_mask{*shape(triangle), cells(4, 3), false}) == "#.../##../###.");
}

TEST_CASE("with all_touched cells on the edge are selected too") {
    CHECK(drawn(zone_mask{*shape(triangle), cells(4, 3), true}) == "##../###./####");
}

TEST_CASE("a box along cell edges selects those cells and has their window") {
    const zone_mask z{
        *shape("POLYGON ((500010 4000000, 500030 4000000, 500030 4000020, 500010 4000020, 500010 4000000))"),
        cells(4, 3), false};
    CHECK(z.bounds() == window{1, 1, 2, 2});
    CHECK(drawn(z) == "##/##");
    CHECK(z.outside_share() == 0);
}

TEST_CASE("a hole is a hole") {
    const zone_mask z{
        *shape("POLYGON ((500000 4000000, 500030 4000000, 500030 4000030, 500000 4000030, 500000 4000000),"
               "(500010 4000010, 500010 4000020, 500020 4000020, 500020 4000010, 500010 4000010))"),
        cells(3, 3), false};
    CHECK(drawn(z) == "###/#.#/###");
}

TEST_CASE("strips of a mask are the rows of the whole") {
    const zone_mask z{*shape(triangle), cells(4, 3), false};
    std::vector<unsigned char> last;
    z.read(2, 1, last);
    CHECK(last == std::vector<unsigned char>{1, 1, 1, 0});
}

TEST_CASE("the share outside the grid is reported") {
    const zone_mask z{
        *shape("POLYGON ((500020 4000000, 500060 4000000, 500060 4000030, 500020 4000030, 500020 4000000))"),
        cells(4, 3), false};
    CHECK(z.outside_share() == Approx(0.5));
    CHECK(z.bounds() == window{2, 0, 2, 3});
}

TEST_CASE("no overlap is refused with the raster's extent in both CRSs") {
    const auto far = shape("POLYGON ((600000 4000000, 600010 4000000, 600010 4000010, 600000 4000000))");
    const auto e = rasters::refusal([&] { zone_mask{*far, cells(4, 3), false}; });
    CHECK(e.status == GDALMCP_INVALID_ARGUMENT);
    CHECK(e.message.find("[500000,4000000,500040,4000030] in EPSG:32633") != std::string::npos);
    CHECK(e.message.find("in OGC:CRS84") != std::string::npos);
}

TEST_CASE("a polygon that only shares an edge with the raster does not overlap it") {
    const auto beside =
        shape("POLYGON ((500040 4000000, 500050 4000000, 500050 4000010, 500040 4000010, 500040 4000000))");
    CHECK(rasters::refusal([&] {
              zone_mask{*beside, cells(4, 3), false};
          }).message.find("does not overlap") != std::string::npos);
}

TEST_CASE("a polygon without a cell centre is refused with a hint, and all_touched takes its cell") {
    const auto tiny = shape("POLYGON ((500001 4000001, 500002 4000001, 500002 4000002, 500001 4000001))");
    CHECK(rasters::refusal([&] {
              zone_mask{*tiny, cells(4, 3), false};
          }).hint.find("all_touched") != std::string::npos);
    CHECK(zone_mask{*tiny, cells(4, 3), true}.bounds() == window{0, 2, 1, 1});
}

TEST_CASE("a point selects its cell") {
    CHECK(zone_mask{*shape("POINT (500035 4000005)"), cells(4, 3), false}.bounds() == window{3, 2, 1, 1});
}

TEST_CASE("on a south-up grid rows count from the south") {
    auto g = cells(4, 3);
    g.geotransform = {500000, 10, 0, 4000000, 0, 10};
    CHECK(drawn(zone_mask{*shape(triangle), g, false}) == "###./##../#...");
}

TEST_CASE("on a rotated grid the polygon is followed all the same") {
    auto g = cells(2, 2);
    g.geotransform = {0, 0, 10, 0, 10, 0};  // columns run north, rows run east
    g.crs.Clear();
    const zone_mask z{*shape("POLYGON ((0 0, 20 0, 20 10, 0 10, 0 0))"), g, false};
    CHECK(drawn(z) == "#/#");
    CHECK(z.bounds() == window{0, 0, 1, 2});
}

TEST_CASE("points and lines that coincide are not outside the raster") {
    CHECK(zone_mask{*shape("MULTIPOINT ((500005 4000005), (500005 4000005), (500035 4000025))"), cells(4, 3), false}
              .outside_share() == 0);
    CHECK(zone_mask{*shape("MULTILINESTRING ((500005 4000005, 500035 4000005), (500005 4000005, 500035 4000005))"),
                    cells(4, 3), false}
              .outside_share() == 0);
    CHECK(zone_mask{*shape("MULTIPOINT ((500005 4000005), (500005 4000005), (600000 4000025))"), cells(4, 3), false}
              .outside_share() == Approx(0.5));
}

TEST_CASE("what lies outside is told as a share that never rounds to all or nothing") {
    const auto told = [](const char* wkt) { return zone_mask{*shape(wkt), cells(4, 3), true}.outside_text("counted"); };
    const std::string end = " % of the geometry lies outside the raster and is not counted";
    CHECK(told("POLYGON ((500000 4000000, 500080 4000000, 500080 4000030, 500000 4000030, 500000 4000000))") ==
          "50" + end);
    CHECK(told("POLYGON ((400000 3900000, 600000 3900000, 600000 4100000, 400000 4100000, 400000 3900000))") ==
          "more than 99.9" + end);
    CHECK(told("POLYGON ((500000 4000000, 500010 4000000, 500010 4000030, 500000 4000030, 500000 4000000))").empty());
}
