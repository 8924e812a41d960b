#include "app/resources/completions.hpp"

#include "app/resources/reference.hpp"

#include "catch.hpp"

using namespace gdalmcp;

namespace {
app::registered_crs crs(const std::string& code, const std::string& name, bool deprecated = false) {
    return {code, name, "projected", "", "Earth", deprecated, {}, app::words_of(name), {}};
}
const std::vector<app::registered_crs>& some() {
    static const std::vector<app::registered_crs> all = {crs("EPSG:2690", "NAD83 / old zone", true),
                                                         crs("EPSG:26917", "NAD83 / UTM zone 17N"),
                                                         crs("EPSG:269", "a short one"),
                                                         crs("EPSG:32617", "WGS 84 / UTM zone 17N"),
                                                         crs("ESRI:26917", "UTM zone 17N of ESRI"),
                                                         crs("EPSG:32717", "WGS 84 / UTM zone 17S"),
                                                         crs("EPSG:4326", "WGS 84")};
    return all;
}
using texts = std::vector<std::string>;
}  // namespace

TEST_CASE("a CRS is found by the beginning of its code: exact, then in use, then deprecated") {
    CHECK(app::matching_crs(some(), "EPSG:269") == texts{"EPSG:269", "EPSG:26917", "EPSG:2690"});
    CHECK(app::matching_crs(some(), "epsg:2691") == texts{"EPSG:26917"});
    CHECK(app::matching_crs(some(), "2691") == texts{"EPSG:26917", "ESRI:26917"});
}

TEST_CASE("a CRS is found by words of its name, in any order and unfinished") {
    CHECK(app::matching_crs(some(), "utm 17n") == texts{"EPSG:26917", "EPSG:32617", "ESRI:26917"});
    CHECK(app::matching_crs(some(), "17s wgs") == texts{"EPSG:32717"});
    CHECK(app::matching_crs(some(), "wgs 84").front() == "EPSG:4326");
    CHECK(app::matching_crs(some(), "gauss").empty());
}

TEST_CASE("nothing typed matches every code") { CHECK(app::matching_crs(some(), "").size() == some().size()); }

TEST_CASE("an area name ends before its first details, and no number is cut") {
    std::vector<app::registered_crs> all;
    for (const char* area : {"Germany - onshore east of 10°30'E.", "Algeria; Morocco; Tunisia.", "World.",
                             "World between 85.06°S and 85.06°N.", "Canada. Greenland."}) {
        all.push_back(crs("EPSG:1", "a name"));
        all.back().area = area;
    }
    CHECK(app::area_names(all) == texts{"Algeria", "Canada", "Germany", "World", "World between 85.06°S and 85.06°N"});
}
