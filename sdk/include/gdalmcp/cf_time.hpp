// gdalmcp/cf_time.hpp — the date of a time coordinate, by section 4.4 of the CF conventions: a number, "days since
// 1950-01-01" and a calendar. Header-only; standard library only.
#pragma once
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace gdalmcp {

// What GDAL states as ACQUISITIONDATETIME of a scene whose own date it cannot read (Landsat's MTL files).
inline constexpr std::string_view unread_acquisition = "1970-01-01 00:00:00";

namespace cf_time {

struct date {
    std::int64_t year = 0;
    int month = 1, day = 1;
};

inline std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }

// Julian day numbers from months that begin in March; Richards, E. G. (2013), Explanatory Supplement to the
// Astronomical Almanac, section 15.11.
inline std::int64_t day_number(const date& d, bool gregorian) {
    const std::int64_t a = (14 - d.month) / 12, y = d.year + 4800 - a, m = d.month + 12 * a - 3;
    const std::int64_t days = d.day + (153 * m + 2) / 5 + 365 * y + floor_div(y, 4);
    return gregorian ? days - floor_div(y, 100) + floor_div(y, 400) - 32045 : days - 32083;
}

inline date date_of(std::int64_t day, bool gregorian) {
    std::int64_t century = 0, c = day + 32082;
    if (gregorian) {
        const std::int64_t a = day + 32044;
        century = floor_div(4 * a + 3, 146097);
        c = a - floor_div(146097 * century, 4);
    }
    const std::int64_t d = floor_div(4 * c + 3, 1461), e = c - floor_div(1461 * d, 4), m = (5 * e + 2) / 153;
    return {100 * century + d - 4800 + m / 10, static_cast<int>(m + 3 - 12 * (m / 10)),
            static_cast<int>(e - (153 * m + 2) / 5 + 1)};
}

inline constexpr std::int64_t first_gregorian_day = 2299161;  // 1582-10-15

// A calendar: days since some origin of a date, and back.
class calendar {
public:
    static std::optional<calendar> named(std::string_view name) {
        calendar c;
        if (name.empty() || name == "standard" || name == "gregorian")
            c.by_ = rule::mixed;
        else if (name == "proleptic_gregorian")
            c.by_ = rule::gregorian;
        else if (name == "julian")
            c.by_ = rule::julian;
        else if (name == "noleap" || name == "365_day")
            c.months_[1] = 28;
        else if (name == "all_leap" || name == "366_day")
            c.months_[1] = 29;
        else if (name == "360_day")
            c.months_.fill(30);
        else
            return std::nullopt;
        return c;
    }

    std::int64_t days(const date& d) const {
        if (by_ == rule::julian) return day_number(d, false);
        if (by_ == rule::gregorian) return day_number(d, true);
        if (by_ == rule::mixed) {
            const auto n = day_number(d, true);
            return n >= first_gregorian_day ? n : day_number(d, false);
        }
        std::int64_t n = d.year * year_length() + d.day - 1;
        for (int m = 1; m < d.month; ++m) n += months_[static_cast<std::size_t>(m - 1)];
        return n;
    }

    date on(std::int64_t n) const {
        if (by_ != rule::fixed)
            return date_of(n, by_ == rule::gregorian || (by_ == rule::mixed && n >= first_gregorian_day));
        date d{floor_div(n, year_length())};
        n -= d.year * year_length();
        for (const int length : months_) {
            if (n < length) break;
            n -= length;
            ++d.month;
        }
        d.day = static_cast<int>(n) + 1;
        return d;
    }

private:
    enum class rule { fixed, mixed, gregorian, julian };
    std::int64_t year_length() const {
        std::int64_t n = 0;
        for (const int length : months_) n += length;
        return n;
    }
    rule by_ = rule::fixed;
    std::array<int, 12> months_{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};  // of every year, for fixed
};

inline std::string lower(std::string_view text) {
    std::string s{text};
    std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return s;
}

// Seconds of a unit; 0 = not one of a fixed length.
inline double seconds_of(std::string_view unit) {
    for (const std::string_view name : {"days", "day", "d"})
        if (unit == name) return 86400;
    for (const std::string_view name : {"hours", "hour", "hrs", "hr", "h"})
        if (unit == name) return 3600;
    for (const std::string_view name : {"minutes", "minute", "mins", "min"})
        if (unit == name) return 60;
    for (const std::string_view name : {"seconds", "second", "secs", "sec", "s"})
        if (unit == name) return 1;
    return 0;
}

// The date and the seconds after its midnight, of "1950-1-1", "1950-01-01 6:00:0.0", "1950-01-01T00:00:00Z +1:00".
struct instant {
    date day;
    double seconds = 0;
};
inline std::optional<instant> instant_of(const std::string& text) {
    instant i;
    long long year = 0;
    int used = 0;
    if (std::sscanf(text.c_str(), " %lld-%2d-%2d%n", &year, &i.day.month, &i.day.day, &used) != 3) return std::nullopt;
    i.day.year = year;
    if (i.day.month < 1 || i.day.month > 12 || i.day.day < 1 || i.day.day > 31) return std::nullopt;
    const char* rest = text.c_str() + used;
    while (*rest == ' ' || *rest == 't') ++rest;
    int hour = 0, minute = 0;
    double second = 0;
    if (std::isdigit(static_cast<unsigned char>(*rest))) {
        if (std::sscanf(rest, "%2d%n", &hour, &used) != 1) return std::nullopt;
        rest += used;
        if (std::sscanf(rest, ":%2d%n", &minute, &used) == 1) rest += used;
        if (std::sscanf(rest, ":%lf%n", &second, &used) == 1) rest += used;
    }
    i.seconds = 3600.0 * hour + 60.0 * minute + second;
    std::string zone{rest};
    std::erase(zone, ' ');
    if (zone.empty() || zone == "z" || zone == "utc" || zone == "gmt") return i;
    int east = 0, part = 0, length = 0;
    if ((zone[0] != '+' && zone[0] != '-') || std::sscanf(zone.c_str() + 1, "%2d%n", &east, &length) != 1)
        return std::nullopt;
    const char* minutes = zone.c_str() + 1 + length;
    if (*minutes && std::sscanf(minutes, *minutes == ':' ? ":%2d" : "%2d", &part) != 1) return std::nullopt;
    i.seconds -= (zone[0] == '-' ? -60.0 : 60.0) * (60 * east + part);
    return i;
}

}  // namespace cf_time

