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

namespace {

recoding_loss counted(GDALDataset& d, const recoding& r) {
    const window all{0, 0, d.GetRasterXSize(), d.GetRasterYSize()};
    return loss_of(*d.GetRasterBand(1), r, type_of_result(d, r), all);
}

}  // namespace

TEST_CASE("a narrower type changes the cells it rounds and those outside of it") {
    const auto d = rasters::make({{{1, 2.5, 300, -1}, {NAN, 7, 8.25, 255}}});
    const auto loss = counted(*d, {.type = GDT_Byte});
    CHECK(loss.cells == 8);
    CHECK(loss.changed == 5);  // 2.5, 8.25, 300, -1, NaN
    CHECK(loss.outside == 3);
    CHECK(loss.not_a_number == 1);
    CHECK(loss.greatest_change == Approx(0.5));
}

TEST_CASE("a type that holds every value changes none, without a look at the cells") {
    const auto bytes = rasters::make({{{1, 200}}}, {.type = GDT_Byte});
    CHECK(keeps_every_value(*bytes->GetRasterBand(1), {.type = GDT_UInt16}, GDT_UInt16));
    CHECK_FALSE(keeps_every_value(*bytes->GetRasterBand(1), {.type = GDT_UInt16, .scale = {{0, 1, 0, 2}}}, GDT_UInt16));
    const auto numbers = rasters::make({{{1, 70000}}}, {.type = GDT_Int32});
    CHECK_FALSE(keeps_every_value(*numbers->GetRasterBand(1), {.type = GDT_Float32}, GDT_Float32));
    CHECK(keeps_every_value(*numbers->GetRasterBand(1), {.type = GDT_Float64}, GDT_Float64));
    CHECK(counted(*numbers, {.type = GDT_Float32}).changed == 0);
    CHECK(counted(*rasters::make({{{16777217}}}, {.type = GDT_Int32}), {.type = GDT_Float32}).changed == 1);
}

TEST_CASE("a scale changes what it moves, and clamps what lies outside of it") {
    const auto d = rasters::make({{{0, 500, 1000, 1500}}});
    const auto loss = counted(*d, {.type = GDT_Byte, .scale = {{0, 1000, 0, 200}}});  // 0, 100, 200, 200
    CHECK(loss.changed == 3);
    CHECK(loss.outside == 1);
    CHECK(loss.greatest_change == Approx(1300));
}

TEST_CASE("an unscaled value is compared with the one it stands for") {
    const auto d = rasters::make({{{100, 205}}}, {.type = GDT_Int16});
    d->GetRasterBand(1)->SetScale(0.1);
    CHECK(counted(*d, {.unscale = true}).changed == 0);  // 10 and 20.5, as Float64
    const auto loss = counted(*d, {.type = GDT_Int16, .unscale = true});
    CHECK(loss.changed == 1);
    CHECK(loss.greatest_change == Approx(0.5));
}

TEST_CASE("rounding to Float32 is a change where stored steps run together") {
    const auto in_steps = [](double stored, double step, GDALDataType type = GDT_Int32) {
        const auto d = rasters::make({{{stored}}}, {.type = type});
        d->GetRasterBand(1)->SetScale(step);
        return counted(*d, {.type = GDT_Float32, .unscale = true}).changed;
    };
    CHECK(in_steps(123, 0.1) == 0);          // 12.3 is no Float32, but nearer to one than 12.2 and 12.4 are
    CHECK(in_steps(10485771, 0.1) == 0);     // above 2^20 Float32 has steps of 0.125: 1048577.1 becomes 1048577.125
    CHECK(in_steps(20971524, 0.1) == 1);     // above 2^21 of 0.25: 2097152.4 becomes 2097152.5, as 2097152.5 does
    CHECK(in_steps(1073741825, 0.01) == 1);  // steps of 1
    // Float32 stored: its own spacing, 2^-20 at 12.3, counts.
    CHECK(in_steps(12.3, 0.1, GDT_Float32) == 0);
    CHECK(in_steps(12.3, 0.1, GDT_Float64) == 1);
}

TEST_CASE("cells without data are not counted, and data that would read as nodata are") {
    const auto d = rasters::make({{{-1, 2, 0.4}}}, {.nodata = -1});
    CHECK(counted(*d, {.type = GDT_Int16}).changed == 1);
    const auto zero = rasters::make({{{0, 2, 0.4}}}, {.nodata = 0});
    CHECK(counted(*zero, {.type = GDT_Byte}).changed == 1);
    CHECK(counted(*zero, {.type = GDT_Byte, .nodata = 2}).changed == 2);
}
