#include <raster/gdal_amounts.hpp>
#include <raster/gdal_kind.hpp>
#include <raster/gdal_undeclared_nodata.hpp>

#include "catch.hpp"
#include "rasters.hpp"

using namespace gdalmcp_raster;

TEST_CASE("land cover codes are classes") {
    const auto d = rasters::make({{{11, 11, 42, 42}, {11, 21, 42, 42}, {81, 21, 21, 42}}}, {.type = GDT_Byte});
    CHECK(kind_of(*d->GetRasterBand(1)) == kind::classes);
}

TEST_CASE("heights, shares, densities and temperatures are levels, totals and depths of rain are not") {
    using gdalmcp::gdal::value_kind;
    const auto level = [](value_kind kind, const char* unit) { return is_level({kind, true, ""}, unit); };
    CHECK(level(value_kind::elevation, "m"));
    CHECK(level(value_kind::ratio, "%"));
    for (const char* unit : {"people/km2", "t ha-1", "kelvin", "degc", "m/s"})
        CHECK(level(value_kind::continuous, unit));
    CHECK_FALSE(level(value_kind::count, "persons"));
    CHECK_FALSE(level(value_kind::continuous, "mm"));
    CHECK_FALSE(level(value_kind::unknown, ""));
}

TEST_CASE("the share of a value that is data is 0 where it marks missing cells") {
    const auto d = rasters::make({{{11, 41, 11, 82}}}, {.type = GDT_Byte});
    CHECK(share_of_data(*d->GetRasterBand(1), 11) == 0.5);
    CHECK(share_of_data(*d->GetRasterBand(1), 7) == 0);
    const auto marked = rasters::make({{{-999, 500, 510, 520}}}, {.type = GDT_Int16});
    CHECK(share_of_data(*marked->GetRasterBand(1), -999) == 0);
    CHECK(share_of_data(*marked->GetRasterBand(1), 510) == 0.25);
}

TEST_CASE("whole metres of a slope are measurements") {
    const auto d =
        rasters::make({{{100, 101, 102, 103}, {101, 102, 103, 104}, {102, 103, 104, 105}}}, {.type = GDT_Int16});
    CHECK(kind_of(*d->GetRasterBand(1)) == kind::continuous);
}

TEST_CASE("few whole numbers that change by one may be codes, as far as overviews are concerned") {
    const auto few = rasters::make({{{1, 2, 3, 4}, {2, 3, 4, 5}}}, {.type = GDT_Byte});
    CHECK(kind_of(*few->GetRasterBand(1)) == kind::continuous);
    CHECK(may_hold_codes(*few->GetRasterBand(1)));
    CHECK(overview_resampling(*few->GetRasterBand(1)) == std::string{"MODE"});
    rasters::matrix rising(1);
    for (int v = 0; v < 100; ++v) rising[0].push_back(v);
    const auto many = rasters::make({rising}, {.type = GDT_Byte});
    CHECK_FALSE(may_hold_codes(*many->GetRasterBand(1)));
    CHECK(overview_resampling(*many->GetRasterBand(1)) == std::string{"AVERAGE"});
}

TEST_CASE("floating point is a measurement, a palette makes classes") {
    const rasters::matrix codes{{1, 1, 5}, {1, 5, 5}};
    CHECK(kind_of(*rasters::make({codes}, {.type = GDT_Float32})->GetRasterBand(1)) == kind::continuous);
    const auto d = rasters::make({{{100, 101, 102, 103}}}, {.type = GDT_Byte});
    GDALColorTable colors;
    const GDALColorEntry red{255, 0, 0, 255};
    colors.SetColorEntry(1, &red);
    d->GetRasterBand(1)->SetColorTable(&colors);
    CHECK(kind_of(*d->GetRasterBand(1)) == kind::classes);
}
