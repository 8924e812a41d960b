#include "number_texts.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace gdalmcp_vector {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_code(std::string_view text) { return text.size() > 1 && text[0] == '0' && is_digit(text[1]); }

}  // namespace

std::optional<double> number_in(std::string_view text) {
    double v = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), v);
    if (failed != std::errc{} || end != text.data() + text.size() || !std::isfinite(v) || is_code(text))
        return std::nullopt;
    return v;
}

void number_texts::see(std::string_view value) {
    if (value.empty()) return;
    ++values_;
    coded_ = coded_ || is_code(value);
    if (!number_in(value)) return;
    const auto digits = std::min(value.find('.'), value.size());
    if (numbers_++ == 0) digits_ = digits;
    unequal_ = unequal_ || digits != digits_ || value.find_first_of("-eE") != std::string_view::npos;
}

void number_texts::add(const number_texts& other) {
    unequal_ = unequal_ || other.unequal_ || (numbers_ > 0 && other.numbers_ > 0 && digits_ != other.digits_);
    if (numbers_ == 0) digits_ = other.digits_;
    values_ += other.values_;
    numbers_ += other.numbers_;
    coded_ = coded_ || other.coded_;
}

bool number_texts::misordered() const {
    return !coded_ && values_ > 1 && numbers_ * 2 > values_ && (unequal_ || numbers_ < values_);
}

std::string call_for(const std::string& made, const char* function, const std::string& field) {
    const bool word = std::all_of(field.begin(), field.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
    });
    const auto named = word ? field : "\\\"" + field + "\\\"";
    return "vector_calc with {\"" + made + "\": \"" + function + "(" + named + ")\"}";
}

}  // namespace gdalmcp_vector
