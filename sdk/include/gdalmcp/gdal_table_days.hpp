// gdalmcp/gdal_table_days.hpp — days and times in texts: those with the year first and nothing behind them, and days
// written in figures with the year last: what they tell of their order, and how vector_calc reads them.
#pragma once
#include <cpl_string.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gdalmcp::gdal::detail {

// "12/31/2021" or "31.12.21", perhaps with a time: which is the month is not stated.
inline bool looks_like_day(std::string_view text) {
    const auto digits = [&text] {
        std::size_t n = 0;
        while (n < text.size() && text[n] >= '0' && text[n] <= '9') ++n;
        text.remove_prefix(n);
        return n;
    };
    const auto first = digits();
    if (first < 1 || first > 2 || text.empty() || (text[0] != '/' && text[0] != '.' && text[0] != '-')) return false;
    const char mark = text[0];
    text.remove_prefix(1);
    const auto second = digits();
    if (second < 1 || second > 2 || text.empty() || text[0] != mark) return false;
    text.remove_prefix(1);
    const auto year = digits();
    return (year == 2 || year == 4) && (text.empty() || text[0] == ' ');
}

// How vector_calc names a field.
inline std::string in_expression(const std::string& field) {
    const bool word =
        field.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
    return word && !(field[0] >= '0' && field[0] <= '9') ? field : "\"" + field + "\"";
}

// How vector_calc reads the days of a text field in which the day stands first, each in two digits.
inline std::string day_first_recipe(const std::string& field) {
    const auto d = in_expression(field);
    return "date(concat(substr(" + d + ", 7, 4), '-', substr(" + d + ", 4, 2), '-', left(" + d + ", 2)))";
}

// The parts of a text, taken from its front.
struct text_scan {
    std::string_view rest;

    // A number of so many digits; -1: there is none.
    int number(std::size_t fewest, std::size_t most) {
        std::size_t n = 0;
        int v = 0;
        for (; n < most && n < rest.size() && rest[n] >= '0' && rest[n] <= '9'; ++n) v = v * 10 + (rest[n] - '0');
        if (n < fewest) return -1;
        rest.remove_prefix(n);
        return v;
    }
    bool take(std::string_view one_of) {
        if (rest.empty() || one_of.find(rest.front()) == std::string_view::npos) return false;
        rest.remove_prefix(1);
        return true;
    }
    void skip_blanks() {
        while (take(" ")) continue;
    }
};

// A day or a time as OGRParseDate() reads it whole.
struct moment_text {
    std::string text;
    bool clock = false;  // it has a time
    bool cut = false;    // fractions of a second beyond milliseconds
};

// "22:00" of "10:00 PM", "10:00:00.5Z" of "10:00:00,5 UTC"; nullopt: anything else stands there, such as the name of a
// time zone or an offset that is none, which OGRParseDate() passes over.
inline std::optional<moment_text> iso_clock(std::string_view text) {
    text_scan s{text};
    int hour = s.number(1, 2);
    const auto after_hour = s.rest;
    if (hour < 0 || hour > 23 || !s.take(":") || s.number(2, 2) < 0) return std::nullopt;
    moment_text found{.text = {}, .clock = true};
    auto minutes = std::string{after_hour.substr(0, after_hour.size() - s.rest.size())};
    if (minutes[1] > '5') return std::nullopt;
    if (s.take(":")) {
        const auto begin = s.rest;
        const int second = s.number(2, 2);
        if (second < 0 || second > 60) return std::nullopt;
        minutes += ":" + std::string{begin.substr(0, 2)};
        if (s.take(".,")) {
            const auto digits = s.rest.substr(0, std::min(s.rest.find_first_not_of("0123456789"), s.rest.size()));
            if (digits.empty()) return std::nullopt;
            found.cut = digits.find_last_not_of('0') + 1 > 3;
            // A second of 59.9996 would show as 60.000.
            minutes += "." + std::string{digits.substr(0, found.cut && digits.starts_with("999") ? 3 : digits.size())};
            s.rest.remove_prefix(digits.size());
        }
    }
    s.skip_blanks();
    if (const bool after_noon = s.rest.starts_with('P') || s.rest.starts_with('p'); after_noon || s.take("Aa")) {
        if (after_noon) s.rest.remove_prefix(1);
        static_cast<void>(s.take("."));
        if (!s.take("Mm") || hour < 1 || hour > 12) return std::nullopt;
        static_cast<void>(s.take("."));
        hour = hour % 12 + (after_noon ? 12 : 0);
        found.text = CPLSPrintf("%02d", hour) + minutes;
    } else {
        found.text = std::string{text.substr(0, text.size() - after_hour.size())} + minutes;
    }
    s.skip_blanks();
    if (s.rest.empty()) return found;
    const std::string zone{s.rest};
    if (EQUAL(zone.c_str(), "Z") || EQUAL(zone.c_str(), "UTC") || EQUAL(zone.c_str(), "GMT")) {
        found.text += 'Z';
        return found;
    }
    if (!s.take("+-")) return std::nullopt;
    constexpr int farthest = 14;  // hours from UTC
    const int hours = s.number(2, 2);
    const bool colon = s.take(":");
    const int quarters = colon || !s.rest.empty() ? s.number(2, 2) : 0;
    if (hours < 0 || hours > farthest || quarters < 0 || quarters > 45 || quarters % 15 != 0 || !s.rest.empty())
        return std::nullopt;
    found.text += zone;
    return found;
}

