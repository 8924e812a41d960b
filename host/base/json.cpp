#include "base/json.hpp"

#include <algorithm>
#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/hidden_characters.hpp"
#include "base/text.hpp"

namespace gdalmcp::base {
namespace {

constexpr double max_exact_integer = 9007199254740992.0;  // 2^53

// Boost.JSON reads 1.0 as a double and 1e400 as infinity; see parse_json.
bool normalise_numbers(json::value& v) {
    if (auto* d = v.if_double()) {
        if (!std::isfinite(*d)) return false;
        if (std::abs(*d) <= max_exact_integer && std::trunc(*d) == *d) v = static_cast<std::int64_t>(*d);
    } else if (auto* u = v.if_uint64()) {
        if (*u <= static_cast<std::uint64_t>(INT64_MAX)) v = static_cast<std::int64_t>(*u);
    } else if (auto* a = v.if_array()) {
        for (auto& e : *a)
            if (!normalise_numbers(e)) return false;
    } else if (auto* o = v.if_object()) {
        for (auto& e : *o)
            if (!normalise_numbers(e.value())) return false;
    }
    return true;
}

// Builds the value as Boost's own parser does, but reads doubles from their text: Boost.JSON 1.81 rounds one in eight
// numbers of full precision to a neighbour.
class value_reader {
public:
    static constexpr std::size_t max_object_size = json::object::max_size();
    static constexpr std::size_t max_array_size = json::array::max_size();
    static constexpr std::size_t max_key_size = json::string::max_size();
    static constexpr std::size_t max_string_size = json::string::max_size();
    using error = boost::system::error_code;

    bool on_document_begin(error&) { return true; }
    bool on_document_end(error&) { return true; }
    bool on_object_begin(error&) { return true; }
    bool on_object_end(std::size_t n, error& ec) { return stack_.push_object(n), counts(ec); }
    bool on_array_begin(error&) { return true; }
    bool on_array_end(std::size_t n, error& ec) { return stack_.push_array(n), counts(ec); }
    bool on_key_part(json::string_view s, std::size_t, error&) { return stack_.push_chars(s), true; }
    bool on_key(json::string_view s, std::size_t, error&) { return stack_.push_key(s), true; }
    bool on_string_part(json::string_view s, std::size_t, error&) { return stack_.push_chars(s), true; }
    bool on_string(json::string_view s, std::size_t, error& ec) { return stack_.push_string(s), counts(ec); }
    bool on_number_part(json::string_view s, error&) { return number_.append(s), true; }
    bool on_int64(std::int64_t i, json::string_view, error& ec) {
        return number_.clear(), stack_.push_int64(i), counts(ec);
    }
    bool on_uint64(std::uint64_t u, json::string_view, error& ec) {
        return number_.clear(), stack_.push_uint64(u), counts(ec);
    }
    bool on_double(double, json::string_view s, error& failed) {
        number_.append(s);
        double d = 0;
        const auto [end, ec] = std::from_chars(number_.data(), number_.data() + number_.size(), d);
        if (ec == std::errc::result_out_of_range) d = std::strtod(number_.c_str(), nullptr);  // infinite, or nearly 0
        return number_.clear(), stack_.push_double(d), counts(failed);
    }
    bool on_bool(bool b, error& ec) { return stack_.push_bool(b), counts(ec); }
    bool on_null(error& ec) { return stack_.push_null(), counts(ec); }
    bool on_comment_part(json::string_view, error&) { return true; }
    bool on_comment(json::string_view, error&) { return true; }

    void begin(std::size_t max_values) {
        stack_.reset();
        left_ = max_values;
        too_many_ = false;
    }
    json::value release() { return stack_.release(); }
    bool too_many() const { return too_many_; }

private:
    bool counts(error& ec) {
        if (left_-- > 0) return true;
        too_many_ = true;
        ec = json::error::too_deep;  // any value: it only ends the parsing
        return false;
    }

