#include "reflection/normal_form.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/near_names.hpp"
#include "base/text.hpp"
#include "reflection/geometry.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

constexpr int decimals_of_degrees = 9;
constexpr int decimals_of_metres = 4;

std::string nfc(const std::string& s) {
    utf8proc_uint8_t* composed = nullptr;
    const auto size =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(s.data()), static_cast<utf8proc_ssize_t>(s.size()),
                     &composed, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner{composed, &std::free};
    if (size < 0) return s;  // only when memory runs out: `s` is well-formed
    return {reinterpret_cast<const char*>(composed), static_cast<std::size_t>(size)};
}

// Unicode property White_Space.
bool is_white_space(utf8proc_int32_t c) {
    return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

std::string shown(const json::value& v) {
    auto text = base::write_json(v);
    if (text.size() > 80) text = base::scrub_utf8(text.substr(0, 77)) + "...";
    return text;
}

result<std::string> text_of(const json::value& v) {
    if (const auto* s = v.if_string()) return std::string{*s};
    if (v.is_number()) return base::canonical_json(v);
    if (v.is_object()) return base::write_json(v);  // PROJJSON
    return fail(code::invalid_argument, shown(v) + " is not text");
}

// The table's entry for a word, or a name in it, ignoring separators: "cubic spline"; else the word itself.
std::string spelled_otherwise(const normaliser& n, const std::string& word) {
    for (const auto& [spelling, name] : n.synonyms)
        if (base::folded(spelling) == base::folded(word) || base::folded(name) == base::folded(word))
            return base::lower_ascii(name);
    return word;
}

result<std::string> normal_word(const normaliser& n, const json::value& given, const crs_lookup& crs) {
    auto text = text_of(given);
    if (!text) return text;
    switch (n.how) {
        case form::crs: {
            const std::string spelling{base::trimmed(*text)};
            if (spelling.empty() || is_projjson_hash(spelling)) return spelling;
            const auto identity = crs(spelling);
            if (!identity) return tl::unexpected{identity.error()};
            return identity->normal;
        }
        case form::synonym: {
            const auto word = base::lower_ascii(base::trimmed(*text));
            const auto known = n.synonyms.find(word);
            return known == n.synonyms.end() ? spelled_otherwise(n, word) : base::lower_ascii(known->second);
        }
        case form::lower:
            return base::lower_ascii(base::trimmed(*text));
        default:
            return normal_text(*text);
    }
}

// "85" and 85 are one number.
result<json::value> normal_number(const json::value& given) {
    if (given.is_number()) return given;
    if (const auto* s = given.if_string())
        if (auto parsed = base::parse_json(base::trimmed(*s)); parsed && parsed->is_number()) return *parsed;
    return fail(code::invalid_argument, shown(given) + " is not a number");
}

result<json::value> normal_extent(const json::value& given, const crs_lookup& crs, std::string_view geometry_crs) {
    json::value parsed;
    const json::value* geometry = &given;
    if (const auto* s = given.if_string()) {
        if (is_dataset_form(*s)) return given;
        auto read = base::parse_json(*s);
        if (!read) return fail(code::invalid_argument, shown(given) + " is not a geometry");
        parsed = std::move(*read);
        geometry = &parsed;
    }
    // If the unit is unknown, the finer grid keeps different areas apart.
    int decimals = decimals_of_degrees;
    if (!geometry_crs.empty() && !is_projjson_hash(geometry_crs)) {
        const auto identity = crs(geometry_crs);
        if (!identity) return tl::unexpected{identity.error()};
        if (!identity->geographic) decimals = decimals_of_metres;
    }
    return normal_geometry(*geometry, decimals);
}

// "mean+max", ["max", "mean", "Mean"] -> "max+mean"
result<json::value> normal_list(const normaliser& n, const json::value& given, const crs_lookup& crs) {
    json::array members;
    if (const auto* a = given.if_array()) {
        members = *a;
    } else if (const auto* s = given.if_string()) {
        for (std::size_t from = 0; from <= s->size();) {
            const auto end = std::min(s->find('+', from), s->size());
            members.push_back(json::string_view{s->data() + from, end - from});
            from = end + 1;
        }
    } else {
        members.push_back(given);
    }
    std::vector<std::string> words;
    for (const auto& m : members) {
        auto word = normal_word(n, m, crs);
        if (!word) return tl::unexpected{word.error()};
        if (!word->empty() && std::find(n.ignore.begin(), n.ignore.end(), *word) == n.ignore.end())
            words.push_back(std::move(*word));
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::string joined;
    for (const auto& w : words) joined += (joined.empty() ? "" : "+") + w;
    return json::value(joined);
}

}  // namespace

bool is_projjson_hash(std::string_view s) {
    constexpr std::string_view prefix = "projjson-sha256:";
    return s.size() == prefix.size() + 64 && s.substr(0, prefix.size()) == prefix &&
           s.substr(prefix.size()).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string normal_text(std::string_view s) {
    const auto composed = nfc(base::scrub_utf8(s));
    std::string out;
    bool gap = false;
    const auto* p = reinterpret_cast<const utf8proc_uint8_t*>(composed.data());
    for (std::size_t i = 0; i < composed.size();) {
        utf8proc_int32_t c = 0;
        const auto size = utf8proc_iterate(p + i, static_cast<utf8proc_ssize_t>(composed.size() - i), &c);
        const auto step = static_cast<std::size_t>(std::max<utf8proc_ssize_t>(size, 1));
        if (is_white_space(c)) {
            gap = true;
        } else {
            if (gap && !out.empty()) out += ' ';
            gap = false;
            out.append(composed, i, step);
        }
        i += step;
    }
    return out;
}

result<json::value> normal_form(const normaliser& n, const json::value& given, const crs_lookup& crs,
                                std::string_view geometry_crs) {
    if (n.how == form::geometry) {
        if (given.is_null()) return json::value("");
        return normal_extent(given, crs, geometry_crs);
    }
    if (n.how == form::number) {
        if (given.is_null()) return json::value(nullptr);
        return normal_number(given);
    }
    if (given.is_null()) return json::value("");
    if (n.list) return normal_list(n, given, crs);
    const auto word = normal_word(n, given, crs);
    if (!word) return tl::unexpected{word.error()};
    return json::value(*word);
}

}  // namespace gdalmcp::reflection
