#include <aggregation_temporal/observation_date.hpp>

#include "catch.hpp"

using namespace gdalmcp_temporal;

namespace {

std::vector<std::string> in_name(const std::string& name) {
    std::vector<std::string> found;
    for (const auto& d : dates_in_name(name)) found.push_back(d.text);
    return found;
}

using texts = std::vector<std::string>;

}  // namespace

TEST_CASE("dates are written in the usual ways") {
    CHECK(date_in("2024-01-31")->text == "2024-01-31");
    CHECK(date_in("2024:01:31 10:30:05")->text == "2024-01-31T10:30:05");
    CHECK(date_in("2024-01-31T10:30:05.600Z")->text == "2024-01-31T10:30:05");
    CHECK(date_in("2024-01-31 00:00:00")->text == "2024-01-31");
    CHECK(date_in("20240131")->text == "2024-01-31");
    CHECK(date_in("2024060")->text == "2024-02-29");
    CHECK(date_in("2024-01")->text == "2024-01");
    CHECK(date_in("2024")->text == "2024");
    for (const char* wrong : {"", "yesterday", "2023-02-29", "2024-13-01", "2024366x", "2023366", "31.01.2024", "12"})
        CHECK_FALSE(date_in(wrong));
}

TEST_CASE("days count from 1970, with leap years and the time of day") {
    CHECK(date_in("1970-01-01")->days == 0);
    CHECK(date_in("1972-03-01")->days == 790);  // 365 + 365 + 31 + 29
    CHECK(date_in("1969-12-31")->days == -1);
    CHECK(date_in("1970-01-02T06:00")->days == 1.25);
    CHECK(date_in("1971")->days == 365);
}

TEST_CASE("file names state days, months or years") {
    CHECK(in_name("ndvi_20240131.tif") == texts{"2024-01-31"});
    CHECK(in_name("2024-01-31.tif") == texts{"2024-01-31"});
    CHECK(in_name("ndvi_2024_01_31_v2.tif") == texts{"2024-01-31"});
    CHECK(in_name("ndvi2024123.tif") == texts{"2024-05-02"});
    CHECK(in_name("ndvi_2024_01.tif") == texts{"2024-01"});
    CHECK(in_name("rain-202401.nc") == texts{"2024-01"});
    CHECK(in_name("landcover_2019.tif") == texts{"2019"});
    CHECK(in_name("dem_30m.tif").empty());
    CHECK(in_name("tile_12345678.tif").empty());
    CHECK(in_name("a_20241301.tif").empty());
}

TEST_CASE("the date of acquisition counts where a product's name is known") {
    CHECK(in_name("LC08_L2SP_200012_20240131_20240205_02_T1_SR_B4.TIF") == texts{"2024-01-31"});
    CHECK(in_name("S2A_MSIL2A_20240131T101301_N0510_R022_T33UUP_20240131T141500.tif") == texts{"2024-01-31"});
    CHECK(in_name("MOD13Q1.A2024033.h18v04.061.2024050123456.hdf") == texts{"2024-02-02"});
}

TEST_CASE("two dates in a name are both returned") {
    CHECK(in_name("ndvi_20240101_20240116.tif") == texts{"2024-01-01", "2024-01-16"});
}

TEST_CASE("dates are the same to the precision of the less precise") {
    CHECK(same_date(*date_in("2024-01-31"), *date_in("2024-01")));
    CHECK(same_date(*date_in("2024-01-31T10:30"), *date_in("2024-01-31")));
    CHECK_FALSE(same_date(*date_in("2024-01-31"), *date_in("2024-02")));
    CHECK_FALSE(same_date(*date_in("2023"), *date_in("2024-02")));
}

TEST_CASE("a date is before another for certain where no day of it may be the same") {
    CHECK(before(*date_in("2024-01-30"), *date_in("2024-01-31")));
    CHECK(before(*date_in("2024-01"), *date_in("2024-02-01")));
    CHECK(before(*date_in("2024-01-31T10:30"), *date_in("2024-01-31T10:31")));
    CHECK_FALSE(before(*date_in("2024-01"), *date_in("2024-01-15")));
    CHECK_FALSE(before(*date_in("2024"), *date_in("2024")));
}
