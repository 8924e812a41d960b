#include "worker/crs_registry.hpp"

#include <algorithm>

#include "catch.hpp"

using namespace gdalmcp;
namespace json = base::json;

namespace {
const json::array& all() {
    static const auto rows = worker::registered_crs().value();
    return rows;
}
const json::value* row(const std::string& code) {
    const auto found = std::find_if(all().begin(), all().end(),
                                    [&](const json::value& r) { return r.at("code") == json::string_view{code}; });
    return found == all().end() ? nullptr : &*found;
}
json::object entry(const std::string& spelling) { return worker::crs_entry(spelling).value(); }
}  // namespace

TEST_CASE("the registry lists a CRS with its kind and the area it is for") {
    const auto* r = row("EPSG:26917");
    REQUIRE(r);
    CHECK(r->at("name") == "NAD83 / UTM zone 17N");
    CHECK(r->at("kind") == "projected");
    CHECK(r->at("deprecated") == false);
    CHECK(r->at("body") == "Earth");
    CHECK(r->at("bbox").at(0).to_number<double>() == Approx(-84));
    CHECK(row("EPSG:3785")->at("deprecated") == true);
    CHECK(row("EPSG:5773")->at("kind") == "vertical");
    CHECK(row("EPSG:4979")->at("kind") == "geographic_3d");
}

TEST_CASE("an entry names the axes in the order of the authority") {
    const auto geographic = entry("EPSG:4326");
    CHECK(geographic.at("axes").at(0).at("abbreviation") == "Lat");
    CHECK(geographic.at("unit") == "degree");
    CHECK(geographic.at("datum").at("accuracy_m").to_number<double>() == 2);  // EPSG: WGS 84 ensemble
    CHECK(entry("EPSG:2264").at("unit") == "US survey foot");
    CHECK(entry("EPSG:32633").at("axes").at(0).at("direction") == "east");
    CHECK(entry("EPSG:7415").at("axes").as_array().size() == 3);
    CHECK(entry("EPSG:7415").at("components").as_array().size() == 2);
}

TEST_CASE("a deprecated CRS names its successor, and is returned itself") {
    const auto old = entry("epsg:3785");
    CHECK(old.at("code") == "EPSG:3785");
    CHECK(old.at("deprecated") == true);
    CHECK(old.at("superseded_by") == json::value(json::array{"EPSG:3857"}));
}

TEST_CASE("a deprecated CRS without a successor in PROJ has the one that tools resolve it to") {
    CHECK(entry("ESRI:102100").at("superseded_by") == json::value(json::array{"EPSG:3857"}));
    CHECK(entry("EPSG:900913").at("superseded_by") == json::value(json::array{"EPSG:3857"}));
    CHECK(entry("EPSG:3857").at("superseded_by").as_array().empty());
    CHECK(entry("OGC:CRS27").at("superseded_by").as_array().empty());  // other axes than EPSG:4267
}

TEST_CASE("a bare number is a code of EPSG") { CHECK(entry("32633").at("name") == "WGS 84 / UTM zone 33N"); }

TEST_CASE("an unknown CRS is reported as not found, by name") {
    const auto r = worker::crs_entry("EPSG:54034");  // of ESRI, never of EPSG
    REQUIRE_FALSE(r);
    CHECK(r.error().code == std::string{base::code::not_found});
    CHECK(r.error().message.find("EPSG:54034") != std::string::npos);
}
