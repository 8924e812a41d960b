#include <raster/spare_value.hpp>

#include "catch.hpp"

using gdalmcp_raster::cell_type;
using gdalmcp_raster::spare_value;

TEST_CASE("bytes are marked with 255 when it is free, else 0, else any free value") {
    spare_value s{cell_type::uint8};
    CHECK(s.found() == 255);
    const double white = 255, black = 0;
    s.see(&white, 1);
    CHECK(s.found() == 0);
    s.see(&black, 1);
    CHECK(s.found() == 254);
}

TEST_CASE("where all 256 values occur none is free") {
    spare_value s{cell_type::uint8};
    for (int i = 0; i < 256; ++i) {
        const double v = i;
        s.see(&v, 1);
    }
    CHECK_FALSE(s.found());
}

TEST_CASE("signed and floating-point types have customary values") {
    CHECK(spare_value{cell_type::int16}.found() == -32768);
    CHECK(spare_value{cell_type::float32}.found() == -9999);
    spare_value s{cell_type::float64};
    const double v = -9999;
    s.see(&v, 1);
    CHECK(*s.found() < -1e300);
}
