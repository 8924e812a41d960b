#include "reflection/relations.hpp"

#include "base/pointer.hpp"
#include "example.hpp"

using namespace example;

namespace {
// Two CRSs: metres between 6 and 12 E, 0 and 84 N; and the world in degrees. One that crosses the antimeridian.
base::result<crs_identity> lookup(std::string_view spelling) {
    if (spelling == "utm") return crs_identity{"EPSG:32632", false, "", 1, std::array<double, 4>{6, 0, 12, 84}};
    if (spelling == "feet") return crs_identity{"EPSG:2264", false, "", 0.3048006, std::nullopt};
    if (spelling == "degrees") return crs_identity{"OGC:CRS84", true, "", 0, std::array<double, 4>{-180, -90, 180, 90}};
    if (spelling == "fiji") return crs_identity{"EPSG:3460", false, "", 1, std::array<double, 4>{176, -20, -178, -12}};
    return base::fail(base::code::invalid_argument, "unknown");
}
std::string coverage_of(const std::string& crs, const std::string& bounds) {
    const auto facts =
        with_relations(parsed(R"({"input":{"bounds_wgs84":)" + bounds + "}}"), parsed("{}"), {}, crs, lookup);
    const auto* found = base::at_pointer(facts, "/choice/coverage");
    return found ? std::string{found->as_string()} : "";
}
json::value grid(const std::string& cell, const std::string& arguments, const std::string& more = "") {
    static const auto where = parse_output_grid(parsed(R"({"resolution":"/resolution","crs":"/dst_crs",
        "width":"/width","height":"/height","bounds":"/bounds","like":"/align_to"})"))
                                  .value();
    const auto facts = with_relations(
        parsed(R"({"input":{"width":400,"height":300,"cell_m":)" + cell +
               R"(,"bounds_wgs84":[8,59,9,61],"crs":{"unit_m":1}},"inputs":[{"cell_m":)" + cell + "}" + more + "]}"),
        parsed(arguments), where, "", lookup);
    const auto* found = base::at_pointer(facts, "/grid");
    return found ? *found : json::value{};
}
}  // namespace

TEST_CASE("the area of use of a CRS covers the data, some of them, or none") {
    CHECK(coverage_of("utm", "[8,48,9,49]") == "inside");
    CHECK(coverage_of("utm", "[11,48,13,49]") == "partly");
    CHECK(coverage_of("utm", "[5,48,13,49]") == "partly");
    CHECK(coverage_of("utm", "[20,48,21,49]") == "outside");
    CHECK(coverage_of("utm", "[8,-20,9,-10]") == "outside");
    CHECK(coverage_of("fiji", "[177,-19,179,-17]") == "inside");
    CHECK(coverage_of("fiji", "[-179.5,-19,-179,-17]") == "inside");
    CHECK(coverage_of("fiji", "[0,-19,1,-17]") == "outside");
    CHECK(coverage_of("feet", "[0,0,1,1]").empty());  // PROJ does not say
}

