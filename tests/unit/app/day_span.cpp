#include "app/datasets/day_span.hpp"

#include "catch.hpp"

using gdalmcp::app::day_span, gdalmcp::app::day_span_of, gdalmcp::app::days_in_name;
using spans = std::vector<day_span>;

TEST_CASE("a year, a month, a day and intervals of them are spans of whole days") {
    CHECK(day_span_of("2019").value() == day_span{20190101, 20191231});
    CHECK(day_span_of("2020-02").value() == day_span{20200201, 20200229});
    CHECK(day_span_of("2019-05-17").value() == day_span{20190517, 20190517});
    CHECK(day_span_of("2019-05-17T10:30:00Z").value() == day_span{20190517, 20190517});
    CHECK(day_span_of("2019/2021-03").value() == day_span{20190101, 20210331});
    CHECK(day_span_of("../2020").value() == day_span{0, 20201231});
    CHECK(day_span_of("2020-06/..").value() == day_span{20200601, 99999999});
}

TEST_CASE("what is no time is refused with the place and an example") {
    for (const char* wrong : {"", "19", "May 2019", "2019-13", "2019-02-30", "2021/2019", "../..", "2019/2020/2021"}) {
        const auto r = day_span_of(wrong);
        REQUIRE(!r);
        CHECK(r.error().at == "/time");
        CHECK(r.error().hint.find("2019/2021") != std::string::npos);
    }
}

TEST_CASE("spans meet when they share a day") {
    CHECK(day_span{20190101, 20191231}.meets({20191231, 20200101}));
    CHECK_FALSE(day_span{20190101, 20191231}.meets({20200101, 20200101}));
}

TEST_CASE("dates are read from names") {
    CHECK(days_in_name("lc_2019.tif") == spans{{20190101, 20191231}});
    CHECK(days_in_name("pop2015") == spans{{20150101, 20151231}});
    CHECK(days_in_name("S2A_20190517T101031_N0207.tif") == spans{{20190517, 20190517}});
    CHECK(days_in_name("t2m_2019-05.nc") == spans{{20190501, 20190531}});
    CHECK(days_in_name("t2m_201905.nc") == spans{{20190501, 20190531}});
    CHECK(days_in_name("2019_05_17/a.tif") == spans{{20190517, 20190517}});
    CHECK(days_in_name("ndvi_2010-2020") == spans{{20100101, 20201231}});
    CHECK(days_in_name("MOD13A2.A2019137.h18v04") == spans{{20190517, 20190517}});
    CHECK(days_in_name("era5_2019010106.grib") == spans{{20190101, 20190101}});
    CHECK(days_in_name("a_2001_b_2005") == spans{{20010101, 20011231}, {20050101, 20051231}});
}

TEST_CASE("lengths, sizes, scales, codes and long numbers are no dates") {
    for (const char* name : {"dem_2000m.tif", "2048x2048.png", "map_1:2500", "roads_epsg_2154", "epsg2056.gpkg",
                             "id_1234", "12019", "20191", "2019051", "19991399", "v1.2019.3", "tile_9999"})
        CHECK(days_in_name(name).empty());
}
