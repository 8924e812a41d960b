// gdalmcp/gdal_table_encoding.hpp — the encoding of a text table, and its text in UTF-8. Used by gdal_text_table.hpp.
#pragma once
#include <cpl_conv.h>
#include <cpl_string.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace gdalmcp::gdal::detail {

inline bool is_utf8(std::string_view text) {
    std::size_t whole = text.size();
    // The sample may end within a character.
    while (whole > 0 && text.size() - whole < 3 && (static_cast<unsigned char>(text[whole - 1]) & 0xc0) == 0x80)
        --whole;
    if (whole > 0 && text.size() - whole < 4 && static_cast<unsigned char>(text[whole - 1]) >= 0xc0) --whole;
    return CPLIsUTF8(text.data(), static_cast<int>(whole)) != FALSE;
}

inline bool ascii_letter(unsigned char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

// Whether the text is Japanese in Shift-JIS: all its bytes beyond ASCII form pairs or half-width katakana, and most of
// the pairs begin as those of kana and common kanji do, with bytes that CP1252 has for quotes and dashes or not at all,
// and follow no Latin letter.
inline bool is_shift_jis(std::string_view text) {
    std::size_t pairs = 0, common = 0, in_words = 0;
    unsigned char before = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto a = static_cast<unsigned char>(text[i]);
        const bool in_word = ascii_letter(before);
        before = a;
        if (a < 0x80 || (a > 0xa0 && a < 0xe0)) continue;
        if (a == 0x80 || a == 0xa0 || a > 0xfc) return false;
        if (++i == text.size()) break;  // the sample may end within a pair
        const auto b = static_cast<unsigned char>(text[i]);
        if (b < 0x40 || b == 0x7f || b > 0xfc) return false;
        ++pairs;
        common += a < 0xa0;
        in_words += in_word;
        before = 0;
    }
    return pairs > 1 && common * 2 >= pairs && in_words * 2 < pairs;
}

// Text of one byte a character: most of those beyond ASCII stand beside Latin letters and below 0xA0, where CP1252 has
// quotes and dashes, CP850 (DOS) and MACINTOSH letters; or it is in CP1252.
inline std::string letters_encoding(std::string_view text) {
    constexpr std::string_view dos{"\x81\x82\x84\x85\x87\x8a\x94"}, mac{"\x8a\x8d\x8e\x8f\x9a\x9f"};
    std::size_t foreign = 0, in_words = 0, of_dos = 0, of_mac = 0, only_mac = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] >= 0) continue;
        ++foreign;
        const auto c = static_cast<unsigned char>(text[i]);
        const bool before = i > 0 && ascii_letter(static_cast<unsigned char>(text[i - 1]));
        const bool after = i + 1 < text.size() && ascii_letter(static_cast<unsigned char>(text[i + 1]));
        if (c > 0x9f || c == 0x92 || !before || !after) continue;
        ++in_words;
        of_dos += dos.find(text[i]) != std::string_view::npos;
        of_mac += mac.find(text[i]) != std::string_view::npos;
        only_mac += c == 0x8d || c == 0x8f || c == 0x9f;  // the others are letters of Slavic names in CP1252
    }
    if (in_words * 2 <= foreign) return "CP1252";
    if (of_dos * 2 > in_words && of_dos > of_mac) return "CP850";
    return of_mac * 2 > in_words && only_mac > 0 ? "MACINTOSH" : "CP1252";
}

// Text in a code page of DOS: there most bytes beyond ASCII are letters below 0xA6, in CP1252 from 0xC0 on.
inline bool is_dos_text(std::string_view text) {
    std::size_t dos = 0, windows = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        dos += byte >= 0x80 && byte < 0xa6;
        windows += byte >= 0xc0;
    }
    return dos > windows;
}

// UTF-8, UTF-16LE, UTF-16BE or, for text that is none of them, CP932 (Shift-JIS), CP850, MACINTOSH or CP1252.
inline std::string encoding_of(std::string_view head) {
    if (head.starts_with("\xEF\xBB\xBF")) return "UTF-8";
    if (head.starts_with("\xFF\xFE")) return "UTF-16LE";
    if (head.starts_with("\xFE\xFF")) return "UTF-16BE";
    std::size_t zeros[2] = {};
    for (std::size_t i = 0; i < head.size(); ++i) zeros[i % 2] += head[i] == '\0';
    if (zeros[1] * 4 > head.size() && zeros[0] * 8 < head.size()) return "UTF-16LE";
    if (zeros[0] * 4 > head.size() && zeros[1] * 8 < head.size()) return "UTF-16BE";
    std::string text{head};
    std::erase(text, '\0');
    return is_utf8(text) ? "UTF-8" : is_shift_jis(head) ? "CP932" : letters_encoding(head);
}

inline void append_utf8(std::string& to, std::uint32_t c) {
    const auto tail = [&](int shift) { to += static_cast<char>(0x80 | (c >> shift & 0x3f)); };
    if (c < 0x80) {
        to += static_cast<char>(c);
    } else if (c < 0x800) {
        to += static_cast<char>(0xc0 | c >> 6);
        tail(0);
    } else if (c < 0x10000) {
        to += static_cast<char>(0xe0 | c >> 12);
        tail(6);
        tail(0);
    } else {
        to += static_cast<char>(0xf0 | c >> 18);
        tail(12);
        tail(6);
        tail(0);
    }
}

// A text of an even number of bytes; half of a pair becomes U+FFFD.
inline std::string from_utf16(std::string_view text, bool little) {
    std::string out;
    const auto unit = [&](std::size_t i) {
        const auto a = static_cast<unsigned char>(text[i]), b = static_cast<unsigned char>(text[i + 1]);
        return static_cast<std::uint32_t>(little ? a | b << 8 : a << 8 | b);
    };
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        auto c = unit(i);
        if (c == 0xfeff && i == 0) continue;
        if (c >= 0xd800 && c < 0xdc00 && i + 3 < text.size() && unit(i + 2) >= 0xdc00 && unit(i + 2) < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (unit(i + 2) - 0xdc00);
            i += 2;
        } else if (c >= 0xd800 && c < 0xe000) {
            c = 0xfffd;
        }
        append_utf8(out, c);
    }
    return out;
}

inline std::string to_utf8(std::string_view text, const std::string& encoding) {
    if (encoding == "UTF-8") return std::string{text.substr(text.starts_with("\xEF\xBB\xBF") ? 3 : 0)};
    if (encoding.starts_with("UTF-16")) return from_utf16(text, encoding == "UTF-16LE");
    if (encoding != "CP1252") {
        char* utf8 = CPLRecode(std::string{text}.c_str(), encoding.c_str(), CPL_ENC_UTF8);
        std::string out = utf8 ? utf8 : "";
        CPLFree(utf8);
        return out;
    }
    std::string out;
    constexpr std::array<std::uint16_t, 32> high{0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021,
                                                 0x2c6,  0x2030, 0x160,  0x2039, 0x152,  0x8d,   0x17d,  0x8f,
                                                 0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                                 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178};
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        append_utf8(out, byte >= 0x80 && byte < 0xa0 ? high[byte - 0x80U] : byte);
    }
    return out;
}

}  // namespace gdalmcp::gdal::detail
