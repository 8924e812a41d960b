#include <gdalmcp/cf_time.hpp>

#include "catch.hpp"

using gdalmcp::cf_date;

namespace {
std::string text(double value, std::string_view units, std::string_view calendar = {}) {
    return cf_date(value, units, calendar).value_or("none");
}
}  // namespace

TEST_CASE("days since a date become dates, through leap years") {
    CHECK(text(0, "days since 1950-01-01") == "1950-01-01");
    CHECK(text(31 + 28, "days since 1999-01-01") == "1999-03-01");
    CHECK(text(31 + 28, "days since 2000-01-01 00:00:00") == "2000-02-29");
    CHECK(text(-1, "days since 1970-1-1") == "1969-12-31");
    CHECK(text(19723, "days since 1970-01-01") == "2024-01-01");
}

TEST_CASE("a time of day is shown unless it is midnight") {
    CHECK(text(0.25, "days since 2000-01-01") == "2000-01-01T06:00");
    CHECK(text(90, "seconds since 2000-01-01T12:00:00Z") == "2000-01-01T12:01:30");
    CHECK(text(1'105'056'000, "seconds since 1970-01-01") == "2005-01-07");
    CHECK(text(24, "hours since 1900-02-28 00:00:0.0") == "1900-03-01");
    CHECK(text(0, "hours since 2000-01-01 00:00 +1:00") == "1999-12-31T23:00");
    CHECK(text(0, "hours since 2000-01-01 00:00 -0630") == "2000-01-01T06:30");
}

TEST_CASE("the standard calendar is Julian before 15 October 1582") {
    CHECK(text(1, "days since 1582-10-04") == "1582-10-15");
    CHECK(text(1, "days since 1582-10-04", "proleptic_gregorian") == "1582-10-05");
    CHECK(text(1, "days since 1582-10-04", "julian") == "1582-10-05");
    CHECK(text(0, "days since 0001-01-01") == "0001-01-01");
    // 1970-01-01 is day 719164 of the Julian-Gregorian count from 0001-01-01, day 719162 of the Gregorian one.
    CHECK(text(719164, "days since 0001-01-01") == "1970-01-01");
    CHECK(text(719162, "days since 0001-01-01", "proleptic_gregorian") == "1970-01-01");
}

TEST_CASE("calendars of models have years of equal length") {
    CHECK(text(59, "days since 2000-01-01", "noleap") == "2000-03-01");
    CHECK(text(365, "days since 2000-01-01", "365_day") == "2001-01-01");
    CHECK(text(59, "days since 2001-01-01", "366_day") == "2001-02-29");
    CHECK(text(59, "days since 2001-01-01", "360_day") == "2001-02-30");
    CHECK(text(-1, "days since 2001-01-01", "360_day") == "2000-12-30");
}

TEST_CASE("what CF leaves open has no date") {
    CHECK(text(3, "months since 1950-01-01") == "none");
    CHECK(text(3, "years since 1950-01-01") == "none");
    CHECK(text(850, "hPa") == "none");
    CHECK(text(3, "days since yesterday") == "none");
    CHECK(text(3, "days since 1950-13-01") == "none");
    CHECK(text(3, "days since 1950-01-01", "mayan") == "none");
    CHECK(text(1e300, "days since 1950-01-01") == "none");
}