    json::value_stack stack_;
    std::size_t left_ = 0;  // values still allowed
    bool too_many_ = false;
    std::string number_;
};

constexpr const char* hex = "0123456789abcdef";

bool needs_escape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

void append_escape(std::string& out, char c) {
    constexpr const char *short_forms = "\"\\\b\f\n\r\t", *letters = "\"\\bfnrt";
    if (const char* found = std::strchr(short_forms, c); found && c != '\0') {
        out += '\\';
        out += letters[found - short_forms];
    } else {
        out += "\\u00";
        out += hex[(c >> 4) & 0xf];
        out += hex[c & 0xf];
    }
}

void append_escaped(std::string& out, std::string_view s) {
    for (auto at = s.begin(); at != s.end();) {
        const auto special = std::find_if(at, s.end(), needs_escape);
        out.append(at, special);
        if (special == s.end()) break;
        append_escape(out, *special);
        at = special + 1;
    }
}

// As \u202e, beyond the BMP as two surrogates.
void append_hidden(std::string& out, char32_t c) {
    if (c > 0xFFFF) {
        append_hidden(out, 0xD800 + ((c - 0x10000) >> 10));
        c = 0xDC00 + ((c - 0x10000) & 0x3FF);
    }
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out += hex[(c >> shift) & 0xf];
}

// One walk serves both writers; they differ in member order and in integers beyond 2^53.
class writer {
public:
    explicit writer(bool canonical) : canonical_{canonical} {}

