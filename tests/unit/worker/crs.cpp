#include "worker/crs.hpp"

#include "catch.hpp"

using namespace gdalmcp;

namespace {
base::json::object described(const std::string& spelling) { return worker::describe_spelling(spelling).value(); }
}  // namespace

TEST_CASE("a spelling is described with its unit in metres") {
    CHECK(described("EPSG:32633").at("unit_m").to_number<double>() == 1);
    CHECK(described("EPSG:4326").at("unit_m").to_number<double>() == 0);
    // US survey foot: 1200/3937 m.
    CHECK(described("EPSG:2264").at("unit_m").to_number<double>() == Approx(1200.0 / 3937));
}

TEST_CASE("a spelling is described with the area the registry says it is for") {
    // EPSG area of use 2084, UTM zone 33N: between 12°E and 18°E, northern hemisphere between equator and 84°N.
    const base::json::value zone(base::json::array{12.0, 0.0, 18.0, 84.0});
    CHECK(base::canonical_json(described("epsg:32633").at("area_of_use")) == base::canonical_json(zone));
    CHECK_FALSE(described("+proj=lcc +lat_1=33 +lat_2=45 +lat_0=39 +lon_0=-96 +datum=WGS84").contains("area_of_use"));
}

TEST_CASE("a height axis is named") {
    CHECK(described("EPSG:32633").at("vertical") == "");
    CHECK(described("EPSG:7415").at("vertical") == "NAP height");
    CHECK(described("EPSG:4979").at("vertical") == "ellipsoidal height");
}

TEST_CASE("what PROJ does not know is refused by name") {
    const auto r = worker::describe_spelling("EPSG:0");
    REQUIRE_FALSE(r);
    CHECK(r.error().message.find("EPSG:0") != std::string::npos);
}
