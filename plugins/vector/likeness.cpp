#include "likeness.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iterator>

namespace gdalmcp_vector {

namespace {

// U+00C0 to U+017F.
constexpr const char* base_letters =
    "aaaaaaaceeeeiiiidnooooo ouuuuytsaaaaaaaceeeeiiiidnooooo ouuuuyty"
    "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkkllllllllllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuu"
    "uu"
    "wwyyyzzzzzzs";

std::vector<std::string> pairs_of(const std::string& text) {
    std::vector<std::string> all;
    if (text.size() == 1) all.push_back(text);
    for (std::size_t i = 0; i + 1 < text.size(); ++i) all.push_back(text.substr(i, 2));
    std::sort(all.begin(), all.end());
    return all;
}

// Of two bytes: U+0080 to U+00BF, signs and non-breaking blanks; U+0300 to U+036F, combining marks.
bool is_mark(unsigned char lead, unsigned char next) {
    return lead == 0xC2 || lead == 0xCC || (lead == 0xCD && next <= 0xAF);
}

bool has_several_words(const std::string& text) {
    const auto begin = text.find_first_not_of(' ');
    const auto gap = text.find(' ', begin);
    return begin != std::string::npos && gap != std::string::npos &&
           text.find_first_not_of(' ', gap) != std::string::npos;
}

// Of the character that begins at a byte of a text in UTF-8.
std::string code_point(const std::string& text, std::size_t at) {
    if (at >= text.size()) return "no character";
    const unsigned lead = static_cast<unsigned char>(text[at]);
    const unsigned more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    unsigned point = more == 0 ? lead : lead & (0x3FU >> more);
    for (unsigned i = 1; i <= more && at + i < text.size(); ++i)
        point = point << 6U | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
    char shown[16];
    std::snprintf(shown, sizeof shown, "U+%04X", point);
    return shown;
}

}  // namespace

std::string unseen_difference(const std::string& a, const std::string& b) {
    const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    auto at = static_cast<std::size_t>(differ.first - a.begin());
    const auto inside = [&](const std::string& s) { return at < s.size() && (s[at] & 0xC0) == 0x80; };
    while (at > 0 && (inside(a) || inside(b))) --at;
    const auto foreign = [&](const std::string& s) { return at < s.size() && s[at] < 0; };
    if (folded(a) != folded(b) || (!foreign(a) && !foreign(b))) return {};
    return code_point(a, at) + " and " + code_point(b, at);
}

std::string folded(const std::string& utf8) {
    std::string out;
    for (std::size_t i = 0; i < utf8.size(); ++i) {
        const auto c = static_cast<unsigned char>(utf8[i]);
        if (c >= 0xC3 && c <= 0xC5 && i + 1 < utf8.size()) {
            const auto at = static_cast<std::size_t>((c & 0x1F) << 6 | (static_cast<unsigned char>(utf8[++i]) & 0x3F));
            const char letter = base_letters[at - 0xC0];
            if (letter != ' ') out += letter;
        } else if (i + 1 < utf8.size() && is_mark(c, static_cast<unsigned char>(utf8[i + 1]))) {
            ++i;
        } else if (c >= 0x80) {
            out += static_cast<char>(c);
        } else if (std::isalnum(c)) {
            out += static_cast<char>(std::tolower(c));
        }
    }
    return out;
}

double likeness(const std::string& a, const std::string& b) {
    if (a == b) return 1;
    const auto first = pairs_of(a), second = pairs_of(b);
    if (first.empty() || second.empty()) return 0;
    std::vector<std::string> common;
    std::set_intersection(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(common));
    return 2.0 * static_cast<double>(common.size()) / static_cast<double>(first.size() + second.size());
}

std::vector<std::string> most_alike(const std::string& name, const std::vector<std::string>& candidates,
                                    std::size_t n) {
    const auto wanted = folded(name);
    const bool several = has_several_words(name);
    std::vector<std::pair<double, std::string>> all;
    for (const auto& c : candidates)
        if (const double l = likeness(wanted, folded(c)); l >= (several || has_several_words(c) ? 0.3 : 0.5))
            all.emplace_back(-l, c);
    std::sort(all.begin(), all.end());
    std::vector<std::string> best;
    for (std::size_t i = 0; i < std::min(n, all.size()); ++i) best.push_back(all[i].second);
    return best;
}

}  // namespace gdalmcp_vector