    void value(const json::value& v) {
        switch (v.kind()) {
            case json::kind::null:
                out += "null";
                break;
            case json::kind::bool_:
                out += v.get_bool() ? "true" : "false";
                break;
            case json::kind::int64:
                integer(v.get_int64());
                break;
            case json::kind::uint64:
                integer(v.get_uint64());
                break;
            case json::kind::double_:
                out += format_number(v.get_double());
                break;
            case json::kind::string:
                string(v.get_string());
                break;
            case json::kind::array:
                array(v.get_array());
                break;
            case json::kind::object:
                object(v.get_object());
                break;
        }
    }
    std::string out;

private:
    template <class I>
    void integer(I i) {
        if (canonical_)
            out += format_number(static_cast<double>(i));
        else
            out += std::to_string(i);
    }
    void string(std::string_view s) {
        out += '"';
        if (is_utf8(s))
            text(s);
        else
            text(scrub_utf8(s));
        out += '"';
    }
    void text(std::string_view s) {
        std::size_t done = 0;
        if (!canonical_ && !std::all_of(s.begin(), s.end(), [](char c) { return c >= 0 && c < 0x7F; }))
            while (const auto h = find_hidden(s, done)) {
                append_escaped(out, s.substr(done, h->at - done));
                if (h->code < ' ')
                    append_escape(out, static_cast<char>(h->code));
                else
                    append_hidden(out, h->code);
                done = h->at + h->size;
            }
        append_escaped(out, s.substr(done));
    }
    void array(const json::array& a) {
        out += '[';
        bool first = true;
        for (const auto& e : a) {
            if (!std::exchange(first, false)) out += ',';
            value(e);
        }
        out += ']';
    }
    void object(const json::object& o) {
        out += '{';
        bool first = true;
        const auto member = [&](const json::key_value_pair& m) {
            if (!std::exchange(first, false)) out += ',';
            string(m.key());
            out += ':';
            value(m.value());
        };
        if (canonical_) {
            std::vector<const json::key_value_pair*> members;
            members.reserve(o.size());
            for (const auto& m : o) members.push_back(&m);
            std::sort(members.begin(), members.end(), [](auto* a, auto* b) { return utf16_less(a->key(), b->key()); });
            for (const auto* m : members) member(*m);
        } else {
            for (const auto& m : o) member(m);
        }
        out += '}';
    }
    bool canonical_;
};

}  // namespace

result<json::value> parse_json(std::string_view text, std::size_t max_values) {
    json::parse_options options;
    options.max_depth = deepest_json;
    boost::system::error_code ec;
    json::value v;
    try {
        json::basic_parser<value_reader> parser{options};
        parser.handler().begin(max_values);
        const auto used = parser.write_some(false, text.data(), text.size(), ec);
        if (!ec && used < text.size()) ec = json::error::extra_data;
        if (!ec) v = parser.handler().release();
        if (parser.handler().too_many())
            return fail(code::invalid_argument, "more than " + std::to_string(max_values) + " JSON values",
                        "name a file instead of sending its content");
    } catch (const std::exception& e) {  // length_error and bad_alloc on absurd input
        return fail(code::invalid_argument, std::string{"not readable as JSON: "} + e.what());
    }
    if (ec == json::error::too_deep)
        return fail(code::invalid_argument,
                    "the JSON is nested deeper than " + std::to_string(deepest_json) + " levels, the limit",
                    "nest it less, or name a file instead of sending its content");
    if (ec) return fail(code::invalid_argument, "not valid JSON: " + ec.message());
    if (!normalise_numbers(v)) return fail(code::invalid_argument, "a number is too large for a double");
    return v;
}

std::string format_number(double v) {
    if (!std::isfinite(v)) return "null";
    if (v == 0) return "0";  // also -0
    // ECMAScript: the shortest digits, plain notation for exponents in [-7, 21), otherwise d.ddde+x.
    std::array<char, 64> b{};
    auto end = std::to_chars(b.data(), b.data() + b.size(), v, std::chars_format::scientific).ptr;
    std::string_view text{b.data(), static_cast<std::size_t>(end - b.data())};
    std::string sign;
    if (text.front() == '-') {
        sign = "-";
        text.remove_prefix(1);
    }
    const auto e = text.find('e');
    int exponent = 0;
    const auto* exponent_text = text.data() + e + 1 + (text[e + 1] == '+' ? 1 : 0);
    std::from_chars(exponent_text, text.data() + text.size(), exponent);
    std::string digits{text.substr(0, 1)};
    if (e > 2) digits += text.substr(2, e - 2);
    const int k = static_cast<int>(digits.size());
    const int n = exponent + 1;
    if (k <= n && n <= 21) return sign + digits + std::string(static_cast<std::size_t>(n - k), '0');
    if (0 < n && n <= 21)
        return sign + digits.substr(0, static_cast<std::size_t>(n)) + "." + digits.substr(static_cast<std::size_t>(n));
    if (-6 < n && n <= 0) return sign + "0." + std::string(static_cast<std::size_t>(-n), '0') + digits;
    std::string out = sign + digits.substr(0, 1);
    if (k > 1) out += "." + digits.substr(1);
    return out + "e" + (n - 1 < 0 ? "-" : "+") + std::to_string(std::abs(n - 1));
}

std::string write_json(const json::value& v) {
    writer w{false};
    w.value(v);
    return std::move(w.out);
}

std::string canonical_json(const json::value& v) {
    writer w{true};
    w.value(v);
    return std::move(w.out);
}

const json::value* find_member(const json::object& o, std::string_view name) { return o.if_contains(name); }

const json::value* find_member(const json::value& v, std::string_view name) {
    const auto* o = v.if_object();
    return o ? find_member(*o, name) : nullptr;
}

std::string_view string_member(const json::object& o, std::string_view name, std::string_view fallback) {
    const auto* m = find_member(o, name);
    return m && m->is_string() ? std::string_view{m->get_string()} : fallback;
}

std::string_view string_member(const json::value& v, std::string_view name, std::string_view fallback) {
    const auto* o = v.if_object();
    return o ? string_member(*o, name, fallback) : fallback;
}

bool bool_member(const json::value& v, std::string_view name, bool fallback) {
    const auto* m = find_member(v, name);
    return m && m->is_bool() ? m->get_bool() : fallback;
}

}  // namespace gdalmcp::base
