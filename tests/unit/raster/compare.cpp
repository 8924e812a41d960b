#include <raster/cell_difference.hpp>
#include <raster/class_changes.hpp>
#include <raster/gdal_change_map.hpp>
#include <raster/gdal_common_window.hpp>

#include "catch.hpp"
#include "rasters.hpp"

#include <cmath>

using namespace gdalmcp_raster;
using rasters::make;
using rasters::matrix;

namespace {

const auto quiet_progress = [](double) {};

grid at(double x, double y, double size, int columns, int rows, const char* crs = "EPSG:32633") {
    grid g;
    g.width = columns;
    g.height = rows;
    g.geotransform = {x, size, 0, y, 0, -size};
    g.georeferenced = true;
    if (*crs) g.crs = *gdalmcp::gdal::parse_crs(crs);
    return g;
}

common_window common(const grid& a, const grid& b) {
    static const std::string first = "a.tif", second = "b.tif";
    return common_window_of({first, a}, {second, b});
}

// "message | hint" of the refusal.
template <class F>
std::string refusal(F&& f) {
    try {
        f();
    } catch (const gdalmcp::error& e) {
        return e.message + " | " + e.hint;
    }
    return "not refused";
}

}  // namespace

TEST_CASE("a difference is after - before, where both have a value") {
    const std::vector<float> before{1, 2, 3, 4, 5, 6, 7, 8, INFINITY};
    const std::vector<double> after{1, 4, 1, 4, 9, 6.5, 7, 8, 9};
    const std::vector<unsigned char> valid_after{1, 1, 1, 1, 0, 1, 1, 1, 1};
    std::vector<double> out(9);
    const stored_cells a{{reinterpret_cast<const unsigned char*>(before.data()), nullptr}, {true, 1, 0}},
        b{{reinterpret_cast<const unsigned char*>(after.data()), valid_after.data()}, {false, 1, 0}};
    const auto counts = subtract(a, b, 9, 0, out.data());
    CHECK((counts.increased == 2 && counts.decreased == 1 && counts.unchanged == 4));
    CHECK(std::isnan(out[4]));
    CHECK(std::isnan(out[8]));
    CHECK((out[0] == 0 && out[1] == 2 && out[2] == -2 && out[5] == 0.5));
    const auto coarse = subtract(a, b, 9, 0.5, out.data());
    CHECK((coarse.increased == 1 && coarse.decreased == 1 && coarse.unchanged == 5));
    // Real values: before = stored * 10, after = stored - 3.
    subtract({a.of, {true, 10, 0}}, {b.of, {false, 1, -3}}, 9, 0, out.data());
    CHECK((out[0] == 1 - 3 - 10 && out[1] == 4 - 3 - 20));
}

TEST_CASE("a change is one number in the order of its codes") {
    for (const auto& [from, to] : {std::pair{0, 0}, {41, 21}, {-5, 3}, {3, -5}, {2147483647, -2147483647 - 1}}) {
        const auto again = class_change::of(class_change{from, to}.packed());
        CHECK((again.from == from && again.to == to));
    }
    CHECK(class_change{1, 9}.packed() < class_change{2, -9}.packed());
    CHECK(class_change{-1, 2}.packed() < class_change{-1, 3}.packed());
}

TEST_CASE("changes of 3 x 3 cells, counted, mapped and named") {
    const auto before = make({matrix{{1, 1, 2}, {1, 2, 2}, {3, 3, 255}}}, {.type = GDT_Byte, .nodata = 255});
    const auto after = make({matrix{{1, 2, 2}, {1, 1, 2}, {3, 255, 3}}}, {.type = GDT_Byte, .nodata = 255});
    const auto map = make({matrix(3, std::vector<double>(3))}, {.type = GDT_Byte});
    class_pair pair{{"a.tif", *before->GetRasterBand(1), ""}, {"b.tif", *after->GetRasterBand(1), ""}};
    struct : class_areas {
        double of(cell_place, std::int64_t n) const override { return 100.0 * static_cast<double>(n); }
    } const areas;
    const auto found = measure_changes(pair, &areas, quiet_progress);
    CHECK((found.counts.valid == 7 && found.counts.nodata == 2));
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> matrix_of;
    for (const auto& [packed, size] : found.changes) {
        const auto c = class_change::of(packed);
        matrix_of[{c.from, c.to}] = size.count;
        CHECK(size.area == 100.0 * static_cast<double>(size.count));
    }
    CHECK(matrix_of == decltype(matrix_of){{{1, 1}, 2}, {{1, 2}, 1}, {{2, 1}, 1}, {{2, 2}, 2}, {{3, 3}, 1}});

    map_changes(pair, found.changes, *map->GetRasterBand(1), quiet_progress);
    CHECK(rasters::values(*map->GetRasterBand(1)) == matrix{{1, 2, 4}, {1, 3, 4}, {5, 0, 0}});

    const auto all = balances_of(found.changes);
    REQUIRE(all.size() == 3);
    const auto& one = all.at(1);
    CHECK((one.before.count == 3 && one.after.count == 3 && one.unchanged.count == 2));
    CHECK((one.gain.count == 1 && one.loss.count == 1 && one.gain.area == 100));
    CHECK((all.at(3).before.count == 1 && all.at(3).gain.count == 0 && all.at(3).loss.count == 0));

    gdalmcp::gdal::words names{"", "Forest", "Water"};
    before->GetRasterBand(1)->SetCategoryNames(names.get());
    after->GetRasterBand(1)->SetCategoryNames(names.get());
    const change_names named{gdalmcp::gdal::class_names{*before->GetRasterBand(1)},
                             gdalmcp::gdal::class_names{*after->GetRasterBand(1)}};
    attach_changes(found.changes, named, true, *map->GetRasterBand(1));
    const gdalmcp::gdal::class_names read{*map->GetRasterBand(1)};
    CHECK(read.of(1) == "Forest, unchanged");
    CHECK(read.of(2) == "Forest to Water");
    CHECK(read.of(5) == "3, unchanged");
}