TEST_CASE("an output cell is so many times as wide as an input cell, on the ground") {
    CHECK(line(grid("[30,30]", R"({"resolution":60,"dst_crs":"utm"})")) ==
          R"({"inputs_ratio":1,"ratio":2,"direction":"down","ratio_class":"4"})");
    CHECK(grid("[30,30]", R"({"resolution":10,"dst_crs":"utm"})").at("direction") == json::value("up"));
    CHECK(grid("[30,30]", R"({"dst_crs":"utm"})").at("ratio_class") == json::value("1"));  // GDAL keeps the resolution
    CHECK(grid("[30,30]", R"({"resolution":300,"dst_crs":"utm"})").at("ratio_class") == json::value("64+"));
    CHECK(grid("[30,30]", R"({"resolution":120})").at("ratio_class") ==
          json::value("16"));  // in the input's own metres
    CHECK(grid("[30,30]", R"({"resolution":98.42519,"dst_crs":"feet"})").at("direction") == json::value("same"));
    // A tenth of a degree at 60 N is 11.1 km high and 5.6 km wide.
    CHECK(grid("[30,30]", R"({"resolution":0.1,"dst_crs":"degrees"})").at("ratio").to_number<double>() ==
          Approx(262.1).epsilon(0.001));
    CHECK(grid("[30,30]", "{}", R"(,{"cell_m":[90,90]})").at("inputs_ratio") == json::value(3.0));
    CHECK(grid("[30,30]", R"({"resolution":[60],"dst_crs":"utm"})").at("ratio") == json::value(2.0));
    CHECK(grid("[30,30]", R"({"resolution":[30,120],"dst_crs":"utm"})").at("ratio") == json::value(2.0));
    CHECK(grid("[30,30]", R"({"width":10,"dst_crs":"utm"})").at("ratio") == json::value(40.0));
    CHECK(grid("[30,30]", R"({"width":100,"height":75,"dst_crs":"utm"})").at("ratio") == json::value(4.0));
    CHECK(line(grid("[30,30]", R"({"width":10,"bounds":[0,0,1,1],"dst_crs":"utm"})")) == R"({"inputs_ratio":1})");
    CHECK(grid("[30,30]", R"({"align_to":"coarse.tif"})", R"(,{"path":"coarse.tif","cell_m":[90,90]})").at("ratio") ==
          json::value(3.0));
    CHECK(grid("null", R"({"resolution":60,"dst_crs":"utm"})").is_null());
}

namespace {
// A raster of 10 x 10 cells in metres whose upper left corner is (x, 100).
std::string tile(double x, double cell, const std::string& crs = "EPSG:32632") {
    const auto number = [](double v) { return std::to_string(v); };
    return R"({"bounds":[)" + number(x) + "," + number(100 - 10 * cell) + "," + number(x + 10 * cell) +
           R"(,100],"width":10,"height":10,"pixel_size":[)" + number(cell) + "," + number(cell) + R"(],"cell_m":[)" +
           number(cell) + "," + number(cell) + R"(],"crs":{"normal":")" + crs + R"(","unit_m":1}})";
}
json::value joined(const std::vector<std::string>& tiles, const std::string& arguments) {
    static const auto where = parse_output_grid(parsed(R"({"resolution":"/resolution","joined":"/uris"})")).value();
    std::string all;
    for (const auto& t : tiles) all += (all.empty() ? "" : ",") + t;
    const auto facts = with_relations(parsed(R"({"input":)" + tiles.front() + R"(,"inputs":[)" + all + "]}"),
                                      parsed(arguments), where, "", lookup);
    return facts.at("grid");
}
bool coincide(const std::vector<std::string>& tiles) {
    return base::bool_member(joined(tiles, R"({"uris":["a","b"]})"), "inputs_coincide");
}
}  // namespace

TEST_CASE("several rasters coincide if their cells lie on one lattice in one CRS") {
    CHECK(coincide({tile(0, 30), tile(300, 30)}));
    CHECK(coincide({tile(0, 30), tile(60, 30), tile(900, 30)}));
    CHECK(coincide({tile(0, 30)}));  // alone
    CHECK_FALSE(coincide({tile(0, 30), tile(310, 30)}));
    CHECK_FALSE(coincide({tile(0, 30), tile(300, 30), tile(600, 10)}));
    CHECK_FALSE(coincide({tile(0, 30), tile(300, 30, "EPSG:32633")}));
    CHECK_FALSE(coincide({tile(0, 30, ""), tile(300, 30, "")}));
}

TEST_CASE("of rasters that are joined the one whose cells change most gives the ratio") {
    const std::vector<std::string> both{tile(0, 30), tile(300, 10)};
    const auto ratio = [&](const std::string& more) {
        return joined(both, R"({"uris":["a","b"])" + more + "}").at("ratio").to_number<double>();
    };
    CHECK(ratio(R"(,"resolution":30)") == Approx(3));
    CHECK(ratio(R"(,"resolution":10)") == Approx(1.0 / 3));
    CHECK(ratio(R"(,"resolution":90)") == Approx(9));
    CHECK(ratio("") == Approx(1));  // they keep their cells
    CHECK(joined(both, R"({"resolution":90})").at("ratio").to_number<double>() ==
          Approx(3));  // not joined: of the first
}
