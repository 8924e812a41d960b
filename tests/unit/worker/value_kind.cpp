#include <gdalmcp/gdal_kind.hpp>

#include "catch.hpp"

using namespace gdalmcp::gdal;

namespace {

std::string declared(const band_signs& s) {
    const auto k = declared_kind(s);
    return k ? name_of(k->kind) + std::string{k->certain ? " for certain" : " perhaps"} : "nothing";
}

std::string guessed(const std::vector<double>& cells, std::size_t columns, std::vector<unsigned char> valid = {},
                    int bands = 1) {
    if (valid.empty()) valid.assign(cells.size(), 255);
    neighbourhood n;
    n.see(cells, valid, columns);
    return name_of(guessed_kind(n, {.bands = bands}).kind);
}

}  // namespace

TEST_CASE("a palette, category names and a table of classes are classes for certain") {
    CHECK(declared({.palette = true}) == "class for certain");
    CHECK(declared({.category_names = true}) == "class for certain");
    CHECK(declared({.class_table = true, .integer = false}) == "class for certain");
}

TEST_CASE("a unit determines the kind, whatever the type") {
    for (const bool integer : {true, false}) {
        CHECK(declared({.integer = integer, .unit = "m"}) == "elevation for certain");
        CHECK(declared({.integer = integer, .unit = "US survey foot"}) == "elevation for certain");
        CHECK(declared({.integer = integer, .unit = "Degrees"}) == "angle for certain");
        CHECK(declared({.integer = integer, .unit = "%"}) == "ratio for certain");
        CHECK(declared({.integer = integer, .scaled = true, .unit = "1"}) == "ratio for certain");
        for (const char* total :
             {"inhabitants", "Households", "count", "Number of dwellings", "Total number of people per cell"})
            CHECK(declared({.integer = integer, .unit = total}) == "count for certain");
        CHECK(declared({.integer = integer, .name = "wind_direction"}) == "angle perhaps");
        CHECK(declared({.integer = integer, .name = "total: A * 1.05"}) == "count perhaps");
        CHECK(declared({.integer = integer, .unit = "K"}) == "continuous for certain");
        CHECK(declared({.integer = integer, .unit = "degrees Celsius"}) == "continuous for certain");
    }
    CHECK(declared({.unit = "bit index"}) == "qa_bits for certain");
}

TEST_CASE("what is called after a direction and is none has another kind") {
    for (const char* name : {"aspect_ratio", "slope_aspect_corr", "bearing_capacity", "wind_direction_variance"})
        CHECK(declared({.integer = false, .name = name}) == "continuous for certain");
    for (const char* name : {"aspect_2020", "wdir", "slope_aspect"})
        CHECK(declared({.integer = false, .name = name}) == "angle perhaps");
}

TEST_CASE("whole numbers are codes where their name says so") {
    for (const char* name : {"zone", "label", "code", "soil_type", "crop type", "parcel_id", "landcover"})
        CHECK(declared({.name = name}) == "class perhaps");
    CHECK(declared({.name = "typed"}) == "nothing");
}

TEST_CASE("metres on one band of several are not heights") {
    CHECK(declared({.integer = false, .bands = 3, .unit = "m"}) == "continuous for certain");
}

TEST_CASE("heights need a unit or a vertical CRS, floating point alone is a measurement of something") {
    CHECK(declared({.integer = false}) == "continuous for certain");
    CHECK(declared({.integer = false, .vertical_crs = true}) == "elevation for certain");
    CHECK(declared({.integer = true, .vertical_crs = true}) == "elevation for certain");
    CHECK(declared({.integer = false, .vertical_crs = true, .bands = 2}) == "continuous for certain");
}

TEST_CASE("scaled whole numbers are measurements") { CHECK(declared({.scaled = true}) == "continuous for certain"); }

TEST_CASE("whole numbers without a meaningful unit leave the kind undeclared") {
    CHECK(declared({}) == "nothing");
    CHECK(declared({.unit = "DN"}) == "nothing");
    CHECK(declared({.unit = "1"}) == "nothing");
}

TEST_CASE("a name with QA in it makes quality bits of whole numbers, perhaps") {
    for (const char* name : {"QA_PIXEL", "l8_BQA", "pixel_qa", "QA60", "StateQA"})
        CHECK(declared({.name = name}) == "qa_bits perhaps");
    for (const char* name : {"QATAR", "aqaba", "Iraq ash", ""}) CHECK(declared({.name = name}) == "nothing");
    CHECK(declared({.integer = false, .name = "QA"}) == "continuous for certain");
}

