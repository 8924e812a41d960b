#include "text_functions.hpp"

#include "written_number.hpp"

#include <utf8proc.h>
#include <gdalmcp/tool.hpp>

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

namespace gdalmcp_expressions {
namespace {

constexpr operation table[] = {{"upper", 1, nullptr},          {"lower", 1, nullptr},
                               {"trim", 1, nullptr},           {"length", 1, nullptr},
                               {"left", 2, nullptr},           {"right", 2, nullptr},
                               {"substr", 3, nullptr},         {"replace", 3, nullptr},
                               {"contains", 2, nullptr, true}, {"startswith", 2, nullptr, true},
                               {"endswith", 2, nullptr, true}, {"concat", 2, nullptr, false, true},
                               {"text", 1, nullptr},           {"number", 1, nullptr},
                               {"isnull", 1, nullptr, true},   {"coalesce", 2, nullptr, false, true},
                               {"null", 0, nullptr},           {"date", 1, nullptr},
                               {"datetime", 1, nullptr},       {"year", 1, nullptr},
                               {"month", 1, nullptr},          {"day", 1, nullptr},
                               {"weekday", 1, nullptr},        {"days", 2, nullptr},
                               {"adddays", 2, nullptr}};
static_assert(std::size(table) == text_function_count);

void be(cell& r, double v) {
    r.missing = false;
    r.number = v;
}
void be(cell& r, std::string v) {
    r.missing = false;
    r.text = std::move(v);
}
// Missing, and counted as not defined for its operands.
void be_undefined(cell& r) { r.number = undefined_number(); }

// Where characters begin in UTF-8, and the end. Bytes that are not UTF-8 count one by one.
std::vector<std::size_t> characters(const std::string& s) {
    std::vector<std::size_t> begins;
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(s.data());
    for (std::size_t at = 0; at < s.size();) {
        begins.push_back(at);
        utf8proc_int32_t point = 0;
        const auto length = utf8proc_iterate(bytes + at, static_cast<utf8proc_ssize_t>(s.size() - at), &point);
        at += length > 0 ? static_cast<std::size_t>(length) : 1;
    }
    begins.push_back(s.size());
    return begins;
}

// Character by character, as Unicode's simple case mapping has it.
std::string mapped(const std::string& s, utf8proc_int32_t (*change)(utf8proc_int32_t)) {
    std::string out;
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(s.data());
    for (std::size_t at = 0; at < s.size();) {
        utf8proc_int32_t point = 0;
        const auto length = utf8proc_iterate(bytes + at, static_cast<utf8proc_ssize_t>(s.size() - at), &point);
        if (length <= 0) {
            out += s[at++];
            continue;
        }
        utf8proc_uint8_t coded[4];
        const auto size = utf8proc_encode_char(change(point), coded);
        out.append(reinterpret_cast<const char*>(coded), static_cast<std::size_t>(size));
        at += static_cast<std::size_t>(length);
    }
    return out;
}

// Characters `from` (0-based) to before `to`.
std::string part(const std::string& s, double from, double to) {
    const auto begins = characters(s);
    const auto last = static_cast<double>(begins.size() - 1);
    const auto a = static_cast<std::size_t>(std::min(std::max(from, 0.0), last));
    const auto b = static_cast<std::size_t>(std::min(std::max(to, 0.0), last));
    return a < b ? s.substr(begins[a], begins[b] - begins[a]) : std::string{};
}
bool whole(double v) { return v == std::floor(v); }

std::string shown(const cell& c) { return digits_of(c.number); }

void upper(const cell* of, cell& r) { be(r, mapped(of[0].text, utf8proc_toupper)); }
void lower(const cell* of, cell& r) { be(r, mapped(of[0].text, utf8proc_tolower)); }
void trim(const cell* of, cell& r) {
    const auto& s = of[0].text;
    const auto a = s.find_first_not_of(" \t\r\n"), b = s.find_last_not_of(" \t\r\n");
    be(r, a == std::string::npos ? std::string{} : s.substr(a, b - a + 1));
}
void length(const cell* of, cell& r) { be(r, static_cast<double>(characters(of[0].text).size() - 1)); }
void left(const cell* of, cell& r) { be(r, part(of[0].text, 0, of[1].number)); }
void right(const cell* of, cell& r) {
    const auto all = static_cast<double>(characters(of[0].text).size() - 1);
    be(r, part(of[0].text, all - of[1].number, all));
}
// From the n-th character, counted from 1, so many.
void substr(const cell* of, cell& r) {
    if (of[1].number < 1 || of[2].number < 0 || !whole(of[1].number) || !whole(of[2].number)) return be_undefined(r);
    be(r, part(of[0].text, of[1].number - 1, of[1].number - 1 + of[2].number));
}
void replace(const cell* of, cell& r) {
    std::string s = of[0].text;
    const auto& what = of[1].text;
    for (std::size_t at = 0; !what.empty() && (at = s.find(what, at)) != std::string::npos; at += of[2].text.size())
        s.replace(at, what.size(), of[2].text);
    be(r, std::move(s));
}
void contains(const cell* of, cell& r) { be(r, of[0].text.find(of[1].text) != std::string::npos); }
void starts_with(const cell* of, cell& r) { be(r, of[0].text.starts_with(of[1].text)); }
void ends_with(const cell* of, cell& r) { be(r, of[0].text.ends_with(of[1].text)); }
void text_and_text(const cell* of, cell& r) { be(r, of[0].text + of[1].text); }
void text_and_number(const cell* of, cell& r) { be(r, of[0].text + shown(of[1])); }
void number_and_text(const cell* of, cell& r) { be(r, shown(of[0]) + of[1].text); }
void number_and_number(const cell* of, cell& r) { be(r, shown(of[0]) + shown(of[1])); }
void as_text(const cell* of, cell& r) { be(r, of[0].text); }
void number_as_text(const cell* of, cell& r) { be(r, shown(of[0])); }
bool blank(const std::string& s) { return s.find_first_not_of(" \t\r\n") == std::string::npos; }
// An empty text is no value, rather than one that cannot be read, as is a whole number that a double rounds.
void as_number(const cell* of, cell& r) {
    if (blank(of[0].text)) return;
    const auto v = written_number(of[0].text);
    return v ? be(r, *v) : be_undefined(r);
}
// Known whatever the missing operand is, as in SQL: true or null is true, false and null is false.
template <bool Deciding>
void junction(const cell* of, cell& r) {
    const auto decides = [](const cell& c) { return !c.missing && (c.number != 0) == Deciding; };
    if (decides(of[0]) || decides(of[1])) return be(r, Deciding);
    if (!of[0].missing && !of[1].missing) be(r, !Deciding);
}
void is_null(const cell* of, cell& r) { be(r, of[0].missing); }
void coalesce(const cell* of, cell& r) { r = of[0].missing ? of[1] : of[0]; }
void where(const cell* of, cell& r) {
    if (!of[0].missing) r = of[0].number != 0 ? of[1] : of[2];
}

// A date is that of the clock as it is written: 2024-01-01T00:30+02:00 is in 2024.
template <class F>
void of_date(const cell* of, cell& r, F f) {
    double days = 0;
    std::size_t zone = 0;
    if (!clock_of(of[0].text, days, zone)) return be_undefined(r);
    f(std::chrono::year_month_day{std::chrono::sys_days{std::chrono::days{static_cast<int>(std::floor(days))}}});
}
std::string written(double days, bool moment) {
    const double day = std::floor(days);
    constexpr long a_day = 86400000;  // milliseconds
    const long in_day = moment ? std::lround((days - day) * a_day) : 0;
    if (in_day == a_day) return written(day + 1, true);
    const std::chrono::year_month_day d{std::chrono::sys_days{std::chrono::days{static_cast<int>(day)}}};
    char s[64];
    std::snprintf(s, sizeof s, "%04d-%02u-%02u", static_cast<int>(d.year()), static_cast<unsigned>(d.month()),
                  static_cast<unsigned>(d.day()));
    if (!moment) return s;
    const std::size_t size = std::char_traits<char>::length(s);
    const long seconds = in_day / 1000, milliseconds = in_day % 1000;
    std::snprintf(s + size, sizeof s - size, milliseconds ? "T%02ld:%02ld:%02ld.%03ld" : "T%02ld:%02ld:%02ld",
                  seconds / 3600, seconds / 60 % 60, seconds % 60, milliseconds);
    return s;
}
void as_date(const cell* of, cell& r) {
    if (blank(of[0].text)) return;
    double days = 0;
    std::size_t zone = 0;
    if (!clock_of(of[0].text, days, zone)) return be_undefined(r);
    be(r, written(days, false));
}
void as_moment(const cell* of, cell& r) {
    if (blank(of[0].text)) return;
    double days = 0;
    std::size_t zone = 0;
    if (!clock_of(of[0].text, days, zone)) return be_undefined(r);
    be(r, written(days, true) + of[0].text.substr(zone));
}
void year(const cell* of, cell& r) {
    of_date(of, r, [&](auto d) { be(r, static_cast<int>(d.year())); });
}
void month(const cell* of, cell& r) {
    of_date(of, r, [&](auto d) { be(r, static_cast<unsigned>(d.month())); });
}
void day(const cell* of, cell& r) {
    of_date(of, r, [&](auto d) { be(r, static_cast<unsigned>(d.day())); });
}
// 1: Monday, as in ISO 8601.
void weekday(const cell* of, cell& r) {
    of_date(of, r, [&](auto d) { be(r, std::chrono::weekday{std::chrono::sys_days{d}}.iso_encoding()); });
}
void days(const cell* of, cell& r) {
    double a = 0, b = 0;
    if (!days_of(of[0].text, a) || !days_of(of[1].text, b)) return be_undefined(r);
    be(r, a - b);
}
// Days of years of four digits, as dates are written.
bool in_calendar(double days) {
    const auto begin = [](int year) {
        return std::chrono::sys_days{std::chrono::year{year} / 1 / 1}.time_since_epoch().count();
    };
    return days >= begin(0) && days < begin(10'000);
}
template <bool Moment>
void add_days(const cell* of, cell& r) {
    double from = 0;
    std::size_t zone = 0;
    const double sum = clock_of(of[0].text, from, zone) ? from + of[1].number : NAN;
    if (!in_calendar(sum) || (!Moment && !whole(of[1].number))) return be_undefined(r);
    be(r, written(sum, Moment) + (Moment ? of[0].text.substr(zone) : std::string{}));
}

struct before {
    template <class T>
    bool operator()(const T& a, const T& b) const {
        return a < b;
    }
};
struct same {
    template <class T>
    bool operator()(const T& a, const T& b) const {
        return a == b;
    }
};
// F(a, b), or of exchanged operands, or its opposite.
template <class F, bool Exchanged, bool Not>
void compare(const cell* of, cell& r) {
    be(r, F{}(of[Exchanged].text, of[!Exchanged].text) != Not);
}
template <class F, bool Exchanged, bool Not>
void compare_dates(const cell* of, cell& r) {
    double a = 0, b = 0;
    if (!days_of(of[Exchanged].text, a) || !days_of(of[!Exchanged].text, b)) return be_undefined(r);
    be(r, F{}(a, b) != Not);
}

constexpr row_function row_table[] = {
    {"upper", "t", 't', upper},
    {"lower", "t", 't', lower},
    {"trim", "t", 't', trim},
    {"length", "t", 'n', length},
    {"left", "tn", 't', left},
    {"right", "tn", 't', right},
    {"substr", "tnn", 't', substr},
    {"replace", "ttt", 't', replace},
    {"contains", "tt", 'T', contains},
    {"startswith", "tt", 'T', starts_with},
    {"endswith", "tt", 'T', ends_with},
    {"concat", "nn", 't', number_and_number},
    {"concat", "na", 't', number_and_text},
    {"concat", "an", 't', text_and_number},
    {"concat", "aa", 't', text_and_text},
    {"text", "n", 't', number_as_text},
    {"text", "a", 't', as_text},
    {"number", "t", 'n', as_number},
    {"isnull", "a", 'T', is_null, true},
    {"isnodata", "a", 'T', is_null, true},
    {"or", "nn", 'T', junction<true>, true},
    {"||", "nn", 'T', junction<true>, true},
    {"and", "nn", 'T', junction<false>, true},
    {"&&", "nn", 'T', junction<false>, true},
    {"coalesce", "ss", 's', coalesce, true},
    {"where", "nss", 's', where, true},
    {"date", "t", 'D', as_date},
    {"date", "d", 'D', as_date},
    {"datetime", "t", 'M', as_moment},
    {"datetime", "d", 'M', as_moment},
    {"year", "d", 'n', year},
    {"month", "d", 'n', month},
    {"day", "d", 'n', day},
    {"weekday", "d", 'n', weekday},
    {"days", "dd", 'n', days},
    {"adddays", "Dn", 'D', add_days<false>},
    {"adddays", "dn", 'd', add_days<true>},
    {"+", "tt", 't', text_and_text},
    {"==", "tt", 'T', compare<same, false, false>},
    {"!=", "tt", 'T', compare<same, false, true>},
    {"<", "tt", 'T', compare<before, false, false>},
    {">", "tt", 'T', compare<before, true, false>},
    {"<=", "tt", 'T', compare<before, true, true>},
    {">=", "tt", 'T', compare<before, false, true>},
    {"==", "dd", 'T', compare_dates<same, false, false>},
    {"!=", "dd", 'T', compare_dates<same, false, true>},
    {"<", "dd", 'T', compare_dates<before, false, false>},
    {">", "dd", 'T', compare_dates<before, true, false>},
    {"<=", "dd", 'T', compare_dates<before, true, true>},
    {">=", "dd", 'T', compare_dates<before, false, true>},
};
constexpr row_function nothing{"null", "", '0', nullptr};
constexpr row_function on_numbers{"", "", 'n', nullptr};
constexpr row_function truth_of_numbers{"", "", 'T', nullptr};

bool number_like(value_type t) { return t == value_type::number || t == value_type::truth; }
bool dated(value_type t) { return t == value_type::date || t == value_type::moment; }

// `same`: what the operands of letter s are so far.
bool fits(char letter, value_type t, value_type& same) {
    if (t == value_type::null) return true;
    switch (letter) {
        case 'n':
            return number_like(t);
        case 't':
            return t == value_type::text;
        case 'd':
            return dated(t);
        case 'D':
            return t == value_type::date;
        case 's':
            if (same == value_type::null || (number_like(same) && number_like(t))) {
                same = same == value_type::number ? same : t;
                return true;
            }
            return same == t;
        default:
            return true;
    }
}

value_type result_of(const row_function& f, const value_type* of, value_type same) {
    switch (f.result) {
        case 't':
            return value_type::text;
        case 'n':
            return value_type::number;
        case 'T':
            return value_type::truth;
        case 'D':
            return value_type::date;
        case 'M':
            return value_type::moment;
        case 's':
            return same;
        case 'd':
            return of[0];
        default:
            return value_type::null;
    }
}

// What computes with dates, or joins texts, where an operation of numbers does not.
std::string way_without(const operation& does, const value_type* of) {
    const auto name = does.name;
    const auto dated = [&](std::size_t i) { return of[i] == value_type::date || of[i] == value_type::moment; };
    const bool first = dated(0), second = does.operands > 1 && dated(1);
    if (name == "min" && first && second) return "where(a < b, a, b) is the earlier of two dates; ";
    if (name == "max" && first && second) return "where(a > b, a, b) is the later of two dates; ";
    if (name == "-" && first && second) return "days(a, b) is a - b in days; ";
    if ((name == "+" || name == "-") && first) return "adddays(date, n) is the day n days later, or earlier with -n; ";
    if (name == "||") return "concat(a, b) joins texts, or stands between conditions; ";
    return "";
}

bool joins_conditions(std::string_view name) { return name == "or" || name == "||" || name == "and" || name == "&&"; }

bool comparison(std::string_view name) { return name.find_first_of("<>") == 0 || name == "==" || name == "!="; }

std::string taken(const operation& does) {
    const auto name = does.name;
    std::string all = does.compute ? "numbers" : "";
    const auto add = [&](const std::string& one) { all += (all.empty() ? "" : ", or ") + one; };
    for (const auto& f : row_table) {
        if (f.name != name || joins_conditions(name)) continue;
        std::string one;
        for (const char* c = f.operands; *c; ++c)
            one += (one.empty() ? "" : " and ") + std::string{*c == 'n'                ? "a number"
                                                              : *c == 't'              ? "text"
                                                              : *c == 'd' || *c == 'D' ? "a date"
                                                              : *c == 's'              ? "values of one type"
                                                                                       : "any value"};
        add(one);
    }
    if (name == "where") return "a condition and two values of one type";
    return comparison(name) ? "two numbers, two texts or two dates" : all;
}

}  // namespace

std::span<const operation> text_functions() { return table; }

const char* name_of(value_type t) {
    constexpr const char* names[] = {"null", "a number", "a truth value", "text", "a date", "a date with time"};
    return names[static_cast<std::size_t>(t)];
}

found_function find_row_function(const operation& does, const value_type* of) {
    if (does.name == "null" || does.name == "nodata") return {&nothing, value_type::null};
    bool numbers = does.compute != nullptr && !joins_conditions(does.name);
    for (std::size_t i = 0; i < does.operands; ++i)
        numbers = numbers && (number_like(of[i]) || of[i] == value_type::null);
    if (numbers)
        return {does.truth ? &truth_of_numbers : &on_numbers, does.truth ? value_type::truth : value_type::number};
    for (const auto& f : row_table) {
        if (f.name != does.name) continue;
        auto same = value_type::null;
        bool all = true;
        for (std::size_t i = 0; i < does.operands && all; ++i) all = fits(f.operands[i], of[i], same);
        if (all) return {&f, result_of(f, of, same)};
    }
    std::string given;
    for (std::size_t i = 0; i < does.operands; ++i) given += (i ? " and " : "") + std::string{name_of(of[i])};
    throw gdalmcp::error{
        GDALMCP_INVALID_ARGUMENT, "'" + std::string{does.name} + "' takes " + taken(does) + ", and is given " + given,
        way_without(does, of) +
            "number(text), text(value), date(text) and datetime(text) change types; text stands in single quotes"};
}

std::string digits_of(double v) {
    char s[400];
    const bool short_enough = v == 0 || (std::abs(v) >= 1e-7 && std::abs(v) < 1e21);
    if (!short_enough) return gdalmcp::detail::number(v);
    return {s, std::to_chars(s, s + sizeof s, v == 0 ? 0 : v, std::chars_format::fixed).ptr};
}

namespace {

// offset: from UTC, in days.
bool read_moment(const std::string& s, double& days, double& offset, std::size_t& zone) {
    int y = 0, m = 0, d = 0, hours = 0, minutes = 0, read = 0;
    offset = 0;
    zone = s.size();
    double seconds = 0;
    const auto year = std::min(s.find_first_not_of("0123456789"), s.size());  // 24-01-31 is no day of the year 24
    if (year != 4 || std::sscanf(s.c_str(), "%4d%*1[-/]%2d%*1[-/]%2d%n", &y, &m, &d, &read) != 3 || read == 0)
        return false;
    const std::chrono::year_month_day date{std::chrono::year{y}, std::chrono::month{static_cast<unsigned>(m)},
                                           std::chrono::day{static_cast<unsigned>(d)}};
    if (m < 1 || d < 1 || !date.ok()) return false;
    days = static_cast<double>(std::chrono::sys_days{date}.time_since_epoch().count());
    const char* rest = s.c_str() + read;
    if (!*rest) return true;
    if ((*rest != ' ' && *rest != 'T') || std::sscanf(rest + 1, "%2d:%2d%n", &hours, &minutes, &read) != 2)
        return false;
    rest += 1 + read;
    if (*rest == ':' && std::sscanf(rest, ":%lf%n", &seconds, &read) == 1) rest += read;
    int sign = 0, off_hours = 0, off_minutes = 0;
    zone = static_cast<std::size_t>(rest - s.c_str());
    if (*rest == '+' || *rest == '-') {
        sign = *rest == '+' ? 1 : -1;
        if (std::sscanf(rest + 1, "%2d:%2d", &off_hours, &off_minutes) < 1) return false;
    } else if (*rest && *rest != 'Z') {
        return false;
    }
    if (hours > 24 || minutes > 59 || !(seconds < 61)) return false;
    days += (hours * 3600 + minutes * 60 + seconds) / 86400.0;
    offset = sign * (off_hours * 3600 + off_minutes * 60) / 86400.0;
    return true;
}

}  // namespace

bool clock_of(const std::string& text, double& days, std::size_t& zone) {
    double offset = 0;
    return read_moment(text, days, offset, zone);
}

bool days_of(const std::string& text, double& days) {
    double offset = 0;
    std::size_t zone = 0;
    if (!read_moment(text, days, offset, zone)) return false;
    days -= offset;
    return true;
}

}  // namespace gdalmcp_expressions
