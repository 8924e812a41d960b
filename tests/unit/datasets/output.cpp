#include <datasets/gdal_output.hpp>

#include "catch.hpp"

#include <datasets/gdal_raster_source.hpp>

using namespace gdalmcp_datasets;
namespace sdk = gdalmcp::gdal;

namespace {

grid two_by_one() {
    GDALAllRegister();
    grid g;
    g.width = 2;
    g.height = 1;
    g.geotransform = {500000, 10, 0, 4000000, 0, -10};
    g.georeferenced = true;
    g.crs = *sdk::parse_crs("EPSG:32633");
    return g;
}

std::string message_of(const std::function<void()>& work) {
    try {
        work();
    } catch (const gdalmcp::error& e) {
        return e.message;
    }
    return {};
}

}  // namespace

TEST_CASE("a closed output holds its grid, cells, nodata value and tags, in tiles") {
    const std::string path = "/vsimem/written.tif";
    const auto on = two_by_one();
    raster_output out{path, on, GDT_Int16, 1};
    out.nodata(-1);
    out.tag({{"MADE_BY", "a test"}});
    std::array<std::int16_t, 2> cells{7, -1};
    REQUIRE(out.band(1).RasterIO(GF_Write, 0, 0, 2, 1, cells.data(), 2, 1, GDT_Int16, 0, 0, nullptr) == CE_None);
    out.close();
    const auto back = sdk::open(gdalmcp::raster{path});
    CHECK(same_grid(grid_of(*back), on));
    CHECK(shown_nodata(*back->GetRasterBand(1)) == -1);
    CHECK(std::string{back->GetMetadataItem("MADE_BY")} == "a test");
    int width = 0, height = 0;
    back->GetRasterBand(1)->GetBlockSize(&width, &height);
    CHECK(width == 256);
    VSIUnlink(path.c_str());
}

TEST_CASE("a band keeps its metadata: name, unit, scale, colours; less where a tool changes it") {
    const std::string path = "/vsimem/meaning.tif";
    const auto on = two_by_one();
    raster_output source{"/vsimem/source.tif", on, GDT_Byte, 1};
    auto& from = source.band(1);
    from.SetDescription("land cover");
    from.SetUnitType("m");
    from.SetScale(0.1);
    GDALColorTable colors;
    const GDALColorEntry red{255, 0, 0, 255};
    colors.SetColorEntry(1, &red);
    from.SetColorTable(&colors);
    for (const bool all : {true, false}) {
        raster_output out{path, on, GDT_Byte, 1};
        copy_meaning(from, out.band(1), {.scale = all, .palette = all});
        out.close();
        const auto back = sdk::open(gdalmcp::raster{path});
        auto& band = *back->GetRasterBand(1);
        CHECK(std::string{band.GetDescription()} == "land cover");
        CHECK(std::string{band.GetUnitType()} == "m");
        CHECK(band.GetScale() == (all ? 0.1 : 1));
        CHECK((band.GetColorTable() != nullptr) == all);
        VSIUnlink(path.c_str());
    }
}

TEST_CASE("a mask lies inside the file") {
    const std::string path = "/vsimem/masked.tif";
    raster_output out{path, two_by_one(), GDT_Byte, 1};
    out.mask();
    out.close();
    VSIStatBufL stat{};
    CHECK(VSIStatL((path + ".msk").c_str(), &stat) != 0);
    CHECK(sdk::open(gdalmcp::raster{path})->GetRasterBand(1)->GetMaskFlags() == GMF_PER_DATASET);
    VSIUnlink(path.c_str());
}

TEST_CASE("a format that is not written cell by cell is refused by its extension") {
    const auto on = two_by_one();
    for (const char* path : {"/vsimem/x.png", "/vsimem/x.nothing"})
        CHECK(message_of([&] { raster_output(path, on, GDT_Byte, 1); }).find("cell by cell") != std::string::npos);
    CHECK(message_of([&] { raster_output("/vsimem/x.vrt", on, GDT_Byte, 1); }).find("VRT") != std::string::npos);
}

TEST_CASE("a failed last write fails the call when the file is closed") {
    const auto on = two_by_one();
    CHECK(message_of([&] {
              auto* driver = GetGDALDriverManager()->GetDriverByName("GTiff");
              sdk::dataset_ptr full{driver->Create("/dev/full", 2, 1, 1, GDT_Byte, nullptr)};
              if (!full) sdk::raise("cannot create /dev/full");
              full->GetRasterBand(1)->Fill(1);
              close(std::move(full), "/dev/full");
          }).find("/dev/full") != std::string::npos);
}

TEST_CASE("a GeoPackage is one transaction, complete when it is closed") {
    GDALAllRegister();
    const std::string path = "/vsimem/rows.gpkg";
    auto out = create_vector(path, "GPKG");
    auto* layer = out->CreateLayer("rows", nullptr, wkbNone);
    REQUIRE(layer);
    OGRFeature row{layer->GetLayerDefn()};
    REQUIRE(layer->CreateFeature(&row) == OGRERR_NONE);
    close_vector(std::move(out), path);
    CHECK(sdk::open(gdalmcp::vector{path})->GetLayer(0)->GetFeatureCount() == 1);
    VSIUnlink(path.c_str());
    CHECK(message_of([] { create_vector("/vsimem/x", "NO_SUCH"); }).find("NO_SUCH") != std::string::npos);
}
