#include <raster/gdal_fidelity.hpp>

#include <limits>

#include "catch.hpp"
#include "rasters.hpp"

using namespace gdalmcp_raster;

namespace {
void nothing(double) {}
constexpr double none = std::numeric_limits<double>::quiet_NaN();
}  // namespace

TEST_CASE("cells are counted by what became of them") {
    const auto source = rasters::make({{{1, 2, -9}, {4, 5, -9}}}, {.type = GDT_Int16, .nodata = -9});
    const auto written = rasters::make({{{1, 7, -9}, {0, 5, 3}}}, {.type = GDT_Int16, .nodata = -9});
    const auto f = compare(*source, *written, nothing);
    CHECK(f.changed == 2);  // 2 -> 7, 4 -> 0
    CHECK(f.hidden == 0);
    CHECK(f.revived == 1);  // -9 -> 3
    const auto declared = rasters::make({{{1, 2, -9}, {4, 5, -9}}}, {.type = GDT_Int16, .nodata = 4});
    const auto g = compare(*source, *declared, nothing);
    CHECK(g.changed == 0);
    CHECK(g.hidden == 1);
    CHECK(g.revived == 2);
}

TEST_CASE("a narrower type changes what it rounds, a wider one nothing") {
    const auto source = rasters::make({{{1, 2.5, none}}}, {.type = GDT_Float32});
    const auto narrow = compare(*source, *rasters::make({{{1, 2, 0}}}, {.type = GDT_Int16}), nothing);
    CHECK(narrow.changed == 1);
    CHECK(narrow.revived == 1);  // NaN -> 0
    CHECK(compare(*source, *rasters::make({{{1, 2.5, none}}}, {.type = GDT_Float64}), nothing).exact());
    CHECK(compare(*source, *rasters::make({{{1, 2.5, none}}}, {.type = GDT_Float32}), nothing).exact());
}

TEST_CASE("whole numbers of 64 bits and imaginary parts are compared in full") {
    const auto one_cell = [](GDALDataType type, const void* cell) {
        auto d = rasters::make({{{0}}}, {.type = type});
        REQUIRE(d->GetRasterBand(1)->RasterIO(GF_Write, 0, 0, 1, 1, const_cast<void*>(cell), 1, 1, type, 0, 0,
                                              nullptr) == CE_None);
        return d;
    };
    const std::int64_t large = (std::int64_t{1} << 53) + 1, exact = large - 2;
    const auto a = one_cell(GDT_Int64, &large);
    CHECK(compare(*a, *one_cell(GDT_Int64, &large), nothing).exact());
    CHECK(compare(*a, *one_cell(GDT_Int64, &exact), nothing).changed == 1);
    const double same = static_cast<double>(exact), rounded = static_cast<double>(large);  // to 2^53
    CHECK(compare(*one_cell(GDT_Int64, &exact), *one_cell(GDT_Float64, &same), nothing).exact());
    CHECK(compare(*a, *one_cell(GDT_Float64, &rounded), nothing).changed == 1);
    const float p[] = {1, 2}, q[] = {1, 3};
    CHECK(compare(*one_cell(GDT_CFloat32, p), *one_cell(GDT_CFloat32, p), nothing).exact());
    CHECK(compare(*one_cell(GDT_CFloat32, p), *one_cell(GDT_CFloat32, q), nothing).changed == 1);
    const double real = 1;
    CHECK(compare(*one_cell(GDT_CFloat32, p), *one_cell(GDT_Float64, &real), nothing).changed == 1);
}

TEST_CASE("facts the written raster lacks are named") {
    const auto source = rasters::make({{{1}}, {{2}}}, {.type = GDT_Int16, .nodata = 0});
    source->GetRasterBand(2)->SetUnitType("m");
    const auto written = rasters::make({{{1}}, {{2}}}, {.type = GDT_Byte, .crs = "EPSG:32634", .nodata = 0});
    CHECK(lost_facts(*source, *written) ==
          std::vector<std::string>{"the CRS EPSG:32633", "the data type Int16 of band 1",
                                   "the data type Int16 of band 2", "the unit of band 2"});
    const auto wider = rasters::make({{{1}}, {{2}}}, {.type = GDT_Int32, .nodata = 0});
    CHECK(lost_facts(*source, *wider) == std::vector<std::string>{"the unit of band 2"});
    const auto fractions = rasters::make({{{1}}, {{2}}}, {.type = GDT_Float32, .nodata = 0});
    CHECK(lost_facts(*wider, *fractions) ==
          std::vector<std::string>{"the data type Int32 of band 1", "the data type Int32 of band 2"});
}

TEST_CASE("a lost mask and lost colours of a picture are named, other interpretations are not") {
    const auto source = rasters::make({{{1}}, {{2}}}, {.type = GDT_Byte});
    source->GetRasterBand(1)->SetColorInterpretation(GCI_RedBand);
    source->GetRasterBand(2)->SetColorInterpretation(GCI_GrayIndex);
    REQUIRE(source->CreateMaskBand(GMF_PER_DATASET) == CE_None);
    const auto written = rasters::make({{{1}}, {{2}}}, {.type = GDT_Byte});
    CHECK(lost_facts(*source, *written) ==
          std::vector<std::string>{"the colour Red of band 1", "the mask of band 1", "the mask of band 2"});
    REQUIRE(written->CreateMaskBand(GMF_PER_DATASET) == CE_None);
    written->GetRasterBand(1)->SetColorInterpretation(GCI_RedBand);
    CHECK(lost_facts(*source, *written).empty());
}
