// gdalmcp/testing_json.hpp — a minimal JSON for gdalmcp/testing.hpp; not for use in tools.
#pragma once
#include <gdalmcp/kind.hpp>

#include <cmath>
#include <stdexcept>

namespace gdalmcp::testing {

// A JSON value. An array has items; an object has items and equally many names.
struct json {
    gdalmcp_kind kind = GDALMCP_NULL;
    bool flag = false;
    std::int64_t integer = 0;
    double number = 0;  // of an integer too
    std::string text;
    std::vector<json> items;
    std::vector<std::string> names;

    static json of(bool v) {
        json j;
        j.kind = GDALMCP_BOOL;
        j.flag = v;
        return j;
    }
    static json of(std::int64_t v) {
        json j;
        j.kind = GDALMCP_INTEGER;
        j.integer = v;
        j.number = static_cast<double>(v);
        return j;
    }
    static json of(double v) {  // whole ones are integers, as in the host
        constexpr double exact = 9007199254740992.0;
        if (!std::isfinite(v)) return {};
        if (std::trunc(v) == v && std::abs(v) <= exact) return of(static_cast<std::int64_t>(v));
        json j;
        j.kind = GDALMCP_NUMBER;
        j.number = v;
        return j;
    }
    static json of(std::string_view v) {
        json j;
        j.kind = GDALMCP_STRING;
        j.text = v;
        return j;
    }
    static json empty(gdalmcp_kind k) {
        json j;
        j.kind = k;
        return j;
    }

    const json* find(std::string_view name) const {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == name) return &items[i];
        return nullptr;
    }
    json& member(std::string_view name) {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == name) return items[i];
        names.emplace_back(name);
        items.emplace_back();
        return items.back();
    }
    void remove(std::string_view name) {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == name) {
                names.erase(names.begin() + static_cast<std::ptrdiff_t>(i));
                items.erase(items.begin() + static_cast<std::ptrdiff_t>(i));
                return;
            }
    }
    std::string_view text_of(std::string_view name) const {
        const auto* v = find(name);
        return v && v->kind == GDALMCP_STRING ? std::string_view{v->text} : std::string_view{};
    }
};

namespace detail {

class json_reader {
public:
    explicit json_reader(std::string_view s) : rest_{s} {}
    json document() {
        json v = value();
        blanks();
        if (!rest_.empty()) fail("more follows the value");
        return v;
    }

private:
    [[noreturn]] void fail(const char* why) const {
        throw std::invalid_argument{std::string{"JSON: "} + why + " at '" + std::string{rest_.substr(0, 20)} + "'"};
    }
    void blanks() {
        while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t' || rest_[0] == '\r'))
            rest_.remove_prefix(1);
    }
    bool eat(std::string_view word) {
        blanks();
        if (rest_.substr(0, word.size()) != word) return false;
        rest_.remove_prefix(word.size());
        return true;
    }
    json value() {
        if (eat("{")) return object();
        if (eat("[")) return array();
        if (eat("\"")) return json::of(std::string_view{string()});
        if (eat("true")) return json::of(true);
        if (eat("false")) return json::of(false);
        if (eat("null")) return {};
        return number();
    }
    json object() {
        json o = json::empty(GDALMCP_OBJECT);
        if (eat("}")) return o;
        do {
            if (!eat("\"")) fail("a name is missing");
            const auto name = string();
            if (!eat(":")) fail("':' is missing");
            o.member(name) = value();
        } while (eat(","));
        if (!eat("}")) fail("'}' is missing");
        return o;
    }
    json array() {
        json a = json::empty(GDALMCP_ARRAY);
        if (eat("]")) return a;
        do a.items.push_back(value());
        while (eat(","));
        if (!eat("]")) fail("']' is missing");
        return a;
    }
    json number() {
        const auto end = std::min(rest_.find_first_not_of("+-.0123456789eE"), rest_.size());
        const auto* last = rest_.data() + end;
        std::int64_t whole = 0;
        double real = 0;
        const auto i = std::from_chars(rest_.data(), last, whole);
        const auto d = std::from_chars(rest_.data(), last, real);
        if (end == 0 || d.ec != std::errc{} || d.ptr != last) fail("no value");
        rest_.remove_prefix(end);
        return i.ec == std::errc{} && i.ptr == last ? json::of(whole) : json::of(real);
    }
    std::string string() {
        std::string s;
        while (!rest_.empty() && rest_[0] != '"') {
            char c = rest_[0];
            rest_.remove_prefix(1);
            if (c != '\\') {
                s += c;
                continue;
            }
            if (rest_.empty()) break;
            c = rest_[0];
            rest_.remove_prefix(1);
            if (c == 'u') {
                s += utf8(unit());
                continue;
            }
            constexpr std::string_view escapes = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
            const auto which = escapes.find(c);
            if (which == std::string_view::npos) fail("unknown escape");
            s += meant[which];
        }
        if (!eat("\"")) fail("a string is not closed");
        return s;
    }
    std::uint32_t unit() {
        std::uint32_t u = 0;
        if (rest_.size() < 4 || std::from_chars(rest_.data(), rest_.data() + 4, u, 16).ptr != rest_.data() + 4)
            fail("\\u needs four hex digits");
        rest_.remove_prefix(4);
        return u;
    }
    std::string utf8(std::uint32_t u) {
        if (u >= 0xD800 && u < 0xDC00) {  // the first half of a pair
            if (rest_.substr(0, 2) != "\\u") fail("half of a surrogate pair");
            rest_.remove_prefix(2);
            u = 0x10000 + ((u - 0xD800) << 10) + (unit() - 0xDC00);
        }
        std::string s;
        const auto put = [&](std::uint32_t byte) { s += static_cast<char>(static_cast<unsigned char>(byte)); };
        if (u < 0x80) {
            put(u);
        } else if (u < 0x800) {
            put(0xC0 | (u >> 6));
            put(0x80 | (u & 0x3F));
        } else if (u < 0x10000) {
            put(0xE0 | (u >> 12));
            put(0x80 | ((u >> 6) & 0x3F));
            put(0x80 | (u & 0x3F));
        } else {
            put(0xF0 | (u >> 18));
            put(0x80 | ((u >> 12) & 0x3F));
            put(0x80 | ((u >> 6) & 0x3F));
            put(0x80 | (u & 0x3F));
        }
        return s;
    }

