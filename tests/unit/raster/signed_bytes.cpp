#include <raster/arguments.hpp>

#include "catch.hpp"
#include "rasters.hpp"

namespace sdk = gdalmcp::gdal;

namespace {

// -128, -1, 0, 127 as bytes with a sign.
std::string signed_file(const rasters::folder& folder, std::optional<double> nodata) {
    GDALAllRegister();
    auto path = folder / "s8.tif";
    sdk::words options{"PIXELTYPE=SIGNEDBYTE"};
    const sdk::dataset_ptr d{
        GetGDALDriverManager()->GetDriverByName("GTiff")->Create(path.c_str(), 4, 1, 1, GDT_Byte, options.get())};
    REQUIRE(d);
    auto& band = *d->GetRasterBand(1);
    if (nodata) band.SetNoDataValue(*nodata);
    unsigned char cells[] = {128, 255, 0, 127};
    const auto type = band.GetRasterDataType();  // Int8 since GDAL 3.7
    REQUIRE(band.RasterIO(GF_Write, 0, 0, 4, 1, cells, 4, 1, type, 0, 0, nullptr) == CE_None);
    return path;
}

std::vector<int> valid_cells(GDALRasterBand& band) {
    unsigned char mask[4] = {};
    REQUIRE(band.GetMaskBand()->RasterIO(GF_Read, 0, 0, 4, 1, mask, 4, 1, GDT_Byte, 0, 0, nullptr) == CE_None);
    return {mask[0] != 0, mask[1] != 0, mask[2] != 0, mask[3] != 0};
}

}  // namespace

TEST_CASE("signed bytes are read with their sign") {
    const rasters::folder folder;
    const auto d = sdk::open(gdalmcp::raster{signed_file(folder, {})});
    auto& band = *d->GetRasterBand(1);
    CHECK(rasters::values(band) == rasters::matrix{{-128, -1, 0, 127}});
    CHECK(std::string{sdk::stored_type_name(band)} == "Int8");
    CHECK(band.GetMaskFlags() == GMF_ALL_VALID);
}

TEST_CASE("a nodata value of signed bytes marks its cells, by its sign or by its byte") {
    for (const double stored : {-1.0, 255.0}) {
        const rasters::folder folder;
        const auto d = sdk::open(gdalmcp::raster{signed_file(folder, stored)});
        auto& band = *d->GetRasterBand(1);
        CHECK(band.GetNoDataValue() == -1);
        CHECK(valid_cells(band) == std::vector<int>{1, 0, 1, 1});
    }
}

TEST_CASE("bytes without a sign are left alone") {
    const rasters::folder folder;
    const auto path = folder / "u8.tif";
    rasters::make({{{128, 255, 0, 127}}}, {.type = GDT_Byte, .path = path}).reset();
    const auto d = sdk::open(gdalmcp::raster{path});
    CHECK(d->GetRasterBand(1)->GetRasterDataType() == GDT_Byte);
    CHECK(rasters::values(*d->GetRasterBand(1)) == rasters::matrix{{128, 255, 0, 127}});
}
