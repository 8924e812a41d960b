#include "base/crs_spelling.hpp"

#include "catch.hpp"

using namespace gdalmcp::base;

TEST_CASE("a CRS code is the same whatever separates it from its authority") {
    for (const char* text : {"EPSG:4326", "epsg:4326", "EPSG 4326", "EPSG4326", "Epsg-4326", "EPSG_4326", " 4326 "}) {
        INFO(text);
        CHECK(crs_spelling(text) == "EPSG:4326");
    }
    CHECK(crs_spelling("esri 102100") == "ESRI:102100");
    CHECK(crs_spelling("900913") == "EPSG:900913");
    CHECK(crs_spelling("CRS84") == "OGC:CRS84");
    CHECK(crs_spelling("ogc crs84") == "OGC:CRS84");
}

TEST_CASE("anything but a bare code is left to PROJ") {
    for (const char* text : {"", " ", "EPSG", "EPSG:", "EPSG:32633+5773", "OGC:CRS84", "WGS84", "+proj=longlat", "123",
                             "1234567", "EPSG:43 26", "urn:ogc:def:crs:EPSG::4326"}) {
        INFO(text);
        CHECK(crs_spelling(text) == text);
    }
}

TEST_CASE("a whole number is a code of EPSG") {
    const auto spelled = [](json::value v) {
        spell_crs(v);
        return write_json(v);
    };
    CHECK(spelled(4326) == R"("EPSG:4326")");
    CHECK(spelled(4326.0) == R"("EPSG:4326")");
    CHECK(spelled("4326") == R"("EPSG:4326")");
    CHECK(spelled(4326.5) == "4326.5");
    CHECK(spelled(-4326) == "-4326");
    CHECK(spelled(1e300) == write_json(json::value(1e300)));
    CHECK(spelled(true) == "true");
    CHECK(spelled(nullptr) == "null");
}
