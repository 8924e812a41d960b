// gdalmcp/gdal_table_values.hpp — what the values of a text table's columns are: types, numbers with separators of
// thousands or a decimal comma, marks of missing values, units. Used by gdal_text_table.hpp.
#pragma once
#include <cpl_string.h>
#include <ogr_core.h>
#include <gdalmcp/gdal_table_days.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gdalmcp::gdal::detail {

// The type shared by all values of one column.
class column_type {
public:
    explicit column_type(bool decimal_comma) : decimal_comma_{decimal_comma} {}

    void see(const char* text) {
        if (!*text || kind_ == kind::text) return;
        const auto k = kind_of(text);
        const bool numbers = is_number(k) && is_number(kind_);
        kind_ = kind_ == kind::nothing || kind_ == k ? k
                : numbers                            ? std::max(kind_, k)
                : is_moment(k) && is_moment(kind_)   ? kind::moment
                                                     : kind::text;
    }
    // Some of its moments are not written as GDAL reads them (iso_moment()), or have more than milliseconds.
    bool rewritten() const { return rewritten_; }
    bool cut() const { return cut_; }
    // nullopt if it stays text.
    std::optional<std::pair<OGRFieldType, OGRFieldSubType>> type() const {
        switch (kind_) {
            case kind::truth:
                return std::pair{OFTInteger, OFSTBoolean};
            case kind::integer:
                return std::pair{OFTInteger, OFSTNone};
            case kind::big_integer:
                return std::pair{OFTInteger64, OFSTNone};
            case kind::real:
                if (coded_ && !decimals_) return std::nullopt;
                return std::pair{OFTReal, OFSTNone};
            case kind::date:
                return std::pair{OFTDate, OFSTNone};
            case kind::moment:
                return std::pair{OFTDateTime, OFSTNone};
            default:
                return std::nullopt;
        }
    }

private:
    enum class kind { nothing, integer, big_integer, real, truth, date, moment, text };
    static bool is_number(kind k) { return k == kind::integer || k == kind::big_integer || k == kind::real; }
    static bool is_moment(kind k) { return k == kind::date || k == kind::moment; }
    static bool digit(char c) { return c >= '0' && c <= '9'; }

    kind kind_of(const char* text) {
        if (EQUAL(text, "true") || EQUAL(text, "false")) return kind::truth;
        if (const auto k = number(text); k != kind::text) return k;
        return date(text);
    }

    // "007" is text, as are whole numbers longer than a 64-bit integer holds. "1E5" may be a code: it is a number where
    // another value of the column has decimals.
    kind number(std::string_view text) {
        std::string_view rest = text.substr(!text.empty() && text.front() == '-' ? 1 : 0);
        const auto digits = [&rest] {
            std::size_t n = 0;
            while (n < rest.size() && digit(rest[n])) ++n;
            const auto found = rest.substr(0, n);
            rest.remove_prefix(n);
            return found;
        };
        const auto whole = digits();
        if (whole.size() > 1 && whole.front() == '0') return kind::text;
        if (rest.empty() && !whole.empty()) {
            if (whole.size() > 18) return kind::text;
            std::int64_t value = 0;
            std::from_chars(text.data(), text.data() + text.size(), value);
            return value >= -2147483647 && value <= 2147483647 ? kind::integer : kind::big_integer;
        }
        std::string_view fraction;
        if (!rest.empty() && (rest.front() == '.' || (decimal_comma_ && rest.front() == ','))) {
            rest.remove_prefix(1);
            fraction = digits();
        }
        if (whole.empty() && fraction.empty()) return kind::text;
        bool decimals = !fraction.empty();
        if (whole.size() > 40 || fraction.size() > 40) return kind::text;
        if (!rest.empty() && (rest.front() == 'e' || rest.front() == 'E')) {
            decimals = decimals || rest.front() == 'e';
            rest.remove_prefix(1);
            const bool sign = !rest.empty() && (rest.front() == '+' || rest.front() == '-');
            if (sign) rest.remove_prefix(1);
            if (digits().empty()) return kind::text;
            decimals = decimals || sign;
            coded_ = coded_ || !decimals;
        }
        decimals_ = decimals_ || (rest.empty() && decimals);
        return rest.empty() ? kind::real : kind::text;
    }

