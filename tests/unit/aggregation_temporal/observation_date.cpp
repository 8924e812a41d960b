#include <aggregation_temporal/observation_date.hpp>

#include "catch.hpp"

using namespace gdalmcp_temporal;

namespace {

std::vector<std::string> in_name(const std::string& name) {
    std::vector<std::string> found;
    for (const auto& d : dates_in_name(name).dates) found.push_back(d.text);
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

TEST_CASE("days are read in the other orders in which one is in the calendar") {
    CHECK(in_name("a_31.12.2020.tif") == texts{"2020-12-31"});
    CHECK(in_name("a_01.01.2021.tif") == texts{"2021-01-01"});  // in either order
    CHECK(in_name("a_31-12-2020.tif") == texts{"2020-12-31"});
    CHECK(in_name("a_12_31_2020.tif") == texts{"2020-12-31"});
    CHECK(in_name("a_2020_1_5.tif") == texts{"2020-01-05"});
    CHECK(in_name("a_2020_045.tif") == texts{"2020-02-14"});
    CHECK(in_name("a_31.12.2020_05.05.2022.tif") == texts{"2020-12-31", "2022-05-05"});
    CHECK(in_name("2020-01-05_2021-02-06.tif") == texts{"2020-01-05", "2021-02-06"});
    // Resolutions are no parts of dates.
    CHECK(in_name("lc_2020_10m.tif") == texts{"2020"});
    CHECK(in_name("dem_2020_100m.tif") == texts{"2020"});
}

TEST_CASE("months are read by their English names") {
    for (const char* name :
         {"a_05Jan2020.tif", "2020-Jan-05.tif", "5_january_2020.tif", "jan_05_2020.tif", "2020jan5.tif"})
        CHECK(in_name(name) == texts{"2020-01-05"});
    CHECK(in_name("rain_Sept2020.tif") == texts{"2020-09"});
    CHECK(in_name("rain_2020_dec_v2.tif") == texts{"2020-12"});
    CHECK(in_name("Weimar_2020.tif") == texts{"2020"});
    CHECK(in_name("30Feb2020.tif") == texts{"2020-02"});
}

TEST_CASE("what narrows a year down and is not read is named") {
    const auto unread = [](const std::string& name) { return dates_in_name(name).unread; };
    CHECK(unread("a_03.04.2020.tif") == "03.04.2020");
    CHECK(in_name("a_03.04.2020.tif") == texts{"2020"});
    CHECK(unread("x_2020_Q3.tif") == "2020_Q3");
    CHECK(unread("q1-2020.tif") == "q1-2020");
    CHECK(unread("x_2020W05.tif") == "2020W05");
    CHECK(unread("summer2020.tif") == "summer2020");
    for (const char* clean : {"landcover_2019.tif", "lc_2019_v2.tif", "h18v04_2019.tif", "a_31.12.2020.tif", "dem.tif"})
        CHECK(unread(clean) == "");
}

TEST_CASE("what a name says beside its year") {
    CHECK(beside_year("ndvi_2020_7.tif") == "ndvi_*_7");
    CHECK(beside_year("2020.tif") == "*");
    CHECK(beside_year("tile_12345.tif") == "tile_12345");
}

TEST_CASE("the date of acquisition counts where a product's name is known") {
    CHECK(in_name("LC08_L2SP_200012_20240131_20240205_02_T1_SR_B4.TIF") == texts{"2024-01-31"});
    CHECK(in_name("S2A_MSIL2A_20240131T101301_N0510_R022_T33UUP_20240205T141500.tif") == texts{"2024-01-31"});
    CHECK(in_name("S1A_IW_GRDH_1SDV_20240131T235950_20240201T000015_051999_064A3B_ABCD.tif") == texts{"2024-01-31"});
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
