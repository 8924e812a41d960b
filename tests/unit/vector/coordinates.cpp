#include <vector/coordinates.hpp>

#include "catch.hpp"

using gdalmcp_vector::coordinate_of;

TEST_CASE("coordinates are read as people write them") {
    CHECK(coordinate_of("13.405")->value == 13.405);
    CHECK(coordinate_of(" -13,5 ")->value == -13.5);
    CHECK(coordinate_of("500000")->value == 500000);
    CHECK(coordinate_of("-1e-05")->value == -0.00001);
    CHECK(coordinate_of("5E-05")->value == 0.00005);
    CHECK_FALSE(coordinate_of("5e-05 30"));
    CHECK_FALSE(coordinate_of("5e-05x"));
    CHECK(coordinate_of("52°30'00\"N")->value == 52.5);
    CHECK(coordinate_of("52° 30′ 36″ S")->value == -52.51);
    CHECK(coordinate_of("N 52 30.6")->value == 52.51);
    CHECK(coordinate_of("13:24:18 W")->value == -(13 + 24 / 60.0 + 18 / 3600.0));
    CHECK(coordinate_of("-13 30 0")->value == -13.5);
    CHECK(coordinate_of("13.5e")->hemisphere == 'E');
    CHECK(coordinate_of("0 30 0 W")->value == -0.5);
    CHECK(coordinate_of("52 30")->sexagesimal);
    CHECK_FALSE(coordinate_of("52.5")->sexagesimal);
}

TEST_CASE("what is no coordinate is none") {
    for (const char* text : {"", " ", "abc", "N", "52 60 0", "52 30 61", "52.5 30", "1 2 3 4", "-5 W", "5-", "1e5",
                             "52;30", "nan", "--5"}) {
        INFO(text);
        CHECK_FALSE(coordinate_of(text));
    }
}
