#include <hydrology/encoding.hpp>

#include "catch.hpp"

using namespace gdalmcp_hydrology;

TEST_CASE("every direction survives every encoding") {
    for (const auto name : encoding_names) {
        const auto code = encoding_named(name).value();
        CHECK(name_of(code) == name);
        for (std::uint8_t d = east; d <= undrained; ++d)
            for (const bool leaves : {false, true}) CHECK(decode(code, encode(code, d, leaves)) == d);
        CHECK_FALSE(decode(code, nodata_of(code)));
        CHECK_FALSE(decode(code, 3.5));
        CHECK_FALSE(decode(code, 129));
    }
    CHECK_FALSE(encoding_named("ESRI"));
}

TEST_CASE("the codes are those of the programs' manuals") {
    CHECK(encode(encoding::esri, east, false) == 1);
    CHECK(encode(encoding::esri, north, false) == 64);
    CHECK(encode(encoding::whitebox, northeast, false) == 1);
    CHECK(encode(encoding::whitebox, north, false) == 128);
    CHECK(encode(encoding::taudem, northeast, false) == 2);
    CHECK(encode(encoding::taudem, southeast, false) == 8);
    CHECK(encode(encoding::grass, northeast, false) == 1);
    CHECK(encode(encoding::grass, east, true) == -8);
}

TEST_CASE("the same byte means different directions to esri and whitebox") {
    CHECK(decode(encoding::esri, 2) == southeast);
    CHECK(decode(encoding::whitebox, 2) == east);
}

TEST_CASE("the flats and pits of pysheds, -1 and -2, are undrained in the esri encoding alone") {
    for (const double value : {-1.0, -2.0}) {
        CHECK(decode(encoding::esri, value) == undrained);
        CHECK_FALSE(decode(encoding::whitebox, value));
    }
    CHECK_FALSE(decode(encoding::esri, -3));
}