TEST_CASE("a name of classes or labels makes codes of whole numbers, perhaps") {
    for (const char* name :
         {"nlcd_2011_land_cover_l48", "LandUse", "class", "basins, 0 = none", "streams, strahler, 0 = none"})
        CHECK(declared({.name = name}) == "class perhaps");
    for (const char* name : {"classic", "basin depth", "10 = none", "landcovers"})
        CHECK(declared({.name = name}) == "nothing");
    CHECK(declared({.integer = false, .name = "land cover"}) == "continuous for certain");
    CHECK(declared({.name = "parcel_id"}) == "class perhaps");
    CHECK(declared({.name = "idaho"}) == "nothing");
}

TEST_CASE("codes stored as floating point look like classes, but a plane, a mask and measurements do not") {
    const auto kind = [](const std::vector<double>& cells) {
        neighbourhood n;
        n.see(cells, std::vector<unsigned char>(cells.size(), 255), 3);
        const band_signs s{.integer = false};
        return name_of(settled_kind(declared_kind(s), n, s).kind);
    };
    const double gap = std::numeric_limits<double>::quiet_NaN();
    CHECK(kind({11, 11, 42,   //
                11, gap, 42,  //
                81, 81, 42}) == std::string{"class"});
    CHECK(kind({0, 0, 0, 0, 0, 0}) == std::string{"continuous"});
    CHECK(kind({0, 1, 1, 0, 1, 1}) == std::string{"continuous"});
    CHECK(kind({11, 11, 42.5, 11, 81, 81}) == std::string{"continuous"});
    CHECK(kind({1, 2, 3, 2, 3, 4}) == std::string{"continuous"});
    CHECK(kind({1, 9, 20, 7, 14, 31}) == std::string{"continuous"});
}

TEST_CASE("few codes in patches look like classes") {
    CHECK(guessed({11, 11, 42, 42,  //
                   11, 21, 42, 42,  //
                   81, 21, 21, 42},
                  4) == "class");
}

TEST_CASE("heights rounded to tens change step by step, few codes in tens and a mask do not") {
    CHECK(guessed({100, 110, 120, 130,  //
                   110, 120, 130, 140,  //
                   130, 140, 150, 170,  //
                   140, 150, 160, 170},
                  4) == "unknown");
    CHECK(guessed({10, 20, 30,  //
                   20, 30, 40},
                  3) == "class");
    CHECK(guessed({0, 255, 255, 0}, 2) == "class");
}

TEST_CASE("whole metres of a slope change step by step and are no classes") {
    CHECK(guessed({100, 101, 102, 103,  //
                   101, 102, 103, 104,  //
                   102, 103, 104, 105},
                  4) == "unknown");
}

TEST_CASE("64 values may be classes, 65 are not") {
    std::vector<double> codes;
    for (int i = 0; i < 64; ++i) codes.push_back(1.0 * i * i);
    CHECK(guessed(codes, codes.size()) == "class");
    codes.push_back(64 * 64);
    CHECK(guessed(codes, codes.size()) == "unknown");
    CHECK(guessed(codes, codes.size(), {}, 3) == "imagery");
}

TEST_CASE("cells without data do not count as neighbours") {
    CHECK(guessed({1, 2, 1, 2}, 4, {255, 0, 255, 0}) == "class");
    CHECK(guessed({1, 2, 1, 2}, 4) == "unknown");
    CHECK(guessed({1, 2, 1, 2}, 4, {0, 0, 0, 0}) == "unknown");
}

TEST_CASE("nine windows are spread over a large band, on the borders of its blocks") {
    const auto g = sample_of(10000, 5000, 256, 256, 1'000'000);
    CHECK(g.columns == std::vector<int>{0, 4864, 9728});
    CHECK(g.rows == std::vector<int>{0, 2304, 4608});
    CHECK((g.width == 256 && g.height == 256));
}

TEST_CASE("a small band is read once, whole") {
    const auto g = sample_of(100, 50, 100, 8, 1'000'000);
    CHECK(g.columns == std::vector<int>{0});
    CHECK(g.rows == std::vector<int>{0});
    CHECK((g.width == 100 && g.height == 50));
}

TEST_CASE("windows never overlap or leave the band") {
    for (const int size : {256, 257, 300, 511, 512, 600, 767, 768, 1000})
        for (const int block : {1, 16, 100, 128, 256, size}) {
            const auto g = sample_of(size, size, block, block, 1'000'000);
            for (const auto& begins : {g.columns, g.rows})
                for (std::size_t i = 0; i < begins.size(); ++i) {
                    CHECK(begins[i] + g.width <= size);
                    if (i > 0) CHECK(begins[i] >= begins[i - 1] + g.width);
                }
        }
}

TEST_CASE("large blocks make fewer and lower windows, so that little is decoded") {
    const auto strips = sample_of(20000, 20000, 20000, 1, 1'000'000);
    CHECK(strips.rows.size() == 3);
    CHECK(strips.height == 16);
    const auto tiles = sample_of(20000, 20000, 1024, 1024, 1'000'000);
    CHECK((tiles.columns.size() == 1 && tiles.rows.size() == 1));
}