// "1999-01-15", or "1999-01-15T06:30" and "…:07" where the time of day is not midnight; UTC. units: "days since
// 1950-01-01 00:00:00 +1:00". calendar: "" = standard. nullopt for units that are no time, for months and years, whose
// length CF leaves open, and for an unknown calendar.
inline std::optional<std::string> cf_date(double value, std::string_view units, std::string_view calendar_name = {}) {
    using namespace cf_time;
    const auto text = lower(units);
    const auto since = text.find(" since ");
    const auto by = calendar::named(lower(calendar_name));
    if (since == std::string::npos || !by || !std::isfinite(value)) return std::nullopt;
    const double unit = seconds_of(text.substr(0, since));
    const auto origin = instant_of(text.substr(since + 7));
    if (unit == 0 || !origin || std::abs(value * unit) > 1e15) return std::nullopt;
    const auto seconds = std::llround(value * unit + origin->seconds);
    const auto days = floor_div(seconds, 86400);
    const auto d = by->on(by->days(origin->day) + days);
    const auto rest = static_cast<int>(seconds - days * 86400);
    char out[48];
    int length = std::snprintf(out, sizeof out, "%04lld-%02d-%02d", static_cast<long long>(d.year), d.month, d.day);
    if (rest != 0)
        length += std::snprintf(out + length, sizeof out - static_cast<std::size_t>(length), "T%02d:%02d", rest / 3600,
                                rest / 60 % 60);
    if (rest % 60 != 0) std::snprintf(out + length, sizeof out - static_cast<std::size_t>(length), ":%02d", rest % 60);
    return out;
}

}  // namespace gdalmcp
