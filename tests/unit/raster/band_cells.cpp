#include <raster/gdal_band_cells.hpp>

#include "catch.hpp"
#include "rasters.hpp"

#include <cmath>
#include <limits>

using namespace gdalmcp_raster;
using rasters::matrix;

namespace {

std::unique_ptr<statistics> measured(GDALDataset& d, int band, selection of = {}, const wanted& what = {}) {
    if (of.w.width == 0) of.w = {0, 0, d.GetRasterXSize(), d.GetRasterYSize()};
    auto& b = *d.GetRasterBand(band);
    const auto type = cell_type_of(b);
    auto s = statistics_of(type, gdalmcp::gdal::nodata_rule_of(b).range);
    measure(d, {band}, of, {s.get()}, what, [](double) {});
    return s;
}

}  // namespace

TEST_CASE("cells equal nodata as closely as GDAL's own mask has it") {
    const auto row = [](auto nodata) {
        using T = decltype(nodata);
        std::vector<double> cells{static_cast<double>(nodata), 0, 1, -1, 1e30, -1e30};
        T up = nodata, down = nodata;
        for (int i = 0; i < 30; ++i) {
            cells.push_back(static_cast<double>(up = std::nextafter(up, std::numeric_limits<T>::max())));
            cells.push_back(static_cast<double>(down = std::nextafter(down, std::numeric_limits<T>::lowest())));
        }
        for (const double by : {1e-9, 1e-8, 1e-7, 2e-7, 2.3e-7, 2.4e-7, 3e-7, 4.7e-7, 4.8e-7, 5e-7, 1e-6})
            for (const double sign : {-1.0, 1.0})
                cells.push_back(static_cast<double>(static_cast<T>(static_cast<double>(nodata) * (1 + sign * by))));
        return matrix{cells};
    };
    const auto check = [&](GDALDataType type, double nodata, const matrix& cells) {
        INFO(GDALGetDataTypeName(type) << " " << nodata);
        const auto d = rasters::make({cells}, {.type = type, .nodata = nodata});
        const auto mask = rasters::values(*d->GetRasterBand(1)->GetMaskBand());
        const auto s = measured(*d, 1);
        CHECK(s->counts().nodata == std::count(mask[0].begin(), mask[0].end(), 0));
        CHECK(s->counts().nodata > 0);
    };
    for (const double nodata : {-9999.0, 0.001, 0.0, -3.4028234663852886e38, 3.4028234663852886e38, 1e-40}) {
        check(GDT_Float32, nodata, row(static_cast<float>(nodata)));
        check(GDT_Float64, nodata, row(nodata));
    }
    check(GDT_Float64, -1.7976931348623157e308, row(-1.7976931348623157e308));
    check(GDT_Int16, -9999, {{-9999, -9998, 0}});
}

TEST_CASE("a nodata value that the type cannot hold leaves every cell in the figures") {
    const auto d = rasters::make({{{1, 2, 255}}}, {.type = GDT_Byte, .nodata = -9999});
    CHECK(measured(*d, 1)->counts().valid == 3);
}

TEST_CASE("signed bytes are signed") {
    rasters::folder there;
    GDALAllRegister();
    gdalmcp::gdal::words options{"PIXELTYPE=SIGNEDBYTE"};
    auto* driver = GetGDALDriverManager()->GetDriverByName("GTiff");
    const gdalmcp::gdal::dataset_ptr d{driver->Create((there / "s.tif").c_str(), 3, 1, 1, GDT_Byte, options.get())};
    std::array<signed char, 3> cells{-5, 4, -100};
    auto& band = *d->GetRasterBand(1);
    REQUIRE(band.RasterIO(GF_Write, 0, 0, 3, 1, cells.data(), 3, 1, band.GetRasterDataType(), 0, 0, nullptr) ==
            CE_None);
    band.SetNoDataValue(-100);
    const auto s = measured(*d, 1);
    CHECK(s->min() == -5);
    CHECK(s->max() == 4);
    CHECK(s->counts().nodata == 1);
}

TEST_CASE("every n-th row and column, and where they are") {
    const auto d = rasters::make({{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}, {11, 12, 13, 14, 15}, {16, 17, 18, 19, 20}}});
    const auto s = measured(*d, 1, {.w = {0, 0, 5, 4}, .stride = 2});
    CHECK(s->sum() == 7 + 9 + 17 + 19);
    CHECK(s->max_place() == cell_place{3, 3});
}

TEST_CASE("a file that stores nothing is measured without reading it") {
    rasters::folder there;
    GDALAllRegister();
    gdalmcp::gdal::words options{"SPARSE_OK=TRUE", "TILED=YES"};
    auto* driver = GetGDALDriverManager()->GetDriverByName("GTiff");
    const gdalmcp::gdal::dataset_ptr d{
        driver->Create((there / "sparse.tif").c_str(), 65536, 65536, 1, GDT_Float32, options.get())};
    const float one = 8;
    auto& band = *d->GetRasterBand(1);
    REQUIRE(band.RasterIO(GF_Write, 40000, 50000, 1, 1, const_cast<float*>(&one), 1, 1, GDT_Float32, 0, 0, nullptr) ==
            CE_None);
    d->FlushCache(false);
    const auto s = measured(*d, 1, {}, {.percentiles = {50}, .bins = {}});
    CHECK(s->counts().valid == std::int64_t{65536} * 65536);
    CHECK(s->sum() == 8);
    CHECK(s->max_place() == cell_place{50000, 40000});
    CHECK(s->percentile(50) == 0);
}

TEST_CASE("a nodata value near the end of its type marks its own cells") {
    for (const double nodata : {-1.7e308, 1.7e308, -1.7976931348623157e308, 5e-324, 0.0}) {
        CAPTURE(nodata);
        const auto d = rasters::make({{{1, nodata, -2}}}, {.type = GDT_Float64, .nodata = nodata});
        CHECK(measured(*d, 1)->counts().valid == 2);
    }
    for (const double nodata : {-3.3e38, 3.3e38}) {
        CAPTURE(nodata);
        const auto d = rasters::make({{{1, nodata, -2}}}, {.type = GDT_Float32, .nodata = nodata});
        CHECK(measured(*d, 1)->counts().valid == 2);
    }
}

TEST_CASE("an infinite nodata value marks infinite cells and no others") {
    const double inf = std::numeric_limits<double>::infinity();
    for (const double nodata : {inf, -inf})
        for (const auto type : {GDT_Float32, GDT_Float64}) {
            const auto d = rasters::make({{{1, nodata, -2, 3.4e38}}}, {.type = type, .nodata = nodata});
            const auto s = measured(*d, 1);
            CHECK(s->counts().valid == 3);
            CHECK(s->counts().nodata == 1);
            CHECK(s->min() == -2);
        }
}
