#include <algorithm>

#include "base/link.hpp"
#include "base/text.hpp"
#include "catalog/resource.hpp"

namespace gdalmcp::catalog {
namespace {

using base::fail;
using base::result;

constexpr std::size_t max_uri = 500, longest_asked = 8192;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_unreserved(char c) {
    return is_letter(c) || is_digit(c) || std::string_view{"-._~"}.find(c) != std::string_view::npos;
}
bool is_reserved(char c) { return std::string_view{":/?#[]@!$&'()*+,;="}.find(c) != std::string_view::npos; }

int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// The byte of "%41" at `at`; -1: not an escape.
int encoded_byte(std::string_view s, std::size_t at) {
    if (at + 2 >= s.size() || s[at] != '%') return -1;
    const int high = hex_digit(s[at + 1]), low = hex_digit(s[at + 2]);
    return high < 0 || low < 0 ? -1 : 16 * high + low;
}

// Decodes a value from simple expansion; nullopt if expansion cannot have produced it.
std::optional<std::string> decoded(std::string_view s) {
    std::string value;
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (is_unreserved(s[i])) {
            value += s[i];
            continue;
        }
        const int byte = encoded_byte(s, i);
        if (byte < 0x20) return std::nullopt;
        value += static_cast<char>(byte);
        i += 2;
    }
    if (value.empty() || !base::is_utf8(value)) return std::nullopt;
    return value;
}

result<void> check_literal(std::string_view s) {
    for (std::size_t i = 0; i < s.size(); ++i)
        if (!is_unreserved(s[i]) && !is_reserved(s[i]) && encoded_byte(s, i) < 0)
            return fail(base::code::quarantined,
                        "has a character that a URI must not contain: " + base::write_json(json::value(s.substr(i, 1))),
                        "percent-encode it");
    return {};
}

result<void> check_scheme(std::string_view text) {
    const auto colon = text.find(':');
    const auto scheme = text.substr(0, std::min(colon, text.size()));
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || c == '+' || c == '.' || c == '-'; };
    if (colon == std::string_view::npos || scheme.empty() || !is_letter(scheme.front()) ||
        !std::all_of(scheme.begin(), scheme.end(), fits) || colon + 1 == text.size())
        return fail(base::code::quarantined, "does not begin with a scheme", "write something like acme://limits");
    if (base::is_taken_scheme(scheme))
        return fail(base::code::quarantined, "has the scheme '" + std::string{scheme} + "', which bundles may not use",
                    "use your own, for example acme:");
    return {};
}

}  // namespace

result<uri_template> uri_template::parse(std::string_view text) {
    const auto wrong = [&](const base::problem& p) {
        return fail(p.code, "'" + std::string{text} + "' " + p.message, p.hint);
    };
    const auto quarantined = [&](const char* message) { return wrong({base::code::quarantined, message, "", ""}); };
    if (text.size() > max_uri) return quarantined("is longer than 500 characters");
    if (auto ok = check_scheme(text); !ok) return wrong(ok.error());
    uri_template t;
    t.text_ = text;
    for (auto rest = text;;) {
        const auto open = std::min(rest.find('{'), rest.size());
        t.literals_.emplace_back(rest.substr(0, open));
        if (auto ok = check_literal(t.literals_.back()); !ok) return wrong(ok.error());
        if (open == rest.size()) return t;
        const auto close = rest.find('}', open);
        const auto name = rest.substr(open + 1, close == std::string_view::npos ? 0 : close - open - 1);
        const auto fits = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
        if (name.empty() || !std::all_of(name.begin(), name.end(), fits))
            return quarantined("has braces other than {name}, the only RFC 6570 expression supported");
        if (std::find(t.names_.begin(), t.names_.end(), name) != t.names_.end())
            return quarantined("names something twice");
        if (!t.names_.empty() && t.literals_.back().empty())
            return quarantined("has two names with no text between them");
        t.names_.emplace_back(name);
        rest.remove_prefix(close + 1);
    }
}

std::string uri_template::shape() const {
    auto s = literals_.front();
    for (std::size_t i = 1; i < literals_.size(); ++i) s += "{}" + literals_[i];
    return s;
}

std::optional<json::object> uri_template::match(std::string_view uri) const {
    if (uri.size() > longest_asked || !uri.starts_with(literals_.front())) return std::nullopt;
    uri.remove_prefix(literals_.front().size());
    if (names_.empty()) return uri.empty() ? std::optional{json::object{}} : std::nullopt;
    json::object values;
    for (std::size_t i = 0; i < names_.size(); ++i) {
        // The shortest value that lets the rest fit leaves the most for what follows.
        const auto& after = literals_[i + 1];
        const bool last = i + 1 == names_.size();
        if (last && (uri.size() < after.size() || !uri.ends_with(after))) return std::nullopt;
        const auto end = last ? uri.size() - after.size() : uri.find(after, 1);
        if (end == std::string_view::npos) return std::nullopt;
        auto value = decoded(uri.substr(0, end));
        if (!value) return std::nullopt;
        values[names_[i]] = std::move(*value);
        uri.remove_prefix(end + after.size());
    }
    return values;
}

}  // namespace gdalmcp::catalog
