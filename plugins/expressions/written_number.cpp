#include "written_number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace gdalmcp_expressions {

namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

struct spelling {
    std::string_view written;
    char means;
};
// Blanks that do not break, apostrophes and minus signs by one character each; currencies by none.
constexpr std::array<spelling, 11> spellings{{{"\u00A0", ' '},
                                              {"\u202F", ' '},
                                              {"\u2009", ' '},
                                              {"\u2019", '\''},
                                              {"\u2212", '-'},
                                              {"\u20AC", 0},
                                              {"\u00A3", 0},
                                              {"\u00A5", 0},
                                              {"$", 0},
                                              {"\t", ' '},
                                              {"\r", ' '}}};

std::string simplified(const std::string& text) {
    std::string s;
    for (std::size_t i = 0; i < text.size();) {
        const auto* known = std::find_if(spellings.begin(), spellings.end(), [&](const auto& one) {
            return text.compare(i, one.written.size(), one.written) == 0;
        });
        const bool found = known != spellings.end();
        const char c = found ? known->means : text[i];
        if (c) s += c;
        i += found ? known->written.size() : 1;
    }
    const auto from = s.find_first_not_of(' '), to = s.find_last_not_of(' ');
    return from == std::string::npos ? std::string{} : s.substr(from, to - from + 1);
}

// Whether digits stand in groups of three between these marks, the first of one to three, those between of two as
// well (1,24,42,373).
bool grouped(std::string_view whole, char mark) {
    std::size_t groups = 0;
    while (true) {
        const auto end = std::min(whole.find(mark), whole.size());
        const bool last = end == whole.size();
        if (last ? groups > 0 && end != 3 : end == 0 || end > 3 || (groups > 0 && end < 2)) return false;
        ++groups;
        if (last) return true;
        whole.remove_prefix(end + 1);
    }
}

// The digits with a point before the decimals, of digits and marks; "": they are no number, or one of two.
std::string with_point(const std::string& s) {
    const auto count = [&](char c) { return std::count(s.begin(), s.end(), c); };
    const auto commas = count(','), points = count('.'), blanks = count(' '), apostrophes = count('\'');
    if ((commas > 0) + (blanks > 0) + (apostrophes > 0) > 1 || points > 1) return {};
    if (commas == 1 && points == 0) return {};  // decimals, or thousands
    const char thousands = commas > 0 ? ',' : blanks > 0 ? ' ' : apostrophes > 0 ? '\'' : char{0};
    const auto at = std::min(s.find('.'), s.size());
    auto whole = s.substr(0, at);
    if (thousands && !grouped(whole, thousands)) return {};
    if (thousands) std::erase(whole, thousands);
    const auto decimals = at < s.size() ? "." + s.substr(at + 1) : std::string{};
    const bool all_digits = std::all_of(whole.begin(), whole.end(), digit) &&
                            std::all_of(decimals.begin() + !decimals.empty(), decimals.end(), digit);
    return all_digits && whole.size() + decimals.size() > (decimals.empty() ? 0 : 1) ? whole + decimals : std::string{};
}

// Whether the number of these digits is whole and not the one a double holds: ids of 17 digits would become
// neighbours'.
bool is_rounded(const std::string& digits, double v) {
    if (v < 0x1p53 || !std::all_of(digits.begin(), digits.end(), digit)) return false;
    std::array<char, 400> exact{};
    const auto end = std::to_chars(exact.data(), exact.data() + exact.size(), v, std::chars_format::fixed).ptr;
    const auto begin = std::min(digits.find_first_not_of('0'), digits.size());
    return std::string_view{exact.data(), end} != std::string_view{digits}.substr(begin);
}

}  // namespace

other_notation notation_of(const std::string& text) {
    auto s = simplified(text);
    if (!s.empty() && (s.front() == '-' || s.front() == '+')) s.erase(0, 1);
    if (double v = 0; std::from_chars(s.data(), s.data() + s.size(), v).ptr == s.data() + s.size() && is_rounded(s, v))
        return other_notation::beyond_doubles;
    const auto comma = s.find(',');
    auto whole = s.substr(0, comma);
    const auto decimals = comma == std::string::npos ? std::string{} : s.substr(comma + 1);
    const auto digits = [](const std::string& of) { return std::all_of(of.begin(), of.end(), digit); };
    if (!digits(decimals) || (comma != std::string::npos && decimals.empty())) return other_notation::none;
    const auto points = std::count(whole.begin(), whole.end(), '.');
    if (grouped(whole, '.') && points > (decimals.empty() ? 1 : 0)) {
        std::erase(whole, '.');
        return digits(whole) ? other_notation::points_between_thousands : other_notation::none;
    }
    const bool told = !digits(whole) && (grouped(whole, ' ') || grouped(whole, '\''));
    if (told) std::erase_if(whole, [](char c) { return c == ' ' || c == '\''; });
    if (decimals.empty() || !digits(whole)) return other_notation::none;
    return !told && decimals.size() == 3 && whole.size() >= 1 && whole.size() <= 3 && whole[0] != '0'
               ? other_notation::comma_between_thousands
               : other_notation::comma_before_decimals;
}

std::optional<double> written_number(const std::string& text) {
    auto s = simplified(text);
    bool negative = false;
    if (s.size() > 2 && s.front() == '(' && s.back() == ')') {
        negative = true;
        s = s.substr(1, s.size() - 2);
    } else if (!s.empty() && (s.front() == '-' || s.front() == '+')) {
        negative = s.front() == '-';
        s.erase(0, 1);
    }
    const auto exponent = s.find_first_of("eE");
    const auto digits = with_point(s.substr(0, exponent));
    if (digits.empty()) return std::nullopt;
    auto plain = digits;
    if (exponent != std::string::npos)  // from_chars takes no plus
        plain += "e" + s.substr(exponent + (s.compare(exponent + 1, 1, "+") == 0 ? 2 : 1));
    double v = 0;
    const auto [end, failed] = std::from_chars(plain.data(), plain.data() + plain.size(), v);
    if (failed != std::errc{} || end != plain.data() + plain.size() || !std::isfinite(v)) return std::nullopt;
    if (is_rounded(plain, v)) return std::nullopt;
    return negative ? -v : v;
}

}  // namespace gdalmcp_expressions
