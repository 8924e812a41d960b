#include "observation_date.hpp"

#include <gdalmcp/cf_time.hpp>

#include <algorithm>
#include <cstdio>
#include <regex>

namespace gdalmcp_temporal {
namespace {

using precision = observation_date::precision;

constexpr std::int64_t epoch = 2440588;  // Julian day number of 1970-01-01

std::optional<observation_date> made(int year, int month, int day, precision known) {
    if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1) return std::nullopt;
    const auto number = gdalmcp::cf_time::day_number({year, month, day}, true);
    const auto back = gdalmcp::cf_time::date_of(number, true);
    if (back.month != month || back.day != day) return std::nullopt;  // 31 April
    observation_date d;
    d.days = static_cast<double>(number - epoch);
    d.known = known;
    char text[32];
    const char* form = known == precision::year ? "%04d" : known == precision::month ? "%04d-%02d" : "%04d-%02d-%02d";
    std::snprintf(text, sizeof text, form, year, month, day);
    d.text = text;
    return d;
}

std::optional<observation_date> of_day_of_year(int year, int day) {
    if (year < 1 || year > 9999 || day < 1 || day > 366) return std::nullopt;
    const auto first = gdalmcp::cf_time::day_number({year, 1, 1}, true);
    const auto d = gdalmcp::cf_time::date_of(first + day - 1, true);
    if (d.year != year) return std::nullopt;  // day 366
    return made(year, d.month, d.day, precision::day);
}

// The parts of a match that are numbers: 0 where one is absent.
int number(const std::smatch& m, std::size_t group) { return m[group].matched ? std::stoi(m[group].str()) : 0; }

// A date found in a name, where other numbers than dates occur.
void add(std::vector<observation_date>& found, const std::optional<observation_date>& d) {
    constexpr std::string_view first = "1900", last = "2100";
    if (!d || d->text < first || d->text >= last) return;
    for (const auto& other : found)
        if (other.text == d->text) return;
    found.push_back(*d);
}

// Every match of a pattern, one by one. std::regex has no look-behind: the character or the start before a date is
// matched, and a date's last digit is looked beyond, so that one date may follow another.
template <class F>
void each(const std::string& text, const std::regex& pattern, F f) {
    for (std::sregex_iterator i{text.begin(), text.end(), pattern}, end; i != end; ++i) f(*i);
}

// The same, and the matches are taken out: the end of one date is no beginning of another.
template <class F>
void take(std::string& text, const std::regex& pattern, F f) {
    each(text, pattern, f);
    text = std::regex_replace(text, pattern, "|");
}

std::regex pattern_of(const std::string& text) { return std::regex{text, std::regex::icase}; }

// A month by its English name, and the number of one so named.
const std::string month_name =
    "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?)";
int month_number(const std::string& name) {
    constexpr std::string_view all = "janfebmaraprmayjunjulaugsepoctnovdec";
    return static_cast<int>(all.find(gdalmcp::cf_time::lower(name).substr(0, 3)) / 3) + 1;
}

// Days with the year first, then those with it last, then the day of the year. REQUIRES: `text` is of no known product.
// unread: days whose order of day and month is not stated, and numbered parts of a month.
std::vector<observation_date> days_in(std::string& text, std::string& unread) {
    static const std::regex year_first{
        R"((?:^|[^0-9])(\d{4})([-_.])(\d{2})\2(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?(?![0-9]))"},
        short_parts{R"((?:^|[^0-9])(\d{4})([-_.])(\d{1,2})\2(\d{1,2})(?![0-9A-Za-z]))"},
        digits{R"((?:^|[^0-9])(\d{7,8})(?![0-9]))"},
        year_last{R"((?:^|[^0-9])((\d{1,2})([-_.])(\d{1,2})\3(\d{4}))(?![0-9]))"},
        day_of_year{R"((?:^|[^0-9])(\d{4})[-_.](\d{3})(?![0-9A-Za-z]))"};
    static const auto day_month_year =
                          pattern_of("(?:^|[^0-9])(\\d{1,2})[-_. ]?" + month_name + "[-_. ]?(\\d{4})(?![0-9])"),
                      year_month_day =
                          pattern_of("(?:^|[^0-9])(\\d{4})[-_. ]?" + month_name + "[-_. ]?(\\d{1,2})(?![0-9A-Za-z])"),
                      month_day_year =
                          pattern_of("(?:^|[^A-Za-z])" + month_name + "[-_. ](\\d{1,2})[-_., ]+(\\d{4})(?![0-9])");
    std::vector<observation_date> found;
    const auto day = [&](int year, int month, int d) { add(found, made(year, month, d, precision::day)); };
    take(text, year_first, [&](const std::smatch& m) {
        std::string moment = m[1].str() + "-" + m[3].str() + "-" + m[4].str();
        if (m[5].matched) moment += "T" + m[5].str() + ":" + m[6].str() + (m[7].matched ? ":" + m[7].str() : "");
        add(found, date_in(moment));
    });
    take(text, short_parts, [&](const std::smatch& m) {
        // "2015.01.2": the second part of January, as of a dekad or a pentad.
        if (m[3].length() == 2 && m[3].str()[0] == '0' && m[4].length() == 1)
            unread = m[1].str() + m[2].str() + m[3].str() + m[2].str() + m[4].str();
        else
            day(number(m, 1), number(m, 3), number(m, 4));
    });
    each(text, digits, [&](const std::smatch& m) { add(found, date_in(m[1])); });
    each(text, year_last, [&](const std::smatch& m) {
        const auto one = made(number(m, 5), number(m, 4), number(m, 2), precision::day),
                   other = made(number(m, 5), number(m, 2), number(m, 4), precision::day);
        if (one && other && one->text != other->text)
            unread = m[1].str();
        else
            add(found, one ? one : other);
    });
    each(text, day_month_year, [&](const std::smatch& m) { day(number(m, 3), month_number(m[2]), number(m, 1)); });
    each(text, year_month_day, [&](const std::smatch& m) { day(number(m, 1), month_number(m[2]), number(m, 3)); });
    each(text, month_day_year, [&](const std::smatch& m) { day(number(m, 3), month_number(m[1]), number(m, 2)); });
    if (found.empty() && unread.empty())
        each(text, day_of_year, [&](const std::smatch& m) { add(found, of_day_of_year(number(m, 1), number(m, 2))); });
    return found;
}

std::vector<observation_date> months_in(const std::string& text) {
    // "2020_10m" is of a resolution.
    static const std::regex numbered{R"((?:^|[^0-9])(\d{4})(?:[-_](\d{2})(?![0-9A-Za-z])|(\d{2})(?![0-9])))"};
    static const auto month_year = pattern_of("(?:^|[^A-Za-z])" + month_name + "[-_. ]?(\\d{4})(?![0-9])"),
                      year_month = pattern_of("(?:^|[^0-9])(\\d{4})[-_. ]?" + month_name + "(?![A-Za-z])");
    std::vector<observation_date> found;
    const auto month = [&](int year, int m) { add(found, made(year, m, 1, precision::month)); };
    each(text, numbered, [&](const std::smatch& m) { month(number(m, 1), number(m, 2) + number(m, 3)); });
    each(text, month_year, [&](const std::smatch& m) { month(number(m, 2), month_number(m[1])); });
    each(text, year_month, [&](const std::smatch& m) { month(number(m, 1), month_number(m[2])); });
    return found;
}

// "190105" is 5 January 2019 or May 1901; "": there is none.
std::string short_day_in(const std::string& text) {
    static const std::regex form{R"((?:^|[^0-9])(19(?:0[1-9]|1[0-2])(?:0[1-9]|1[0-2]))(?![0-9]))"};
    std::smatch m;
    return std::regex_search(text, m, form) ? m[1].str() : std::string{};
}

// A quarter, a week or a season beside a year: "Q3_2020", "2020W05", "summer2020", "2020-JJA"; "": none.
std::string part_of_year_in(const std::string& text) {
    const std::string year = "(?:19|20)\\d\\d",
                      part = "(?:Q[1-4]|(?:W|KW|week)[-_ ]?\\d{1,2}|spring|summer|autumn|fall|winter|DJF|MAM|JJA|SON)";
    static const auto pattern = pattern_of("(?:^|[^A-Za-z0-9])(" + year + "[-_. ]?" + part + "|" + part + "[-_. ]?" +
                                           year + ")(?![A-Za-z0-9])");
    std::smatch m;
    return std::regex_search(text, m, pattern) ? m[1].str() : std::string{};
}

const std::regex& year_pattern() {
    static const std::regex pattern{R"((^|[^0-9])((?:19|20)\d{2})(?![0-9]))"};
    return pattern;
}

// The part of a known product's name that states when it was acquired, of a span the start; "": the name is of no such
// product.
std::string acquisition_in(const std::string& name) {
    std::smatch m;
    static const std::regex landsat{R"((?:^|[^A-Za-z0-9])L[COTEM]0[1-9]_[A-Z0-9]{4}_[0-9]{6}_([0-9]{8})(?:_|$))"},
        modis{R"((?:^|\.)A([0-9]{7})\.)"},
        sentinel{R"((?:^|[^A-Za-z0-9])S[1-6][A-DP]_[A-Z0-9_]*?_([0-9]{8})T[0-9]{6}_)"};
    for (const auto* product : {&landsat, &modis, &sentinel})
        if (std::regex_search(name, m, *product)) return m[1];
    return {};
}

}  // namespace