    std::string_view rest_;
};

inline bool is_pointer(std::string_view at) {
    if (!at.empty() && at[0] != '/') return false;
    for (auto i = at.find('~'); i != at.npos; i = at.find('~', i + 1))
        if (i + 1 == at.size() || (at[i + 1] != '0' && at[i + 1] != '1')) return false;
    return true;
}

// "/bands/0" -> "bands", then "0". REQUIRES: a pointer with steps left.
inline std::string next_token(std::string_view& at) {
    at.remove_prefix(1);
    const auto end = std::min(at.find('/'), at.size());
    std::string token;
    for (std::size_t i = 0; i < end; ++i) token += at[i] == '~' ? (at[++i] == '0' ? '~' : '/') : at[i];
    at.remove_prefix(end);
    return token;
}

inline std::optional<std::size_t> index_of(const std::string& token) {
    std::size_t i = 0;
    const auto* end = token.data() + token.size();
    const auto read = std::from_chars(token.data(), end, i);
    return read.ec == std::errc{} && read.ptr == end ? std::optional{i} : std::nullopt;
}

}  // namespace detail

// Throws std::invalid_argument with the position of the syntax error.
inline json parse(std::string_view text) { return detail::json_reader{text}.document(); }

inline std::string write(const json& v) {
    switch (v.kind) {
        case GDALMCP_NULL:
            return "null";
        case GDALMCP_BOOL:
            return v.flag ? "true" : "false";
        case GDALMCP_INTEGER:
            return std::to_string(v.integer);
        case GDALMCP_NUMBER:
            return gdalmcp::detail::number(v.number);
        case GDALMCP_STRING:
            return gdalmcp::detail::quote(v.text);
        default:
            break;
    }
    std::string s;
    for (std::size_t i = 0; i < v.items.size(); ++i) {
        s += i ? "," : "";
        if (v.kind == GDALMCP_OBJECT) s += gdalmcp::detail::quote(v.names[i]) + ":";
        s += write(v.items[i]);
    }
    return v.kind == GDALMCP_ARRAY ? "[" + s + "]" : "{" + s + "}";
}

// The value at a JSON Pointer; nullptr: none.
inline const json* at_pointer(const json& root, std::string_view at) {
    if (!detail::is_pointer(at)) return nullptr;
    const json* v = &root;
    while (v && !at.empty()) {
        const auto token = detail::next_token(at);
        if (v->kind == GDALMCP_ARRAY) {
            const auto i = detail::index_of(token);
            v = i && *i < v->items.size() ? &v->items[*i] : nullptr;
        } else {
            v = v->find(token);
        }
    }
    return v;
}

// Creates intermediate objects and arrays; "-" appends. false: a scalar is in the way, an index is beyond the end, or
// `at` is not a pointer.
inline bool put_at_pointer(json& root, std::string_view at, json value) {
    if (!detail::is_pointer(at)) return false;
    json* place = &root;
    while (!at.empty()) {
        const auto token = detail::next_token(at);
        if (place->kind == GDALMCP_NULL)
            *place = json::empty(token == "-" || token == "0" ? GDALMCP_ARRAY : GDALMCP_OBJECT);
        if (place->kind == GDALMCP_OBJECT) {
            place = &place->member(token);
        } else if (place->kind == GDALMCP_ARRAY) {
            const auto i = token == "-" ? std::optional{place->items.size()} : detail::index_of(token);
            if (!i || *i > place->items.size()) return false;
            if (*i == place->items.size()) place->items.emplace_back();
            place = &place->items[*i];
        } else {
            return false;
        }
    }
    *place = std::move(value);
    return true;
}

}  // namespace gdalmcp::testing