TEST_CASE("codes are the same for every type of whole numbers, and nothing else has codes") {
    for (const auto type : {GDT_Byte, GDT_Int16, GDT_UInt16, GDT_Int32, GDT_UInt32}) {
        const auto cells = make({matrix{{0, 7, 200}}}, {.type = type, .nodata = 0});
        class_pair pair{{"a.tif", *cells->GetRasterBand(1), ""}, {"a.tif", *cells->GetRasterBand(1), ""}};
        const auto found = measure_changes(pair, nullptr, quiet_progress);
        CHECK(found.counts.nodata == 1);
        CHECK(found.changes.contains(class_change{200, 200}.packed()));
        CHECK(found.changes.size() == 2);
    }
    const auto real = make({matrix{{1.5}}}, {.type = GDT_Float32});
    CHECK(refusal([&] {
              class_codes{"a.tif", *real->GetRasterBand(1), "compare otherwise"};
          }) == "band 1 of a.tif is Float32: floating-point values are not class codes | compare otherwise");
    const auto large = make({matrix{{3000000001}}}, {.type = GDT_UInt32});
    class_pair pair{{"a.tif", *large->GetRasterBand(1), ""}, {"a.tif", *large->GetRasterBand(1), ""}};
    CHECK_THAT(refusal([&] { measure_changes(pair, nullptr, quiet_progress); }),
               Catch::Matchers::ContainsSubstring("3000000001"));
}

TEST_CASE("the common window of two extents, in the columns and rows of either") {
    //  a: columns 0 to 4, rows 0 to 3. b begins two columns further right and one row higher.
    const auto w = common(at(0, 100, 10, 5, 4), at(20, 110, 10, 9, 3));
    CHECK(w.first == gdalmcp::gdal::window{2, 0, 3, 2});
    CHECK(w.second == gdalmcp::gdal::window{0, 1, 3, 2});
    CHECK(w.said.empty());
    CHECK(common(at(0, 100, 10, 5, 4), at(0.005, 100, 10, 5, 4)).first == gdalmcp::gdal::window{0, 0, 5, 4});
    const auto cells = make({matrix{{1, 2, 3}, {4, 5, 6}}});
    CHECK(windowed(*cells, {0, 0, 3, 2}) == nullptr);
    const auto part = windowed(*cells, {1, 0, 2, 2});
    CHECK(rasters::values(*part->GetRasterBand(1)) == matrix{{2, 3}, {5, 6}});
}

TEST_CASE("grids that do not coincide are refused with both named and the call that corrects it") {
    const auto a = at(0, 100, 10, 5, 4);
    const auto shifted = refusal([&] { common(a, at(5, 100, 10, 5, 4)); });
    CHECK_THAT(shifted, Catch::Matchers::ContainsSubstring("fraction of a cell") &&
                            Catch::Matchers::ContainsSubstring("a.tif has 5 x 4") &&
                            Catch::Matchers::ContainsSubstring("b.tif has 5 x 4"));
    CHECK_THAT(shifted, Catch::Matchers::ContainsSubstring(
                            R"(raster_reproject {"uri": "b.tif", "dst_crs": "EPSG:32633", "align_to": "a.tif")"));
    CHECK_THAT(refusal([&] { common(a, at(0, 100, 10.1, 5, 4)); }),
               Catch::Matchers::ContainsSubstring("the grids differ"));
    auto south_up = a;
    south_up.geotransform = {0, 10, 0, 60, 0, 10};
    CHECK_THAT(refusal([&] { common(a, south_up); }), Catch::Matchers::ContainsSubstring("from the south"));
    CHECK_THAT(refusal([&] { common(a, at(50, 100, 10, 5, 4)); }),
               Catch::Matchers::ContainsSubstring("do not overlap"));
    CHECK_THAT(refusal([&] { common(a, at(0, 100, 10, 5, 4, "EPSG:32634")); }),
               Catch::Matchers::ContainsSubstring("the CRSs differ"));
    CHECK(common(a, at(0, 100, 10, 5, 4, "")).said.size() == 1);
    CHECK(common(a, at(0, 100, 10, 5, 4, "+proj=utm +zone=33 +ellps=WGS84")).said.size() == 1);
}
