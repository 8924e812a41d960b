#include "app/datasets/day_span.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/text.hpp"

namespace gdalmcp::app {

using base::result;

namespace {

constexpr int first_year = 1850, last_year = 2100;  // of numbers in names that are taken for years

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }
int days_in(int year, int month) {
    constexpr std::array<int, 12> all{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : all[static_cast<std::size_t>(month - 1)];
}

int number(std::string_view digits) {
    int n = 0;
    for (const char c : digits) n = 10 * n + (c - '0');
    return n;
}

day_span whole_year(int year) { return {year * 10000 + 101, year * 10000 + 1231}; }

std::optional<day_span> whole_month(int year, int month) {
    if (month < 1 || month > 12) return std::nullopt;
    const int first = year * 10000 + month * 100;
    return day_span{first + 1, first + days_in(year, month)};
}

std::optional<day_span> one_day(int year, int month, int day) {
    if (month < 1 || month > 12 || day < 1 || day > days_in(year, month)) return std::nullopt;
    const int n = year * 10000 + month * 100 + day;
    return day_span{n, n};
}

bool is_year(std::string_view digits) {
    return digits.size() == 4 && number(digits) >= first_year && number(digits) <= last_year;
}

// The span of "2019", "2019-05" or "2019-05-17", the latter with a time of day.
std::optional<day_span> date(std::string_view text) {
    const auto all_digits = [](std::string_view s) { return !s.empty() && std::all_of(s.begin(), s.end(), is_digit); };
    if (text.size() > 10 && (text[10] == 'T' || text[10] == ' ')) text = text.substr(0, 10);
    if (text.size() < 4 || !all_digits(text.substr(0, 4))) return std::nullopt;
    const int year = number(text.substr(0, 4));
    if (year < 1) return std::nullopt;
    if (text.size() == 4) return whole_year(year);
    if (text.size() < 7 || text[4] != '-' || !all_digits(text.substr(5, 2))) return std::nullopt;
    const int month = number(text.substr(5, 2));
    if (text.size() == 7) return whole_month(year, month);
    if (text.size() != 10 || text[7] != '-' || !all_digits(text.substr(8, 2))) return std::nullopt;
    return one_day(year, month, number(text.substr(8, 2)));
}

// Reads dates from the digits of a name.
class reader_of_names {
public:
    explicit reader_of_names(std::string_view name) : name_{name} {}

    std::vector<day_span> read() {
        for (std::size_t i = 0; i < name_.size();) {
            const auto run = digits_at(i);
            i = run.empty() ? i + 1 : read_run(i, run);
        }
        return std::move(found_);
    }

private:
    std::string_view digits_at(std::size_t i) const {
        auto end = i;
        while (end < name_.size() && is_digit(name_[end])) ++end;
        return name_.substr(i, end - i);
    }
    char at(std::size_t i) const { return i < name_.size() ? name_[i] : '\0'; }
    static bool separates(char c) { return c == '-' || c == '_' || c == '.'; }

    // Returns where to read on.
    std::size_t read_run(std::size_t i, std::string_view run) {
        const auto end = i + run.size();
        if (run.size() == 4) return is_year(run) && !is_other(i, end) ? read_from_year(end, number(run)) : end;
        const auto year = run.substr(0, std::min<std::size_t>(run.size(), 4));
        if (!is_year(year)) return end;
        std::optional<day_span> found;
        if (run.size() == 6) found = whole_month(number(year), number(run.substr(4)));
        if (run.size() == 7 && i > 0 && (name_[i - 1] == 'A' || name_[i - 1] == 'a'))
            found = day_of_year(number(year), number(run.substr(4)));
        if (run.size() == 8 || run.size() == 10 || run.size() == 12 || run.size() == 14)
            found = one_day(number(year), number(run.substr(4, 2)), number(run.substr(6, 2)));
        if (found) found_.push_back(*found);
        return end;
    }

    // A length, a scale, a size, a code: of 2000m, 1:2500, 2048x2048, epsg2154.
    bool is_other(std::size_t i, std::size_t end) const {
        if (is_letter(at(end)) && at(end) != 'T' && !(at(end) >= 'A' && at(end) <= 'Z' && is_letter(at(end + 1))))
            return true;
        if (i > 0 && name_[i - 1] == ':') return true;
        if (i > 1 && (name_[i - 1] == 'x' || name_[i - 1] == '.') && is_digit(name_[i - 2])) return true;
        const auto before = base::lower_ascii(name_.substr(i > 6 ? i - 6 : 0, i > 6 ? 6 : i));
        return std::any_of(codes.begin(), codes.end(), [&](std::string_view code) {
            const auto found = before.rfind(code);
            return found != std::string::npos && found + code.size() + 1 >= before.size();
        });
    }

    std::size_t read_from_year(std::size_t end, int year) {
        const char separator = at(end);
        const auto next = separates(separator) ? digits_at(end + 1) : std::string_view{};
        const auto after = end + 1 + next.size();
        if (is_year(next) && separator != '.' && number(next) > year && !is_letter(at(after))) {
            found_.push_back({whole_year(year).from, whole_year(number(next)).to});
            return after;
        }
        const auto month = next.size() == 2 ? whole_month(year, number(next)) : std::nullopt;
        if (!month) {
            found_.push_back(whole_year(year));
            return end;
        }
        const auto last = at(after) == separator ? digits_at(after + 1) : std::string_view{};
        const auto day = last.size() == 2 ? one_day(year, number(next), number(last)) : std::nullopt;
        found_.push_back(day ? *day : *month);
        return day ? after + 3 : after;
    }

    static std::optional<day_span> day_of_year(int year, int day) {
        if (day < 1 || day > (is_leap(year) ? 366 : 365)) return std::nullopt;
        int month = 1;
        for (; day > days_in(year, month); ++month) day -= days_in(year, month);
        return one_day(year, month, day);
    }

    static constexpr std::array<std::string_view, 4> codes{"epsg", "srid", "crs", "esri"};
    const std::string_view name_;
    std::vector<day_span> found_;
};

}  // namespace

result<day_span> day_span_of(std::string_view text) {
    const auto slash = text.find('/');
    const auto first = text.substr(0, slash), last = slash == std::string_view::npos ? first : text.substr(slash + 1);
    const auto from = first == ".." ? day_span{0, 0} : date(first).value_or(day_span{-1, -1});
    const auto to = last == ".." ? day_span{99999999, 99999999} : date(last).value_or(day_span{-1, -1});
    if (from.from < 0 || to.to < 0 || from.from > to.to || (first == ".." && last == ".."))
        return base::fail(base::code::invalid_argument, "'time' is '" + base::shortened(text, 60) + "'",
                          "write a year, a date or an interval: 2019, 2019-05-17, 2019/2021, 2019-05/..", "/time");
    return day_span{from.from, to.to};
}

std::vector<day_span> days_in_name(std::string_view name) { return reader_of_names{name}.read(); }

}  // namespace gdalmcp::app
