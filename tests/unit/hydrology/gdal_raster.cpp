#include <hydrology/gdal_grid_output.hpp>

#include "catch.hpp"

#include <cmath>

using namespace gdalmcp_hydrology;

namespace {

using transform = std::array<double, 6>;

// A raster in memory, 3 x 2 cells, values 1..6 by row of the file.
struct memory_raster {
    std::string path;

    memory_raster(const char* crs, const transform& grid, std::string name = "/vsimem/dem.tif", int bands = 1)
        : path{std::move(name)} {
        GDALAllRegister();
        const gdalmcp::gdal::dataset_ptr file{
            GetGDALDriverManager()->GetDriverByName("GTiff")->Create(path.c_str(), 3, 2, bands, GDT_Float32, nullptr)};
        REQUIRE(file);
        auto t = grid;
        REQUIRE(file->SetGeoTransform(t.data()) == CE_None);
        if (*crs) {
            OGRSpatialReference srs;
            REQUIRE(srs.SetFromUserInput(crs) == OGRERR_NONE);
            REQUIRE(file->SetSpatialRef(&srs) == CE_None);
        }
        std::array<float, 6> values{1, 2, 3, 4, 5, 6};
        REQUIRE(file->GetRasterBand(1)->SetNoDataValue(5) == CE_None);
        REQUIRE(file->GetRasterBand(1)->RasterIO(GF_Write, 0, 0, 3, 2, values.data(), 3, 2, GDT_Float32, 0, 0) ==
                CE_None);
    }
    ~memory_raster() { VSIUnlink(path.c_str()); }

    gdal_raster open() const { return gdal_raster{gdalmcp::raster{path}, {}}; }
};

constexpr transform north_up{500000, 10, 0, 4000020, 0, -10}, south_up{500000, 10, 0, 4000000, 0, 10};

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const gdalmcp::error& e) {
        return e.message;
    }
    return "";
}

}  // namespace

TEST_CASE("grids are north-up, whatever the file is") {
    const memory_raster upright{"EPSG:32633", north_up};
    CHECK(upright.open().read<float>({}).values == grid<float>{{1, 2, 3}, {4, 5, 6}});
    CHECK(upright.open().centre(0, 0) == std::array{500005.0, 4000015.0});
    const memory_raster turned{"EPSG:32633", south_up};
    const auto raster = turned.open();
    CHECK(raster.read<float>({}).values == grid<float>{{4, 5, 6}, {1, 2, 3}});
    CHECK(raster.read<float>({}).valid(0, 1) == 0);
    CHECK(raster.centre(0, 0) == std::array{500005.0, 4000015.0});
    CHECK(raster.cell_text(0).find("row 1") != std::string::npos);
}

TEST_CASE("a large raster is read and written by several threads, south-up, with nodata and as other formats too") {
    constexpr int side = 2100;
    for (const auto& layout : {north_up, south_up})
        for (const auto type : {GDT_Float32, GDT_UInt16}) {
            const std::string path = "/vsimem/large.tif";
            GDALAllRegister();
            gdalmcp::gdal::dataset_ptr file{
                GetGDALDriverManager()->GetDriverByName("GTiff")->Create(path.c_str(), side, side, 1, type, nullptr)};
            REQUIRE(file);
            auto t = layout;
            REQUIRE(file->SetGeoTransform(t.data()) == CE_None);
            REQUIRE(file->GetRasterBand(1)->SetNoDataValue(7) == CE_None);
            std::vector<float> row(side);
            for (int r = 0; r < side; ++r) {
                for (int c = 0; c < side; ++c)
                    row[static_cast<std::size_t>(c)] = static_cast<float>((r * 31 + c) % 1000);
                REQUIRE(file->GetRasterBand(1)->RasterIO(GF_Write, 0, r, side, 1, row.data(), side, 1, GDT_Float32, 0,
                                                         0) == CE_None);
            }
            file.reset();
            const gdal_raster raster{gdalmcp::raster{path}, {}};
            const auto all = raster.read<float>({});
            const auto& values = all.values;
            for (std::size_t r = 0; r < side; ++r)
                for (std::size_t c = 0; c < side; ++c) {
                    const auto in_file = layout[5] > 0 ? side - 1 - r : r;
                    const auto expected = static_cast<float>((in_file * 31 + c) % 1000);
                    if (values(r, c) != expected || all.valid(r, c) != (expected != 7)) FAIL(r << ", " << c);
                }
            for (const std::string copy : {"/vsimem/copy.tif", "/vsimem/copy.img"}) {
                gdal_output out{copy, raster, GDT_Float32, 1};
                out.write(1, values, {});
                out.close();
                const gdal_raster back{gdalmcp::raster{copy}, {}};
                CHECK(back.read<float>({}).values == values);
                bool by_rows = true;
                back.read_rows<float>({}, [&](std::size_t r, const float* cells, const std::uint8_t*) {
                    by_rows = by_rows && std::equal(cells, cells + side, values.row(r));
                });
                CHECK(by_rows);
                VSIUnlink(copy.c_str());
            }
            VSIUnlink(path.c_str());
        }
}

