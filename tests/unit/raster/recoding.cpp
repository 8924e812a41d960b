#include <raster/gdal_recoding.hpp>

#include "catch.hpp"
#include "rasters.hpp"

using namespace gdalmcp_raster;

namespace {
void nothing(double) {}
}  // namespace

TEST_CASE("values that do not fit a type are refused with their number") {
    const rasters::folder folder;
    const auto d = rasters::make({{{1, 300, -5}, {255, 256, 0}}});
    const auto e = rasters::refusal([&] { recode(*d, {.type = GDT_Byte}, folder / "byte.tif", nothing); });
    CHECK(e.message.find("3 cells of band 1") == 0);
    CHECK(e.hint.find("scale") != std::string::npos);
}

TEST_CASE("a scale maps and clamps") {
    const rasters::folder folder;
    const auto d = rasters::make({{{0, 500, 1000, 1500}}});
    const auto r = recode(*d, {.type = GDT_Byte, .scale = {{0, 1000, 0, 200}}}, folder / "byte.tif", nothing);
    CHECK(rasters::values(*r.dataset->GetRasterBand(1)) == rasters::matrix{{0, 100, 200, 200}});
}

TEST_CASE("cells without data take the new nodata value, data must not equal it") {
    const rasters::folder folder;
    const auto d = rasters::make({{{-9999, 1, 2}}}, {.type = GDT_Int16, .nodata = -9999});
    const auto r = recode(*d, {.type = GDT_Byte, .nodata = 255}, folder / "byte.tif", nothing);
    CHECK(rasters::values(*r.dataset->GetRasterBand(1)) == rasters::matrix{{255, 1, 2}});
    CHECK(r.dataset->GetRasterBand(1)->GetNoDataValue() == 255);
    const auto e = rasters::refusal([&] { recode(*d, {.nodata = 2}, folder / "clash.tif", nothing); });
    CHECK(e.message.find("1 cells of band 1 are data but would equal the nodata value 2") == 0);
}

TEST_CASE("a nodata value the new type cannot hold is refused") {
    const rasters::folder folder;
    const auto d = rasters::make({{{-9999, 1, 2}}}, {.type = GDT_Int16, .nodata = -9999});
    const auto e = rasters::refusal([&] { recode(*d, {.type = GDT_Byte}, folder / "byte.tif", nothing); });
    CHECK(e.message.find("-9999") != std::string::npos);
    CHECK(e.hint.find("'nodata'") != std::string::npos);
}

TEST_CASE("declaring nodata where there was none counts the cells it takes") {
    const rasters::folder folder;
    const auto d = rasters::make({{{0, 0, 2}}}, {.type = GDT_Byte});
    const auto r = recode(*d, {.nodata = 0}, folder / "declared.tif", nothing);
    CHECK(r.declared == 2);
    CHECK(r.dataset->GetRasterBand(1)->GetNoDataValue() == 0);
}

TEST_CASE("unscale writes real values and drops scale and offset") {
    const rasters::folder folder;
    const auto d = rasters::make({{{100, 200}}}, {.type = GDT_Int16});
    d->GetRasterBand(1)->SetScale(0.1);
    d->GetRasterBand(1)->SetOffset(-5);
    const auto r = recode(*d, {.unscale = true}, folder / "real.tif", nothing);
    CHECK(r.dataset->GetRasterBand(1)->GetRasterDataType() == GDT_Float64);
    CHECK(rasters::values(*r.dataset->GetRasterBand(1))[0][1] == Approx(15));
    CHECK(r.dataset->GetRasterBand(1)->GetScale() == 1);
}
