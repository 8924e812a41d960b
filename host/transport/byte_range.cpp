#include "transport/byte_range.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text.hpp"

namespace gdalmcp::transport {

namespace {

// Digits only; a number beyond 64 bits is the largest one, which lies behind the end of every file.
std::optional<std::uint64_t> number(std::string_view digits) {
    std::uint64_t value = 0;
    const auto* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    if (stop != end || error == std::errc::invalid_argument) return {};
    return error == std::errc{} ? value : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

byte_range parse_range(std::optional<std::string_view> field, std::uint64_t size) {
    using kind = byte_range::kind;
    const byte_range whole{kind::whole, 0, size}, unsatisfiable{kind::unsatisfiable, 0, 0};
    constexpr std::string_view unit = "bytes=";
    if (!field || base::lower_ascii(field->substr(0, unit.size())) != unit) return whole;
    const auto range = field->substr(unit.size());
    const auto dash = range.find('-');
    if (dash == std::string_view::npos) return whole;
    const auto first = number(range.substr(0, dash)), last = number(range.substr(dash + 1));

    if (dash == 0) {  // the last n bytes
        if (!last) return whole;
        if (*last == 0) return unsatisfiable;
        if (size == 0) return whole;  // satisfiable, but no Content-Range can say so
        const auto length = std::min(*last, size);
        return {kind::part, size - length, length};
    }
    const bool open = dash + 1 == range.size();
    if (!first || (!open && (!last || *last < *first))) return whole;
    if (*first >= size) return unsatisfiable;
    const auto end = open ? size - 1 : std::min(*last, size - 1);
    return {kind::part, *first, end - *first + 1};
}

std::string content_range(const byte_range& range, std::uint64_t size) {
    const auto total = "/" + std::to_string(size);
    if (range.answer == byte_range::kind::unsatisfiable) return "bytes *" + total;
    return "bytes " + std::to_string(range.offset) + "-" + std::to_string(range.offset + range.length - 1) + total;
}

bool names_tag(std::string_view list, std::string_view tag) {
    while (!list.empty()) {
        auto one = list.substr(0, list.find(','));
        list.remove_prefix(std::min(one.size() + 1, list.size()));
        while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
        while (!one.empty() && one.back() == ' ') one.remove_suffix(1);
        if (one.starts_with("W/")) one.remove_prefix(2);
        if (one == "*" || one == tag) return true;
    }
    return false;
}

}  // namespace gdalmcp::transport