TEST_CASE("tiles are those of the north-up grid, read and written") {
    for (const auto& grid_of_file : {north_up, south_up}) {
        const memory_raster file{"EPSG:32633", grid_of_file};
        const auto raster = file.open();
        const auto whole = raster.read<float>({});
        const auto corner = raster.read_tile<float>({1, 1, {2, 1}});
        CHECK(corner.values == grid<float>{{whole.values(1, 1), whole.values(1, 2)}});
        CHECK(corner.valid == grid<std::uint8_t>{{whole.valid(1, 1), whole.valid(1, 2)}});
        gdal_output written{"/vsimem/tiles.tif", raster, GDT_Float32, 1};
        for (const placed_tile& tile : {placed_tile{0, 2, {1, 2}}, placed_tile{0, 0, {2, 2}}})
            written.write(1, tile, raster.read_tile<float>(tile).values);
        written.close();
        const gdal_raster copy{gdalmcp::raster{"/vsimem/tiles.tif"}, {}};
        CHECK(copy.read<float>({}).values == whole.values);
        CHECK(copy.geotransform() == raster.geotransform());
        VSIUnlink("/vsimem/tiles.tif");
    }
}

TEST_CASE("the middle of a raster keeps its place, values and nodata, also of a chosen band and a south-up file") {
    const memory_raster upright{"EPSG:32633", north_up};
    auto middle = upright.open();
    middle.keep_middle(1);
    CHECK(middle.extent() == shape{1, 1});
    CHECK(middle.read<float>({}).values == grid<float>{{2}});
    CHECK(middle.centre(0, 0) == std::array{500015.0, 4000015.0});
    const memory_raster turned{"EPSG:32633", south_up};
    auto two = turned.open();
    two.keep_middle(2);
    CHECK(two.read<float>({}).values == grid<float>{{4, 5}, {1, 2}});
    CHECK(two.read<float>({}).valid == grid<std::uint8_t>{{1, 0}, {1, 1}});
    const memory_raster pair{"EPSG:32633", north_up, "/vsimem/two.tif", 2};
    gdal_raster second{gdalmcp::raster{pair.path}, 2};
    second.keep_middle(2);
    CHECK(second.read<float>({}).values == grid<float>{{0, 0}, {0, 0}});
}

TEST_CASE("bands of an output are stored one after the other") {
    const memory_raster input{"EPSG:32633", north_up};
    gdal_output out{"/vsimem/bands.tif", input.open(), GDT_UInt32, 2};
    CHECK(std::string{out.dataset().GetMetadataItem("INTERLEAVE", "IMAGE_STRUCTURE")} == "BAND");
    out.close();
    VSIUnlink("/vsimem/bands.tif");
}