// A day with the year first, perhaps with a time; nullopt: anything else stands in the text, or there is no such day.
inline std::optional<moment_text> iso_moment(std::string_view text) {
    text_scan s{text};
    const int year = s.number(4, 4);
    if (year < 0 || !s.take("-/")) return std::nullopt;
    const int month = s.number(1, 2);
    if (month < 0 || !s.take("-/")) return std::nullopt;
    const int day = s.number(1, 2);
    if (day < 0 || !(std::chrono::year{year} / month / day).ok()) return std::nullopt;
    const auto clock = text.substr(text.size() - s.rest.size());
    if (s.rest.empty()) return moment_text{std::string{text}};
    if (!s.take(" T")) return std::nullopt;
    auto found = iso_clock(s.rest);
    if (found) found->text = std::string{text.substr(0, text.size() - clock.size() + 1)} + found->text;
    return found;
}

// What days tell of their order: a number beyond 12 is no month, one beyond 31 no day.
struct day_order {
    int first = 0, second = 0, third = 0;                            // the largest
    bool short_years = false, single_digits = false, timed = false;  // of any
    char mark = '/';

    void see(const std::string& text) {
        text_scan s{text};
        const auto part = [&](int& largest) {
            const auto before = s.rest.size();
            largest = std::max(largest, s.number(1, 4));
            const auto digits = before - s.rest.size();
            if (!s.rest.empty()) mark = s.rest.front() == ' ' ? mark : s.rest.front();
            s.take("/.-");
            return digits;
        };
        const bool one = part(first) == 1, other = part(second) == 1;
        single_digits = single_digits || one || other;
        short_years = part(third) == 2 || short_years;
        timed = timed || !s.rest.empty();
    }
    // After "'<example>' and the like are days".
    std::string said(const std::string& field) const {
        const auto d = in_expression(field);
        std::vector<std::pair<std::string, std::string>> orders;
        if (short_years && mark != '.' && second <= 12 && third <= 31)
            orders.emplace_back("year", "date(concat(" + century("left(" + d + ", 2)") + ", " +
                                            (timed ? "left(" + d + ", 8)" : d) + "))");
        if (first <= 31 && second <= 12) orders.emplace_back("day", recipe(d, true));
        if (first <= 12 && second <= 31) orders.emplace_back("month", recipe(d, false));
        const std::string years = short_years ? " with years of two digits" : "";
        const std::string recent = !short_years  ? ""
                                   : !some_old() ? ", of years from 2000 on"
                                                 : ", of years from 30 on in the 1900s";
        if (orders.empty()) return years + " in no one order";
        const bool known = orders.size() == 1;
        std::string said = years + (known                       ? ", the " + orders[0].first + " first"
                                    : orders[0].first == "year" ? " whose order of year, month and day is not stated"
                                                                : " whose order of day and month is not stated");
        if (timed && single_digits)
            return said + "; written with the year and two digits each, 2024-01-31 10:00, they are read";
        for (std::size_t i = 0; i < orders.size(); ++i)
            said +=
                (i == 0 ? "; " : ", ") +
                (known ? std::string{} : "where the " + orders[i].first + (i == 0 ? " stands first, " : " does, ")) +
                (i == 0 ? timed ? "vector_calc reads their days with " : "vector_calc reads them with " : "with ") +
                orders[i].second;
        return said + recent;
    }

private:
    bool some_old() const { return std::max(third, second > 12 || third > 31 ? 0 : first) > 29; }
    std::string century(const std::string& year) const {
        return some_old() ? "where(" + year + " < '30', '20', '19')" : "'20'";
    }
    // d: the field in an expression.
    std::string recipe(const std::string& d, bool day_first) const {
        const std::string digits = short_years ? "2" : "4";
        auto year = single_digits ? "right(" + d + ", " + digits + ")" : "substr(" + d + ", 7, " + digits + ")";
        if (short_years) year = century(year) + ", " + year;
        std::string first_part = "left(" + d + ", 2)", second_part = "substr(" + d + ", 4, 2)";
        if (single_digits && !day_first && mark != '.')  // date() reads "2024-1/31" as well
            return "date(concat(" + year + ", '-', left(" + d + ", length(" + d + ") - " + (short_years ? "3" : "5") +
                   ")))";
        if (single_digits) {
            const auto size = "where(substr(" + d + ", 2, 1) == '" + mark + "', 1, 2)";
            first_part = "left(" + d + ", " + size + ")";
            second_part = "substr(" + d + ", " + size + " + 2, length(" + d + ") - " + size + " - " +
                          (short_years ? "4" : "6") + ")";
        }
        return "date(concat(" + year + ", '-', " + (day_first ? second_part : first_part) + ", '-', " +
               (day_first ? first_part : second_part) + "))";
    }
};

// 2021-12-31 of "31.12.2021", or of "12/31/2021" where the month stands first, with its time; nullopt: there is no such
// day.
inline std::optional<moment_text> iso_day(const std::string& text, bool day_first) {
    if (!looks_like_day(text)) return std::nullopt;
    text_scan s{text};
    const int first = s.number(1, 2);
    s.take("/.-");
    const int second = s.number(1, 2);
    s.take("/.-");
    const int year = s.number(4, 4);
    if (year < 1000) return std::nullopt;
    const std::string iso = CPLSPrintf("%04d-%02d-%02d", year, day_first ? second : first, day_first ? first : second);
    return iso_moment(iso + std::string{s.rest});
}

}  // namespace gdalmcp::gdal::detail
