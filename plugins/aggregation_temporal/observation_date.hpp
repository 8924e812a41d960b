// observation_date.hpp — when a raster was observed, from words about it: what a caller writes, metadata, names.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gdalmcp_temporal {

// A year, a month, a day or a moment (UTC); all but the last stand for their first day.
struct observation_date {
    enum class precision { year, month, day };
    std::string text;  // "2024", "2024-01", "2024-01-31", "2024-01-31T10:30:05"
    double days = 0;   // since 1970-01-01T00:00
    precision known = precision::day;
};

// Whether both may be the same day: to the precision of the less precise one.
bool same_date(const observation_date& a, const observation_date& b);

// Whether a is before b for certain: "2024-01" is not before "2024-01-15"; a day is its midnight. REQUIRES: a.days <=
// b.days.
bool before(const observation_date& a, const observation_date& b);

// "2024-01-31", "2024:01:31 10:30:05" (of TIFF), "2024-01-31T10:30:05.6Z", "2024-01", "20240131", "2024031" (day of the
// year), "2024". nullopt for any other text, and where there is no such day.
std::optional<observation_date> date_in(const std::string& text);

struct named_dates {
    std::vector<observation_date> dates;  // without repetitions
    // A part that narrows a year down in a way that is not read: "Q3_2020", "03.04.2020", "190105"; or "".
    std::string unread;
};

// The dates that a file's name or a band's label may state. Days: 20240131, 2024-01-31, 2024_1_31, 31Jan2024,
// 2024-Jan-31, 31.12.2024 and 12/31 alike where only one order of day and month is in the calendar, 2024031 and
// 2024_031 as the day of the year. If there is none months (2024-01, 202401, Jan2024), if there is none years from 1900
// to 2099. Months are named in English. Digits stand apart from other digits. Of products of Landsat (LC08_…), MODIS
// and VIIRS (….A2024031.…) the date of acquisition alone, not that of processing.
named_dates dates_in_name(const std::string& name);

// What a name says beside the one year in it, without its extension: "ndvi_*_Q3" of "ndvi_2020_Q3.tif".
std::string beside_year(const std::string& name);

}  // namespace gdalmcp_temporal
