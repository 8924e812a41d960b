#include "axis.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace gdalmcp_maps {
namespace {

constexpr double minute = 60, hour = 3600, day = 86400;

std::string fixed(double v, int decimals) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", decimals, v);
    // A rounded zero has no sign.
    return std::string{text}.find_first_of("123456789") == std::string::npos && text[0] == '-' ? text + 1 : text;
}

void mark_linear(axis& a, int wanted, bool whole) {
    double step = round_above((a.shown.high - a.shown.low) / wanted);
    if (whole) step = std::max(1.0, step);
    const double widest = std::max(std::abs(a.shown.low), std::abs(a.shown.high));
    if (widest >= 1e6 || widest < 1e-3) a.power = 3 * static_cast<int>(std::floor(std::log10(widest) / 3));
    const double unit = std::pow(10, a.power);
    const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step / unit) + 1e-9)), 0, 12);
    const double slack = 1e-9 * step;
    for (double k = std::ceil((a.shown.low - slack) / step); k * step <= a.shown.high + slack; ++k)
        a.ticks.push_back({k * step, fixed(k * step / unit, decimals)});
}

std::string digit_of_power(double digit, int power) {
    if (power >= 0 && power < 6) return fixed(digit * std::pow(10, power), 0);
    if (power < 0 && power > -5) return fixed(digit * std::pow(10, power), -power);
    return (digit == 1 ? "" : fixed(digit, 0) + "·") + power_text(power);
}

void mark_powers(axis& a) {
    const double low = std::log10(a.shown.low), high = std::log10(a.shown.high);
    const double decades = high - low;
    const int every = std::max(1, static_cast<int>(std::ceil(decades / 8)));
    std::vector<double> digits{1};
    if (decades < 1)
        digits = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    else if (decades < 3)
        digits = {1, 2, 5};
    for (int p = static_cast<int>(std::floor(low)); p <= static_cast<int>(std::ceil(high)); ++p) {
        if (every > 1 && p % every != 0) continue;
        for (const double d : digits)
            if (const double at = d * std::pow(10, p);
                at >= a.shown.low * (1 - 1e-9) && at <= a.shown.high * (1 + 1e-9))
                a.ticks.push_back({at, digit_of_power(d, p)});
    }
    if (a.ticks.size() < 2) mark_linear(a, 4, false);
}

struct calendar {
    std::chrono::year_month_day date;
    double of_day;  // seconds
};

calendar calendar_of(double seconds) {
    const double days = std::floor(seconds / day);
    return {std::chrono::year_month_day{std::chrono::sys_days{std::chrono::days{static_cast<int>(days)}}},
            seconds - days * day};
}

double seconds_of(int year, unsigned month, unsigned of_month) {
    const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month},
                                           std::chrono::day{of_month}};
    return static_cast<double>(std::chrono::sys_days{date}.time_since_epoch().count()) * day;
}

std::string date_text(const std::chrono::year_month_day& d, int parts) {
    char text[48];
    int size = std::snprintf(text, sizeof text, "%04d", static_cast<int>(d.year()));
    const auto add = [&](unsigned part) {
        size += std::snprintf(text + size, sizeof text - static_cast<std::size_t>(size), "-%02u", part);
    };
    if (parts > 1) add(static_cast<unsigned>(d.month()));
    if (parts > 2) add(static_cast<unsigned>(d.day()));
    return text;
}

std::string clock_text(double of_day, bool with_seconds) {
    const int all = static_cast<int>(of_day);
    char text[48];
    if (with_seconds)
        std::snprintf(text, sizeof text, "%02d:%02d:%02d", all / 3600, all / 60 % 60, all % 60);
    else
        std::snprintf(text, sizeof text, "%02d:%02d", all / 3600, all / 60 % 60);
    return text;
}

