#include <gdalmcp/gdal_class_names.hpp>

#include "catch.hpp"
#include "rasters.hpp"

#include <gdal_rat.h>

using gdalmcp::gdal::class_names;

TEST_CASE("category names name the codes from 0 on") {
    const auto d = rasters::make({{{0, 1, 2}}}, {.type = GDT_Byte});
    gdalmcp::gdal::words names{"water", "", "forest"};
    REQUIRE(d->GetRasterBand(1)->SetCategoryNames(names.get()) == CE_None);
    const class_names found{*d->GetRasterBand(1)};
    CHECK(found.of(0) == "water");
    CHECK(found.of(1).empty());
    CHECK(found.of(2) == "forest");
    CHECK(found.of(77).empty());
}

TEST_CASE("an attribute table names codes by value or by range") {
    const auto d = rasters::make({{{11, 42}}}, {.type = GDT_Byte});
    GDALDefaultRasterAttributeTable table;
    table.CreateColumn("VALUE", GFT_Integer, GFU_MinMax);
    table.CreateColumn("Land_Cover", GFT_String, GFU_Generic);
    for (const auto& [row, code, name] : {std::tuple{0, 11, "open water"}, {1, 42, "evergreen forest"}}) {
        table.SetValue(row, 0, code);
        table.SetValue(row, 1, name);
    }
    REQUIRE(d->GetRasterBand(1)->SetDefaultRAT(&table) == CE_None);
    const class_names found{*d->GetRasterBand(1)};
    CHECK(found.of(42) == "evergreen forest");
    CHECK(found.of(0).empty());

    GDALDefaultRasterAttributeTable ranges;
    ranges.CreateColumn("from", GFT_Real, GFU_Min);
    ranges.CreateColumn("to", GFT_Real, GFU_Max);
    ranges.CreateColumn("name", GFT_String, GFU_Name);
    ranges.SetValue(0, 0, 10.0);
    ranges.SetValue(0, 1, 19.0);
    ranges.SetValue(0, 2, "urban");
    REQUIRE(d->GetRasterBand(1)->SetDefaultRAT(&ranges) == CE_None);
    const class_names by_range{*d->GetRasterBand(1)};
    CHECK(by_range.of(9).empty());
    CHECK(by_range.of(10) == "urban");
    CHECK(by_range.of(19) == "urban");
}
