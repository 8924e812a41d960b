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
    if (year < 1900 || year > 2099 || month < 1 || month > 12 || day < 1) return std::nullopt;
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
    if (year < 1900 || year > 2099 || day < 1 || day > 366) return std::nullopt;
    const auto first = gdalmcp::cf_time::day_number({year, 1, 1}, true);
    const auto d = gdalmcp::cf_time::date_of(first + day - 1, true);
    if (d.year != year) return std::nullopt;  // day 366
    return made(year, d.month, d.day, precision::day);
}

// The parts of a match that are numbers: 0 where one is absent.
int number(const std::smatch& m, std::size_t group) { return m[group].matched ? std::stoi(m[group].str()) : 0; }

void add(std::vector<observation_date>& found, const std::optional<observation_date>& d) {
    if (!d) return;
    for (const auto& other : found)
        if (other.text == d->text) return;
    found.push_back(*d);
}

// Every match of a pattern, one by one.
template <class F>
void each(const std::string& text, const char* pattern, F f) {
    const std::regex look{pattern};
    for (std::sregex_iterator i{text.begin(), text.end(), look}, end; i != end; ++i) f(*i);
}

// The part of a known product's name that states when it was acquired; "": the name is of no such product.
std::string acquisition_in(const std::string& name) {
    std::smatch m;
    static const std::regex landsat{R"((?:^|[^A-Za-z0-9])L[COTEM]0[1-9]_[A-Z0-9]{4}_[0-9]{6}_([0-9]{8})(?:_|$))"},
        modis{R"((?:^|\.)A([0-9]{7})\.)"};
    for (const auto* product : {&landsat, &modis})
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

std::vector<observation_date> dates_in_name(const std::string& name) {
    std::vector<observation_date> found;
    if (const auto acquired = acquisition_in(name); !acquired.empty()) {
        add(found, date_in(acquired));
        if (!found.empty()) return found;
    }
    // std::regex has no look-behind: the digit or the start before a date is matched, and a date's last digit is looked
    // beyond, so that one date may follow another.
    each(name, R"((?:^|[^0-9])(\d{4})([-_.])(\d{2})\2(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?(?![0-9]))",
         [&](const std::smatch& m) {
             std::string text = m[1].str() + "-" + m[3].str() + "-" + m[4].str();
             if (m[5].matched) text += "T" + m[5].str() + ":" + m[6].str() + (m[7].matched ? ":" + m[7].str() : "");
             add(found, date_in(text));
         });
    each(name, R"((?:^|[^0-9])(\d{7,8})(?![0-9]))", [&](const std::smatch& m) { add(found, date_in(m[1])); });
    if (!found.empty()) return found;
    each(name, R"((?:^|[^0-9])(\d{4})[-_]?(\d{2})(?![0-9]))",
         [&](const std::smatch& m) { add(found, made(number(m, 1), number(m, 2), 1, precision::month)); });
    if (!found.empty()) return found;
    each(name, R"((?:^|[^0-9])(\d{4})(?![0-9]))",
         [&](const std::smatch& m) { add(found, made(number(m, 1), 1, 1, precision::year)); });
    return found;
}

}  // namespace gdalmcp_temporal
