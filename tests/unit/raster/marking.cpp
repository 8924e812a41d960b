#include <raster/gdal_marking.hpp>

#include "catch.hpp"
#include "rasters.hpp"

using namespace gdalmcp_raster;

namespace {

std::optional<double> unused(const rasters::matrix& m, GDALDataType type, const char* resampling,
                             std::optional<double> nodata = {}) {
    return unused_value(*rasters::make({m}, {.type = type, .nodata = nodata}), type, resampling);
}

rasters::matrix bytes_without(int missing) {
    rasters::matrix m(16, std::vector<double>(16));
    for (int i = 0; i < 256; ++i) m[i / 16][i % 16] = i == missing ? (missing ? 0 : 1) : i;
    return m;
}

}  // namespace

TEST_CASE("the customary value marks missing cells where the data leaves it free") {
    CHECK(unused({{0, 254}}, GDT_Byte, "nearest") == 255);
    CHECK(unused({{1, 255}}, GDT_Byte, "nearest") == 0);
    CHECK(unused({{0, 60000}}, GDT_UInt16, "bilinear") == 65535);
    CHECK(unused({{-9, 9}}, GDT_Int16, "bilinear") == -32768);
    CHECK(unused({{-32768, 9}}, GDT_Int16, "bilinear") == 32767);
    CHECK(std::isnan(*unused({{-32768, 9}}, GDT_Float32, "cubic")));
}

TEST_CASE("a value between those of the data is free for nearest, not for what interpolates") {
    CHECK(unused(bytes_without(77), GDT_Byte, "nearest") == 77);
    CHECK(unused(bytes_without(77), GDT_Byte, "mode") == 77);
    CHECK_FALSE(unused(bytes_without(77), GDT_Byte, "bilinear"));
    CHECK_FALSE(unused(bytes_without(77), GDT_Byte, "average"));
    CHECK(unused(bytes_without(255), GDT_Byte, "bilinear") == 255);
}

TEST_CASE("cubic and Lanczos overshoot, sums grow") {
    CHECK(unused({{100, 200}}, GDT_Byte, "cubic") == std::nullopt);
    CHECK(unused({{100, 150}}, GDT_Byte, "cubic") == 255);
    CHECK(unused({{90, 160}}, GDT_Byte, "lanczos") == std::nullopt);
    CHECK(unused({{1, 2}}, GDT_UInt16, "sum") == std::nullopt);
    CHECK(unused({{1, 2}}, GDT_Int16, "sum") == -32768);
}

TEST_CASE("cells without data take no value") {
    CHECK(unused({{255, 3}, {0, 4}}, GDT_Byte, "nearest", 255) == 255);
    CHECK(unused({{7, 7}}, GDT_Byte, "nearest", 7) == 255);
}

TEST_CASE("64-bit and complex whole numbers get a mask") {
    CHECK_FALSE(unused({{1, 2}}, GDT_Int64, "nearest"));
    CHECK_FALSE(unused({{1, 2}}, GDT_CInt16, "nearest"));
}

TEST_CASE("a nodata value that the type cannot hold marks nothing") {
    const auto d = rasters::make({{{1, 2}}}, {.type = GDT_Byte, .nodata = -9999});
    CHECK_FALSE(nodata_of(*d->GetRasterBand(1)));
    const auto e = rasters::make({{{1, 2}}}, {.type = GDT_Byte, .nodata = 9});
    CHECK(nodata_of(*e->GetRasterBand(1)) == 9);
}