TEST_CASE("an output lies on the grid of its input, south-up included") {
    for (const auto& layout : {north_up, south_up}) {
        const memory_raster input{"EPSG:32633", layout};
        const auto raster = input.open();
        const auto values = raster.read<float>({}).values;
        gdal_output out{"/vsimem/out.tif", raster, GDT_Float32, 1};
        out.tag({{"KEY", "kept"}});
        out.write(1, values, {});
        out.close();
        const gdal_raster back{gdalmcp::raster{"/vsimem/out.tif"}, {}};
        CHECK(back.geotransform() == raster.geotransform());
        CHECK(back.read<float>({}).values == values);
        CHECK(back.tag("KEY") == "kept");
        raster.require_same_grid(back);
        VSIUnlink("/vsimem/out.tif");
    }
}

TEST_CASE("a raster that cannot be read as a grid is refused and named") {
    const memory_raster rotated{"EPSG:32633", {500000, 10, 1, 4000020, 1, -10}};
    CHECK(message_of([&] { rotated.open(); }).find("rotated") != std::string::npos);
    const memory_raster two{"EPSG:32633", north_up, "/vsimem/two.tif", 2};
    CHECK(message_of([&] { two.open(); }).find("2 bands") != std::string::npos);
    CHECK(message_of([&] { gdal_raster(gdalmcp::raster{two.path}, 3); }).find("no band 3") != std::string::npos);
    const memory_raster here{"EPSG:32633", north_up},
        there{"EPSG:32633", {500010, 10, 0, 4000020, 0, -10}, "/vsimem/b.tif"};
    CHECK(message_of([&] { here.open().require_same_grid(there.open()); }).find("500010") != std::string::npos);
    CHECK(message_of([&] { gdal_output("/vsimem/x.nothing", here.open(), GDT_Byte, 1); }).find(".nothing") !=
          std::string::npos);
}

TEST_CASE("cells of a projected CRS that keeps lengths have the map's, whatever its unit, and areas on the ellipsoid") {
    const memory_raster metres{"EPSG:32633", north_up};
    const auto utm = measure_cells(metres.open());
    CHECK(utm.note.empty());
    CHECK(utm.sizes.width(0) == 10);
    CHECK(utm.sizes.area(0) == Approx(100 / (0.9996 * 0.9996)).epsilon(1e-6));  // the scale of the central meridian
    // California zone 5 in US survey feet.
    const memory_raster feet{"EPSG:2229", {6480000, 10, 0, 1840020, 0, -10}};
    CHECK(measure_cells(feet.open()).sizes.width(0) == Approx(10 * 1200.0 / 3937.0));
}

TEST_CASE("Web Mercator's cells are measured on the ellipsoid: 1.583 times too large at 37.3 N") {
    const double y = 4485000;  // 37.3 N
    const memory_raster mercator{"EPSG:3857", {-13600000, 100, 0, y + 100, 0, -100}};
    const auto measured = measure_cells(mercator.open());
    CHECK(10000 / measured.sizes.area(0) == Approx(1.583).epsilon(2e-3));
    CHECK(measured.note.find("EPSG:3857") != std::string::npos);
}

TEST_CASE("cells in degrees are measured on the ellipsoid, in a south-up file too") {
    const memory_raster upright{"EPSG:4326", {10, 1, 0, 51, 0, -1}},
        turned{"EPSG:4326", {10, 1, 0, 49, 0, 1}, "/vsimem/t.tif"};
    const auto a = measure_cells(upright.open()), b = measure_cells(turned.open());
    CHECK_FALSE(a.note.empty());
    CHECK(a.sizes.width(0) < a.sizes.width(1));
    CHECK(a.sizes.area(0) == b.sizes.area(0));
    const memory_raster beyond{"EPSG:4326", {500000, 10, 0, 4000020, 0, -10}, "/vsimem/beyond.tif"};
    CHECK(message_of([&] { measure_cells(beyond.open()); }).find("degrees of latitude") != std::string::npos);
}

TEST_CASE("height units are known in metres and feet, others are not guessed") {
    CHECK(metres_of("m") == 1.0);
    CHECK(metres_of("Metre") == 1.0);
    CHECK(metres_of("ft") == 0.3048);
    CHECK(metres_of("US survey foot") == 1200.0 / 3937.0);
    CHECK_FALSE(metres_of("fathom"));
    CHECK_FALSE(metres_of(""));
}
