#include "coordinates.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace gdalmcp_vector {

namespace {

// Signs of degrees, minutes and seconds and their look-alikes become blanks.
std::string without_signs(const std::string& text) {
    static constexpr const char* signs[] = {"°", "º", "′", "’", "‘", "″", "”", "“", "\xC2\xA0", "'", "\"", ":"};
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t length = 0;
        for (const std::string sign : signs)
            if (text.compare(i, sign.size(), sign) == 0) length = sign.size();
        out += length ? ' ' : text[i];
        i += length ? length : 1;
    }
    return out;
}

char hemisphere_of(char c) {
    const char upper = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return upper == 'N' || upper == 'S' || upper == 'E' || upper == 'W' ? upper : '\0';
}

}  // namespace

std::optional<coordinate> coordinate_of(const std::string& text) {
    std::string s = without_signs(text);
    const auto trim = [&] {
        while (!s.empty() && s.back() == ' ') s.pop_back();
        s.erase(0, s.find_first_not_of(' '));
    };
    trim();
    if (s.empty()) return std::nullopt;
    coordinate found{};
    if (const char h = hemisphere_of(s.back())) {
        found.hemisphere = h;
        s.pop_back();
    } else if (const char first = hemisphere_of(s.front())) {
        found.hemisphere = first;
        s.erase(0, 1);
    }
    trim();
    if (s.empty()) return std::nullopt;
    const bool negative = s.front() == '-';
    if (negative || s.front() == '+') s.erase(0, 1);
    if (negative && found.hemisphere) return std::nullopt;  // -5 W: west or east?
    for (auto& c : s)
        if (c == ',') c = '.';
    std::array<double, 3> parts{};
    std::size_t count = 0;
    for (const char* at = s.data(); at < s.data() + s.size();) {
        if (*at == ' ') {
            ++at;
            continue;
        }
        if (count == parts.size() || !std::isdigit(static_cast<unsigned char>(*at))) return std::nullopt;
        // Only the last part has decimals.
        if (count > 0 && parts[count - 1] != std::floor(parts[count - 1])) return std::nullopt;
        // What programs write of small numbers; "1e5" may be one degree east.
        const bool small = count == 0 && (s.find("e-") != s.npos || s.find("E-") != s.npos);
        const auto form = small ? std::chars_format::general : std::chars_format::fixed;
        const auto [end, failed] = std::from_chars(at, s.data() + s.size(), parts[count++], form);
        if (failed != std::errc{} || (end < s.data() + s.size() && *end != ' ')) return std::nullopt;
        at = end;
    }
    if (count == 0 || parts[1] >= 60 || parts[2] >= 60) return std::nullopt;
    found.sexagesimal = count > 1;
    found.value = parts[0] + parts[1] / 60 + parts[2] / 3600;
    if (negative || found.hemisphere == 'S' || found.hemisphere == 'W') found.value = -found.value;
    return found;
}

}  // namespace gdalmcp_vector
