#include "base/hidden_characters.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/pointer.hpp"
#include "base/text.hpp"

namespace gdalmcp::base {
namespace {

constexpr char32_t replacement = 0xFFFD;

struct character {
    char32_t code;
    std::size_t size;  // bytes; an ill-formed byte is U+FFFD
};

character character_at(std::string_view s, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[at + i]); };
    const unsigned first = byte(0);
    if (first < 0x80) return {first, 1};
    const std::size_t size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (!is_utf8(s.substr(at, size))) return {replacement, 1};
    char32_t code = first & (0xFFu >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) code = code << 6 | (byte(i) & 0x3Fu);
    return {code, size};
}

struct range {
    char32_t first, last;
};

// Unicode 15: control characters, Default_Ignorable_Code_Point, the separators that break lines unseen, and format
// characters except visible ones (Prepended_Concatenation_Mark).
constexpr std::array<range, 22> invisible{
    {{0x00, 0x08},       {0x0B, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},      {0x34F, 0x34F},   {0x61C, 0x61C},
     {0x70F, 0x70F},     {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},  {0x200B, 0x200F}, {0x2028, 0x202E},
     {0x2060, 0x206F},   {0x3164, 0x3164},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},  {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB},
     {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}}};

bool is_invisible(char32_t c) {
    const auto* found = std::upper_bound(invisible.begin(), invisible.end(), c,
                                         [](char32_t code, const range& r) { return code < r.first; });
    return found != invisible.begin() && c <= std::prev(found)->last;
}

// A visible character beyond ASCII.
bool is_joinable(char32_t c) { return c >= 0x80 && c != replacement && (c == 0xFE0F || !is_invisible(c)); }

// `before`: the character in front; 0: none. A joiner joins two; the selector makes an emoji of the one before it,
// which may be the digit of a keycap.
bool has_a_use(std::string_view s, std::size_t at, character c, char32_t before) {
    const auto next = at + c.size;
    if (c.code == '\r') return next < s.size() && s[next] == '\n';
    if (c.code == 0x200C || c.code == 0x200D)
        return is_joinable(before) && next < s.size() && is_joinable(character_at(s, next).code) &&
               character_at(s, next).code != 0xFE0F;
    if (c.code != 0xFE0F || before == 0xFE0F) return false;
    return is_joinable(before) || (before >= '0' && before <= '9') || before == '#' || before == '*';
}

char32_t character_before(std::string_view s, std::size_t at) {
    if (at == 0) return 0;
    auto begin = at - 1;
    while (begin > 0 && at - begin < 4 && (static_cast<unsigned char>(s[begin]) & 0xC0) == 0x80) --begin;
    const auto c = character_at(s, begin);
    return begin + c.size == at ? c.code : replacement;
}

// Fast path: ASCII text of ordinary lines hides nothing.
constexpr auto of_ordinary_lines = [] {
    std::array<bool, 256> all{};
    for (unsigned c = ' '; c < 0x7F; ++c) all[c] = true;
    all['\n'] = all['\t'] = true;
    return all;
}();
bool is_plain(char c) { return of_ordinary_lines[static_cast<unsigned char>(c)]; }

result<void> refused(const hidden_character& h, std::string at) {
    return fail(code::invalid_argument, "holds " + code_point(h.code) + ", an invisible character",
                "remove it: all of a text must be visible", std::move(at));
}

// The pointer is built while returning, since most documents hide nothing.
result<void> within(std::string_view token, result<void> failed) {
    failed.error().at = "/" + std::string{token} + failed.error().at;
    return failed;
}

result<void> check_all(const json::value& v);

result<void> check_member(std::string_view name, const json::value& v) {
    if (const auto h = find_hidden(name)) return within(with_hidden_shown(escape_token(name)), refused(*h, ""));
    if (const auto line = name.find_first_of("\n\t"); line != std::string_view::npos)
        return refused({line, 1, static_cast<char32_t>(name[line])}, "");
    auto ok = check_all(v);
    return ok ? ok : within(escape_token(name), std::move(ok));
}

result<void> check_all(const json::value& v) {
    if (const auto* s = v.if_string()) {
        if (const auto h = find_hidden(*s)) return refused(*h, "");
    } else if (const auto* a = v.if_array()) {
        for (std::size_t i = 0; i < a->size(); ++i)
            if (auto ok = check_all((*a)[i]); !ok) return within(std::to_string(i), std::move(ok));
    } else if (const auto* o = v.if_object()) {
        for (const auto& m : *o)
            if (auto ok = check_member(m.key(), m.value()); !ok) return ok;
    }
    return {};
}

}  // namespace

std::optional<hidden_character> find_hidden(std::string_view s, std::size_t from) {
    for (auto at = from; at < s.size();) {
        if (is_plain(s[at])) {
            ++at;
            continue;
        }
        const auto c = character_at(s, at);
        if (is_invisible(c.code) && !has_a_use(s, at, c, character_before(s, at)))
            return hidden_character{at, c.size, c.code};
        at += c.size;
    }
    return std::nullopt;
}

std::string code_point(char32_t c) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (; c != 0 || out.size() < 4; c >>= 4) out.insert(out.begin(), digits[c & 0xF]);
    return "U+" + out;
}

std::string with_hidden_shown(std::string_view text) {
    const auto s = is_utf8(text) ? std::string{text} : scrub_utf8(text);
    std::string out;
    std::size_t done = 0;
    while (const auto h = find_hidden(s, done)) {
        out.append(s, done, h->at - done).append("<" + code_point(h->code) + ">");
        done = h->at + h->size;
    }
    return out.append(s, done);
}

result<void> check_nothing_hidden(std::string_view text) {
    const auto h = find_hidden(text);
    if (!h) return {};
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(h->at), '\n');
    auto p = refused(*h, "");
    p.error().message = "line " + std::to_string(line) + ": " + p.error().message;
    return p;
}

result<void> check_nothing_hidden(const json::value& v) { return check_all(v); }

}  // namespace gdalmcp::base