// Every so many months; whole years for multiples of twelve.
void mark_months(axis& a, int step) {
    const auto start = calendar_of(a.shown.low).date;
    int months = static_cast<int>(start.year()) * 12 + static_cast<int>(static_cast<unsigned>(start.month())) - 1;
    months = static_cast<int>(std::floor(1.0 * months / step)) * step;
    for (;; months += step) {
        const int year = static_cast<int>(std::floor(months / 12.0));
        const double at = seconds_of(year, static_cast<unsigned>(months - 12 * year) + 1, 1);
        if (at > a.shown.high) break;
        if (at >= a.shown.low) a.ticks.push_back({at, date_text(calendar_of(at).date, step % 12 == 0 ? 1 : 2)});
    }
}

void mark_equal_times(axis& a, double step) {
    for (double k = std::ceil(a.shown.low / step); k * step <= a.shown.high; ++k) {
        const auto c = calendar_of(k * step);
        auto label = step >= day ? date_text(c.date, 3) : clock_text(c.of_day, step < minute);
        // The first of a day names it.
        if (step < day && (a.ticks.empty() || c.of_day == 0)) label = date_text(c.date, 3).substr(5) + " " + label;
        a.ticks.push_back({k * step, label});
    }
}

void mark_times(axis& a, int wanted) {
    const double step = (a.shown.high - a.shown.low) / wanted;
    for (const double s : {1.0,        2.0,        5.0,         10.0,        15.0,        30.0,    minute,
                           2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour,    2 * hour,
                           3 * hour,   6 * hour,   12 * hour,   day,         2 * day,     7 * day, 14 * day})
        if (step <= s) return mark_equal_times(a, s);
    for (const int months : {1, 2, 3, 6, 12})
        if (step <= months * 30.5 * day) return mark_months(a, months);
    mark_months(a, 12 * static_cast<int>(round_above(step / (365.25 * day))));
}

}  // namespace

double axis::share(double v) const {
    if (kind == scale::logarithmic) return std::log(v / shown.low) / std::log(shown.high / shown.low);
    return (v - shown.low) / (shown.high - shown.low);
}

range around(double low, double high) {
    const double half = std::max(0.5, std::abs(low) * 1e-6);
    return {low - half, high + half};
}

bool nearly_equal(double low, double high) {
    return !(high - low > std::max(1e-12 * std::max(std::abs(low), std::abs(high)), 1e-290));
}

axis axis_over(range values, scale kind, int wanted, bool whole) {
    if (nearly_equal(values.low, values.high)) {
        if (kind == scale::logarithmic)
            values = {values.low / 2, values.high * 2};
        else if (kind == scale::time)
            values = {values.low - day, values.high + day};
        else
            values = around(values.low, values.high);
    }
    axis a{kind, values, {}, 0};
    wanted = std::clamp(wanted, 3, 12);
    if (kind == scale::logarithmic)
        mark_powers(a);
    else if (kind == scale::time)
        mark_times(a, wanted);
    else
        mark_linear(a, wanted, whole);
    return a;
}

range padded(range values, scale kind, double share) {
    if (kind == scale::logarithmic) {
        const double factor = std::pow(values.high / values.low, share);
        return {values.low / factor, values.high * factor};
    }
    const double more = (values.high - values.low) * share;
    return {values.low - more, values.high + more};
}

double round_above(double v) {
    const double power = std::pow(10, std::floor(std::log10(v)));
    for (const double digit : {1.0, 2.0, 5.0})
        if (v <= digit * power * (1 + 1e-9)) return digit * power;
    return 10 * power;
}

double round_below(double v) {
    const double power = std::pow(10, std::floor(std::log10(v)));
    for (const double digit : {5.0, 2.0})
        if (digit * power <= v) return digit * power;
    return power;
}

double multiple(double k, double step) { return step < 1 ? k / std::round(1 / step) : k * step; }

std::string time_text(double seconds) {
    const auto c = calendar_of(std::round(seconds));
    const auto date = date_text(c.date, 3);
    return c.of_day == 0 ? date : date + "T" + clock_text(c.of_day, true);
}

std::string power_text(int power) {
    constexpr std::array<const char*, 10> raised{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text = power < 0 ? "10⁻" : "10";
    for (const char digit : std::to_string(std::abs(power))) text += raised[static_cast<std::size_t>(digit - '0')];
    return text;
}

}  // namespace gdalmcp_maps