bool same_date(const observation_date& a, const observation_date& b) {
    const auto known = std::min(a.known, b.known);
    const std::size_t length = known == precision::year ? 4 : known == precision::month ? 7 : 10;
    return a.text.compare(0, length, b.text, 0, length) == 0;
}

bool before(const observation_date& a, const observation_date& b) {
    return a.days != b.days && (a.known == b.known || !same_date(a, b));
}

std::optional<observation_date> date_in(const std::string& text) {
    static const std::regex form{
        R"(\s*(\d{4})(?:[-:/](\d{1,2})(?:[-:/](\d{1,2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d*)?)?\s*(?:Z|UTC|GMT|\+00:?00)?)?)?)?\s*)"},
        digits{R"(\s*(\d{4})(\d{2})(\d{2})\s*)"}, day_of_year{R"(\s*(\d{4})(\d{3})\s*)"};
    std::smatch m;
    if (std::regex_match(text, m, digits)) return made(number(m, 1), number(m, 2), number(m, 3), precision::day);
    if (std::regex_match(text, m, day_of_year)) return of_day_of_year(number(m, 1), number(m, 2));
    if (!std::regex_match(text, m, form)) return std::nullopt;
    if (!m[2].matched) return made(number(m, 1), 1, 1, precision::year);
    if (!m[3].matched) return made(number(m, 1), number(m, 2), 1, precision::month);
    auto d = made(number(m, 1), number(m, 2), number(m, 3), precision::day);
    const int seconds = 3600 * number(m, 4) + 60 * number(m, 5) + number(m, 6);
    if (!d || seconds == 0) return d;
    if (number(m, 4) > 23 || number(m, 5) > 59 || number(m, 6) > 60) return std::nullopt;
    char time[32];
    std::snprintf(time, sizeof time, "T%02d:%02d:%02d", number(m, 4), number(m, 5), number(m, 6));
    d->text += time;
    d->days += seconds / 86400.0;
    return d;
}

named_dates dates_in_name(const std::string& name) {
    named_dates found;
    if (const auto acquired = acquisition_in(name); !acquired.empty()) {
        add(found.dates, date_in(acquired));
        if (!found.dates.empty()) return found;
    }
    std::string text = name, unread;
    found.dates = days_in(text, unread);
    if (!found.dates.empty()) return found;
    if (unread.empty()) unread = short_day_in(text);
    if (unread.empty()) found.dates = months_in(text);
    if (!found.dates.empty()) return found;
    each(name, year_pattern(),
         [&](const std::smatch& m) { add(found.dates, made(number(m, 2), 1, 1, precision::year)); });
    found.unread = unread.empty() ? part_of_year_in(name) : unread;
    return found;
}

std::string beside_year(const std::string& name) {
    return std::regex_replace(name.substr(0, name.rfind('.')), year_pattern(), "$1*");
}

}  // namespace gdalmcp_temporal
