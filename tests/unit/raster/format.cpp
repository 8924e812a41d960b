#include <datasets/gdal_raster_format.hpp>

#include "catch.hpp"
#include "rasters.hpp"

#include <raster/gdal_compression.hpp>

using namespace gdalmcp_datasets;
using namespace gdalmcp_raster;

TEST_CASE("extensions mean drivers, in any case") {
    GDALAllRegister();
    CHECK(std::string{driver_for("a.tif").GetDescription()} == "GTiff");
    CHECK(std::string{driver_for("a.TIFF").GetDescription()} == "GTiff");
    CHECK(std::string{driver_for("a.png").GetDescription()} == "PNG");
    CHECK(std::string{driver_for("a.tif", "COG").GetDescription()} == "COG");
    CHECK(rasters::refusal([] { driver_for("a.xyzzy"); }).message.find(".xyzzy") != std::string::npos);
    CHECK(rasters::refusal([] { driver_for("a.tif", "NoSuch"); }).message.find("NoSuch") != std::string::npos);
    CHECK(rasters::refusal([] { driver_for("a.VRT"); }).message.find("a VRT holds no cells") == 0);
    CHECK(rasters::refusal([] { driver_for("a.tif", "vrt"); }).message.find("a VRT holds no cells") == 0);
}

TEST_CASE("predictors follow the data type, and classes have none") {
    GDALAllRegister();
    auto& geotiff = driver_for("a.tif");
    const auto options = [&](GDALDataType type, bool classes) {
        return packing_options({"DEFLATE", {}, {}, classes}, geotiff, type);
    };
    CHECK(options(GDT_Int16, false) == std::vector<std::string>{"COMPRESS=DEFLATE", "PREDICTOR=2"});
    CHECK(options(GDT_Float32, false) == std::vector<std::string>{"COMPRESS=DEFLATE", "PREDICTOR=3"});
    CHECK(options(GDT_Byte, true) == std::vector<std::string>{"COMPRESS=DEFLATE"});
}

TEST_CASE("JPEG is refused for anything but bytes without palette, quality for what has none") {
    auto& geotiff = (GDALAllRegister(), driver_for("a.tif"));
    const auto d = rasters::make({{{1, 2}}}, {.type = GDT_Int16});
    CHECK(rasters::refusal([&] {
              check_packing({"JPEG", {}, {}, false}, geotiff, *d);
          }).message.find("Int16") != std::string::npos);
    CHECK(rasters::refusal([&] {
              check_packing({"ZSTD", 80.0, {}, false}, geotiff, *d);
          }).message.find("'quality'") == 0);
    CHECK(lossless({"LERC", {}, {}, false}));
    CHECK_FALSE(lossless({"LERC", {}, 0.5, false}));
    CHECK_FALSE(lossless({"JPEG", {}, {}, false}));
}
