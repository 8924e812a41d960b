#include "base/text.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <cstdint>

namespace gdalmcp::base {
namespace {

// Length of the well-formed sequence at the front of s, 0 if there is none. Unicode 15, table 3-7.
std::size_t sequence_length(std::string_view s) {
    const auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
    const auto tail = [&](std::size_t i) { return byte(i) >= 0x80 && byte(i) <= 0xBF; };
    const unsigned b = byte(0);
    if (b < 0x80) return 1;
    if (b >= 0xC2 && b <= 0xDF) return tail(1) ? 2 : 0;
    if (b >= 0xE0 && b <= 0xEF) {
        const unsigned low = b == 0xE0 ? 0xA0 : 0x80, high = b == 0xED ? 0x9F : 0xBF;
        return byte(1) >= low && byte(1) <= high && tail(2) ? 3 : 0;
    }
    if (b >= 0xF0 && b <= 0xF4) {
        const unsigned low = b == 0xF0 ? 0x90 : 0x80, high = b == 0xF4 ? 0x8F : 0xBF;
        return byte(1) >= low && byte(1) <= high && tail(2) && tail(3) ? 4 : 0;
    }
    return 0;
}

}  // namespace

bool is_utf8(std::string_view s) {
    const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    for (;;) {
        s.remove_prefix(static_cast<std::size_t>(std::find_if_not(s.begin(), s.end(), is_ascii) - s.begin()));
        if (s.empty()) return true;
        const auto n = sequence_length(s);
        if (n == 0) return false;
        s.remove_prefix(n);
    }
}

std::string scrub_utf8(std::string_view s) {
    std::string out;
    while (!s.empty()) {
        const auto n = sequence_length(s);
        out += n ? s.substr(0, n) : std::string_view{"\xEF\xBF\xBD"};
        s.remove_prefix(std::max<std::size_t>(n, 1));
    }
    return out;
}

bool utf16_less(std::string_view a, std::string_view b) {
    // UTF-8 order equals code point order; UTF-16 differs only in that U+E000..U+FFFF (lead bytes EE, EF) sort after
    // the surrogate pairs of U+10000 and up (lead bytes F0..F4).
    const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    if (y == b.end()) return false;
    if (x == a.end()) return true;
    const auto rank = [](char c) {
        const unsigned v = static_cast<unsigned char>(c);
        return v == 0xEE || v == 0xEF ? v + 0x100 : v;
    };
    return rank(*x) < rank(*y);
}

std::string base64(std::string_view bytes) {
    std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // libcrypto adds a NUL
    const int n = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                  reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    out.resize(static_cast<std::size_t>(n));
    return out;
}

std::string base64url(std::string_view bytes) {
    auto out = base64(bytes);
    out.erase(out.find_last_not_of('=') + 1);
    for (char& c : out) c = c == '+' ? '-' : c == '/' ? '_' : c;
    return out;
}

std::optional<std::string> from_base64url(std::string_view text) {
    constexpr const char* alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    if (text.find_first_not_of(alphabet) != text.npos || text.size() % 4 == 1) return std::nullopt;
    std::string padded{text};
    for (char& c : padded) c = c == '-' ? '+' : c == '_' ? '/' : c;
    padded.resize((padded.size() + 3) / 4 * 4, '=');
    std::string out(padded.size() / 4 * 3, '\0');
    EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()), reinterpret_cast<const unsigned char*>(padded.data()),
                    static_cast<int>(padded.size()));
    out.resize(out.size() - (padded.size() - text.size()));
    if (base64url(out) != text) return std::nullopt;  // bits set beyond the last byte
    return out;
}

std::optional<std::string> from_base64(std::string_view text) {
    std::string bare{text.substr(0, text.find('='))};
    if ((bare.size() + 3) / 4 * 4 != text.size() || bare.find_first_of("-_") != bare.npos) return std::nullopt;
    for (char& c : bare) c = c == '+' ? '-' : c == '/' ? '_' : c;
    auto bytes = from_base64url(bare);
    if (bytes && base64(*bytes) != text) return std::nullopt;  // something else than padding after the '='
    return bytes;
}

std::optional<std::string> percent_decoded(std::string_view s) {
    const auto digit = [](char c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    };
    std::string out;
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (s[i] != '%') {
            out += s[i];
            continue;
        }
        const int high = i + 1 < s.size() ? digit(s[i + 1]) : -1, low = i + 2 < s.size() ? digit(s[i + 2]) : -1;
        if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

std::string lower_ascii(std::string_view s) {
    std::string out{s};
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::string_view trimmed(std::string_view s) {
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = s.find_first_not_of(blanks);
    return first == s.npos ? std::string_view{} : s.substr(first, s.find_last_not_of(blanks) - first + 1);
}

std::string shortened(std::string_view s, std::size_t max) {
    constexpr std::string_view ellipsis = "…";
    if (s.size() <= max) return std::string{s};
    auto end = max - ellipsis.size();
    while (end > 0 && (static_cast<unsigned char>(s[end]) & 0xC0) == 0x80) --end;
    return std::string{s.substr(0, end)}.append(ellipsis);
}

std::size_t count_characters(std::string_view s) {
    return static_cast<std::size_t>(
        std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool is_text_type(std::string_view media_type) {
    const auto type = lower_ascii(media_type.substr(0, media_type.find(';')));
    return type.starts_with("text/") || type == "application/json" || type == "application/xml" ||
           type.ends_with("+json") || type.ends_with("+xml");
}

}  // namespace gdalmcp::base
