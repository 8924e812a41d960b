// gdalmcp/gdal_table_days.hpp — days in the columns of a text table, written in figures with the year last: what they
// tell of their order, and how vector_calc reads them.
#pragma once
#include <cpl_string.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

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
inline std::string day_first_recipe(const std::string& field, bool short_years = false) {
    const auto d = in_expression(field);
    return "date(concat(" + (short_years ? "'20', right(" + d + ", 2)" : "substr(" + d + ", 7, 4)") + ", '-', substr(" +
           d + ", 4, 2), '-', left(" + d + ", 2)))";
}

// The same where the month stands first, in one digit or two, and '/' or '-' between.
inline std::string month_first_recipe(const std::string& field, bool short_years) {
    const auto d = in_expression(field);
    return short_years ? "date(concat('20', right(" + d + ", 2), '-', left(" + d + ", length(" + d + ") - 3)))"
                       : "date(concat(right(" + d + ", 4), '-', left(" + d + ", length(" + d + ") - 5)))";
}

// What days tell of their order: a number beyond 12 is a day.
struct day_order {
    bool first_is_day = false, second_is_day = false, short_years = false;

    void see(const std::string& text) {
        int first = 0, second = 0, begin = 0, end = 0;
        std::sscanf(text.c_str(), "%2d%*c%2d%*c%n%*4d%n", &first, &second, &begin, &end);
        first_is_day = first_is_day || first > 12;
        second_is_day = second_is_day || second > 12;
        short_years = short_years || end - begin == 2;
    }
    // After "'<example>' and the like are days".
    std::string said(const std::string& field) const {
        const std::string years = short_years ? " with years of two digits" : "";
        const std::string recent = short_years ? ", of years from 2000 on" : "";
        if (second_is_day && !first_is_day)
            return years + ", the month first; vector_calc reads them with " + month_first_recipe(field, short_years) +
                   recent;
        const auto day_first = day_first_recipe(field, short_years);
        if (first_is_day && !second_is_day)
            return years + ", the day first; in two digits each, vector_calc reads them with " + day_first + recent;
        return years +
               " whose order of day and month is not stated; where the day stands first, in two digits, "
               "vector_calc reads them with " +
               day_first + ", where the month does with " + month_first_recipe(field, short_years) + recent;
    }
};

// "2021-12-31" of "31.12.2021", or of "12/31/2021" where the month stands first; nullopt: there is no such day.
inline std::optional<std::string> iso_day(const std::string& text, bool day_first) {
    int first = 0, second = 0, year = 0, read = 0;
    char a = 0, b = 0;
    if (!looks_like_day(text) ||
        std::sscanf(text.c_str(), "%2d%c%2d%c%4d%n", &first, &a, &second, &b, &year, &read) != 5 ||
        static_cast<std::size_t>(read) != text.size() || year < 1000)
        return std::nullopt;
    const int day = day_first ? first : second, month = day_first ? second : first;
    if (!std::chrono::year_month_day{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                     std::chrono::day{static_cast<unsigned>(day)}}
             .ok())
        return std::nullopt;
    return CPLSPrintf("%04d-%02d-%02d", year, month, day);
}

}  // namespace gdalmcp::gdal::detail