    // Year first only: 03/04/2020 is a day in March or in April.
    kind date(const char* text) {
        for (int i = 0; i < 10; ++i) {
            const bool mark = i == 4 || i == 7;
            if (mark ? text[i] != '-' && text[i] != '/' : !digit(text[i])) return kind::text;
        }
        const auto read = iso_moment(text);
        if (!read) return kind::text;  // 2023-02-30, 10:00 CET
        rewritten_ = rewritten_ || read->text != text;
        cut_ = cut_ || read->cut;
        return read->clock ? kind::moment : kind::date;
    }

    bool decimal_comma_;
    bool coded_ = false, decimals_ = false;  // a value such as 1E5, and one such as 1.5 or 1e5
    bool rewritten_ = false, cut_ = false;
    kind kind_ = kind::nothing;
};

inline bool plain_number(std::string_view text) {
    double v = 0;
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), v);
    return failed == std::errc{} && end == text.data() + text.size();
}

inline bool is_year(const std::string& text) {
    return text.size() == 4 && text >= "1000" && text <= "2999" &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// What stands where a number is missing, as do blanks in quotes.
inline bool marks_missing(const std::string& text) {
    static const std::set<std::string> marks{"NA", "N/A", "n/a", "na", "NaN", "nan", "NULL", "null", "#N/A", "..", ":",
                                             "\\N", "–", "...", "-", "none", "None", "n.a.", "—", "--",
                                             // Errors of spreadsheets.
                                             "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!"};
    return marks.contains(text) || text.find_first_not_of(' ') == std::string::npos;
}

// Whether a row of such texts under the names is one of units.
inline bool is_unit(const std::string& text) {
    static const std::set<std::string> units{
        "m",    "km",   "cm",   "mm",    "ft",    "mi",      "m2",     "m²",   "km2",   "km²",    "ha",   "m3",   "m³",
        "m3/s", "m³/s", "l/s",  "mm/d",  "mm/yr", "mm/a",    "mm/h",   "°C",   "degC",  "K",      "°F",   "%",    "kg",
        "t",    "g",    "mg/l", "mg/L",  "µg/l",  "µg/L",    "µg/m3",  "hPa",  "kPa",   "Pa",     "m/s",  "km/h", "USD",
        "EUR",  "$",    "€",    "deg",   "°",     "s",       "h",      "d",    "yr",    "years",  "W/m2", "W/m²", "kWh",
        "MW",   "ppm",  "ppb",  "mS/cm", "µS/cm", "persons", "people", "1000", "count", "degrees"};
    if (units.contains(text)) return true;
    return text.size() > 2 && text.size() < 24 &&
           ((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')'));
}

// How numbers are written: the mark between groups of three digits (0: none), and the one before decimals.
struct number_style {
    char thousands, point;
};
constexpr std::array<number_style, 5> number_styles{{{',', '.'}, {'.', ','}, {' ', '.'}, {' ', ','}, {'\'', '.'}}};

// A number of a telephone: "+4930123456".
inline bool is_called(std::string_view text) {
    return text.size() > 10 && text.front() == '+' && text.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

// The number as GDAL reads it, with a point and without groups; nullopt: it is none of that style. Blanks may be
// unbroken.
inline std::optional<std::string> restyled(std::string_view text, number_style style) {
    std::string s;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool wide = text.substr(i).starts_with("\xE2\x80\xAF"), narrow = text.substr(i).starts_with("\xC2\xA0");
        s += wide || narrow ? ' ' : text[i];
        i += wide ? 2 : narrow;
    }
    const auto from = s.find_first_not_of(' '), to = s.find_last_not_of(' ');
    if (from == std::string::npos) return std::nullopt;
    s = s.substr(from, to - from + 1);
    if (is_called(s)) return std::nullopt;
    std::size_t at = s.front() == '-' || s.front() == '+';
    std::string plain = s.front() == '-' ? "-" : "";
    const auto digits = [&] {
        const auto begin = at;
        while (at < s.size() && s[at] >= '0' && s[at] <= '9') ++at;
        return s.substr(begin, at - begin);
    };
    const auto whole = digits();
    if (whole.empty() || (whole.size() > 1 && whole.front() == '0')) return std::nullopt;  // 007 is a code
    plain += whole;
    while (at < s.size() && s[at] == style.thousands) {
        ++at;
        const auto group = digits();
        if (group.size() != 3 || whole.size() > 3) return std::nullopt;
        plain += group;
    }
    if (at < s.size() && s[at] == style.point) {
        ++at;
        plain += "." + digits();
    }
    return at == s.size() ? std::optional{plain} : std::nullopt;
}

// What a value tells of the mark before decimals. "1.234" alone tells nothing: its point may separate thousands.
struct decimal_marks {
    bool point = false, comma = false;                // it is that one
    bool either_point = false, either_comma = false;  // decimals, or a separator of thousands
    bool numbers = true;                              // there was nothing but numbers
    bool undecided() const { return numbers && !point && !comma && (either_point || either_comma); }
    // Numbers with points and numbers with commas: one of the two is no mark before decimals, or both are.
    bool mixed() const { return (point || either_point) && (comma || either_comma); }

    void see(std::string_view text) {
        if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
        std::array<std::size_t, 2> counts{};  // of points, of commas
        std::size_t last = text.size(), first = text.size();
        for (std::size_t i = 0; i < text.size(); ++i) {
            const char c = text[i];
            if (c == '.' || c == ',') {
                ++counts[c == ','];
                if (first == text.size()) first = i;
                last = i;
            } else if (c < '0' || c > '9') {
                numbers = false;
                return;
            }
        }
        if (counts[0] + counts[1] == 0) return;
        const bool comma_last = text[last] == ',';
        const auto decimals = text.size() - last - 1;
        const bool grouped = first > 0 && first <= 3 && text.front() != '0' && decimals == 3;
        if (counts[0] + counts[1] == 1)
            (grouped ? (comma_last ? either_comma : either_point) : (comma_last ? comma : point)) = true;
        else if (counts[0] == 0 || counts[1] == 0)
            grouped ? (comma_last ? point : comma) = true : numbers = false;
        else if (counts[comma_last] == 1)
            (comma_last ? comma : point) = true;
        else
            numbers = false;
    }
};

// A number of any style.
inline bool any_number(const std::string& text) {
    return plain_number(text) || std::any_of(number_styles.begin(), number_styles.end(),
                                             [&](auto style) { return restyled(text, style).has_value(); });
}

// What a text looks like to people, though GDAL reads it as text.
enum class look { number, percentage, day, truth, other };

// "'a', 'b', … and 7 more"
inline std::string names_of_some(const std::vector<std::string>& names) {
    constexpr std::size_t most = 8;
    std::string said;
    for (std::size_t k = 0; k < std::min(most, names.size()); ++k) said += (k == 0 ? "'" : ", '") + names[k] + "'";
    if (names.size() > most) said += " and " + std::to_string(names.size() - most) + " more";
    return said;
}

// Numbers with groups of digits of any style, in parentheses, with a typographic minus, a currency or a percent sign.
// "007", "10.0.0.1" and numbers of more than 18 digits are codes.
inline look look_of(std::string_view text) {
    if (looks_like_day(text)) return look::day;
    if (is_called(text)) return look::other;
    const auto take = [&text](std::string_view mark) {
        const bool found = text.starts_with(mark);
        if (found) text.remove_prefix(mark.size());
        return found;
    };
    const auto trim = [&text] {
        while (text.starts_with(' ')) text.remove_prefix(1);
        while (text.ends_with(' ')) text.remove_suffix(1);
    };
    trim();
    bool percent = text.ends_with('%');
    if (percent) text.remove_suffix(1);
    trim();
    if (text.size() > 2 && text.front() == '(' && text.back() == ')') text = text.substr(1, text.size() - 2);
    if (text.ends_with('%')) percent = true, text.remove_suffix(1);
    const auto take_sign = [&] { static_cast<void>(take("-") || take("+") || take("\xE2\x88\x92")); };
    take_sign();
    for (const std::string_view currency : {"$", "\xE2\x82\xAC", "\xC2\xA3", "\xC2\xA5"}) {
        static_cast<void>(take(currency));
        if (text.ends_with(currency)) text.remove_suffix(currency.size());
    }
    take_sign();
    trim();
    const bool zero = text.starts_with('0');
    std::size_t digits = 0;
    bool threes_follow = false;  // after a blank or an apostrophe
    for (std::size_t groups = 0, last = 0;; ++groups) {
        std::size_t n = 0;
        while (n < text.size() && text[n] >= '0' && text[n] <= '9') ++n;
        text.remove_prefix(n);
        digits += n;
        if (n == 0 || digits > 18 || (groups == 0 && zero && n > 1) || (threes_follow && n != 3)) return look::other;
        if (text.empty()) return percent ? look::percentage : look::number;
        // Between two marks stand three digits, before them at most as many.
        if (groups > 0 && (n != 3 || (groups == 1 && last > 3))) return look::other;
        last = n;
        threes_follow = take(" ") || take("'") || take("\xC2\xA0") || take("\xE2\x80\xAF") || take("\xE2\x80\x99");
        if (!threes_follow && !take(".") && !take(",")) return look::other;
    }
}

// What a column of a text table holds, after all its values.
struct column_found {
    std::optional<std::pair<OGRFieldType, OGRFieldSubType>> type{};  // nullopt: text
    std::optional<number_style> style{};                             // GDAL would not read its numbers
    std::optional<bool> day_first{};  // dates whose order of day and month the values settle
    bool moments = false;             // not all written as GDAL reads them
    bool cut = false;                 // moments have more than milliseconds
    std::int64_t missing = 0;         // marks of missing values, which are no numbers
    std::string mark{};               // the first of them
    bool empty = true;                // there is no value at all
    decimal_marks marks{};
    std::string doubtful{};    // the first number whose only mark may separate thousands
    bool padded = false;       // blanks around values, which GDAL would keep
    look looks = look::other;  // all values, of a column that stays text
    day_order order{};         // of these days
    std::string example{};     // the first of them
    std::string misfit{};      // the first number in no notation of those before; "": there is a notation of all
    bool rewritten() const { return style || day_first || moments || missing > 0 || padded; }
    // Why a column that looks like numbers stays text, after "'<example>' and".
    std::string text_reason() const {
        if (looks == look::percentage) return "the like are percentages";
        if (misfit.empty()) return "the like are numbers whose mark may stand before decimals or between thousands";
        if (misfit == example) return "the like are numbers in a notation that is not read";
        return "'" + misfit + "' are numbers that share no notation";
    }
};

// A whole number that begins with a zero, as codes do: "007", which as a number is 7.
inline bool has_leading_zero(std::string_view text) {
    return text.size() > 1 && text.front() == '0' && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// What a row is called that sums up those above.
inline bool is_total(const std::string& text) {
    constexpr std::array<const char*, 12> words{"total",  "totals", "grand total", "overall", "sum",   "sum total",
                                                "gesamt", "summe",  "insgesamt",   "totale",  "somme", "\u5408\u8A08"};
    return std::any_of(words.begin(), words.end(), [&](const char* word) { return EQUAL(text.c_str(), word); });
}

inline std::string caution_of_total(const std::string& name, const std::string& of = "") {
    return "the last row" + of + " is '" + name +
           "' and counts as a row: if it sums up those above, leave it out with 'where'";
}

class column_survey {
public:
    explicit column_survey(char separator) : separator_{separator}, plain_{separator == ';'} {
        for (const auto style : number_styles) styles_.push_back({style, column_type{false}});
    }
    void see(const std::string& text) {
        plain_.see(text.c_str());
        if (text.empty()) return;
        ++values_;
        if (marks_missing(text)) {
            if (missing_++ == 0) mark_ = text;
            return;
        }
        unmarked_.see(text.c_str());
        see_look(text);
        if (looks_ == look::day && (day_first_ || month_first_)) see_day(text);
        const bool seen = marks_.either_point || marks_.either_comma;
        marks_.see(text);
        if (!seen && (marks_.either_point || marks_.either_comma)) doubtful_ = text;
        bool any = false;
        for (auto& s : styles_) {
            if (!s.fits) continue;
            const auto number = restyled(text, s.style);
            s.fits = number.has_value();
            if (!number) continue;
            any = true;
            s.type.see(number->c_str());
            s.read = s.read * 31 + std::hash<std::string>{}(*number);
        }
        if (!any && misfit_.empty()) misfit_ = text;
    }
    // Of values that all fit the style; what they are in it.
    void use(number_style wanted, column_found& found) const {
        for (const auto& s : styles_)
            if (s.fits && s.style.thousands == wanted.thousands && s.style.point == wanted.point && s.type.type()) {
                found.type = s.type.type();
                found.style = s.style;
                found.missing = missing_;
                found.mark = mark_;
            }
    }
    column_found end() const {
        column_found found;
        found.empty = values_ == 0;
        found.marks = marks_;
        found.doubtful = doubtful_;
        // GDAL would read "1.234" beside "12,5" as 1.234 where ';' separates.
        if (!marks_.mixed() && (found.type = plain_.type())) {
            take_moments(plain_, found);
            return found;
        }
        if (const auto type = unmarked_.type()) {
            found.type = type;
            take_moments(unmarked_, found);
        } else if (looks_ == look::day && day_first_ != month_first_) {
            found.type = std::pair{clock_ ? OFTDateTime : OFTDate, OFSTNone};
            found.day_first = day_first_;
            found.cut = cut_;
            found.example = example_;
        } else if (const auto* s = style()) {
            found.type = s->type.type();
            found.style = s->style;
        } else {
            found.looks = looks_.value_or(look::other);
            found.order = order_;
            found.example = example_;
            found.misfit = misfit_;
            return found;
        }
        found.missing = missing_;
        found.mark = mark_;
        return found;
    }

private:
    static void take_moments(const column_type& from, column_found& found) {
        const bool moments = found.type->first == OFTDate || found.type->first == OFTDateTime;
        found.moments = moments && from.rewritten();
        found.cut = moments && from.cut();
    }
    void see_day(const std::string& text) {
        const auto day = iso_day(text, true), month = iso_day(text, false);
        day_first_ = day_first_ && day;
        month_first_ = month_first_ && month;
        const auto& read = day ? day : month;
        clock_ = clock_ || (read && read->clock);
        cut_ = cut_ || (read && read->cut);
    }
    // Of all values: plain numbers and percentages together are percentages.
    void see_look(const std::string& text) {
        const auto from = text.find_first_not_of(' '), to = text.find_last_not_of(' ');
        if (looks_ == look::other || from == std::string::npos || marks_missing(text.substr(from, to - from + 1)))
            return;
        const auto own = look_of(text);
        if (own == look::day) order_.see(text);
        const bool percent = own == look::percentage || looks_ == look::percentage;
        const bool numbers = own != look::day && looks_ != look::day && own != look::other;
        if (own == look::percentage && looks_ != look::percentage) example_ = text;
        if (!looks_) example_ = text;
        looks_ = !looks_ || own == *looks_ ? own : numbers && percent ? look::percentage : look::other;
    }
    struct candidate {
        number_style style;
        column_type type;
        bool fits = true;
        std::size_t read = 0;  // differs where the numbers read differ
    };
    static bool is_number(const std::pair<OGRFieldType, OGRFieldSubType>& t) {
        return (t.first == OFTInteger || t.first == OFTInteger64 || t.first == OFTReal) && t.second == OFSTNone;
    }
    // The style of all values. 1,234 alone is a decimal or not: in a table separated by commas it is not.
    const candidate* style() const {
        const candidate* one = nullptr;
        for (const auto& s : styles_) {
            if (!s.fits || !s.type.type() || !is_number(*s.type.type())) continue;
            if (!one)
                one = &s;
            else if (one->read != s.read && separator_ != ',')
                return nullptr;
        }
        return one;
    }
    char separator_;
    column_type plain_;
    column_type unmarked_{false};
    std::vector<candidate> styles_{};
    std::int64_t missing_ = 0, values_ = 0;
    std::string mark_{}, doubtful_{}, example_{}, misfit_{};
    std::optional<look> looks_{};  // no value yet
    day_order order_{};
    bool day_first_ = true, month_first_ = true;  // all values are days in this order
    bool clock_ = false, cut_ = false;            // some have a time, and more than milliseconds
    decimal_marks marks_{};
};

}  // namespace gdalmcp::gdal::detail
