#include "base/folded_words.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/near_names.hpp"

namespace gdalmcp::base {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return is_upper(c) || is_lower(c) || (c & 0x80); }

// "popEst2019" -> "pop Est 2019"
std::string parted(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i], before = i ? text[i - 1] : ' ';
        if ((is_lower(before) && is_upper(c)) || (is_letter(before) && is_digit(c)) ||
            (is_digit(before) && is_letter(c)))
            out += ' ';
        out += c;
    }
    return out;
}

// Letters that Unicode does not decompose into a letter and a mark.
std::string_view plain(utf8proc_int32_t c) {
    switch (c) {
        case 0xe6:
            return "ae";
        case 0xf0:
        case 0x111:
            return "d";
        case 0xf8:
            return "o";
        case 0xfe:
            return "th";
        case 0x127:
            return "h";
        case 0x131:
            return "i";
        case 0x142:
            return "l";
        case 0x153:
            return "oe";
        default:
            return {};
    }
}

std::string without_case_and_marks(const std::string& s) {
    utf8proc_uint8_t* mapped = nullptr;
    const auto options =
        UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_STRIPMARK | UTF8PROC_CASEFOLD;
    const auto size =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(s.data()), static_cast<utf8proc_ssize_t>(s.size()),
                     &mapped, static_cast<utf8proc_option_t>(options));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner{mapped, &std::free};
    if (size < 0) return s;  // ill-formed
    return {reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(size)};
}

bool is_word(utf8proc_int32_t c) {
    const auto kind = utf8proc_category(c);
    return (kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO) ||
           (kind >= UTF8PROC_CATEGORY_MN && kind <= UTF8PROC_CATEGORY_NO);
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> words;
    std::string word;
    const auto end_word = [&] {
        if (!word.empty()) words.push_back(std::exchange(word, {}));
    };
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    for (std::size_t i = 0; i < text.size();) {
        utf8proc_int32_t c = 0;
        const auto n = utf8proc_iterate(bytes + i, static_cast<utf8proc_ssize_t>(text.size() - i), &c);
        const auto length = n > 0 ? static_cast<std::size_t>(n) : 1;
        if (n <= 0 || !is_word(c))
            end_word();
        else if (const auto letters = plain(c); !letters.empty())
            word += letters;
        else
            word.append(text, i, length);
        i += length;
    }
    end_word();
    return words;
}

std::vector<std::string> split_ascii(const std::string& text) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : text) {
        if (is_letter(c) || is_digit(c))
            word += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
        else if (!word.empty())
            words.push_back(std::exchange(word, {}));
    }
    if (!word.empty()) words.push_back(std::move(word));
    return words;
}

likeness word_in(const std::string& wanted, const std::vector<std::string>& text) {
    auto best = likeness::none;
    for (const auto& t : text) {
        if (t == wanted) return likeness::words;
        if (wanted.size() >= 3 && t.starts_with(wanted))
            best = std::max(best, likeness::begins);
        else if (wanted.size() >= 4 && t.find(wanted) != std::string::npos)
            best = std::max(best, likeness::inside);
    }
    return best;
}

}  // namespace

std::vector<std::string> folded_words(std::string_view text) {
    const auto parts = parted(text);
    const bool ascii = std::none_of(parts.begin(), parts.end(), [](char c) { return (c & 0x80) != 0; });
    // Folded, letters and digits may stand together that did not before: CO₂.
    return ascii ? split_ascii(parts) : split(parted(without_case_and_marks(parts)));
}

likeness like(const std::vector<std::string>& wanted, const std::vector<std::string>& text) {
    if (wanted.empty() || text.empty()) return likeness::none;
    auto worst = likeness::words;
    for (const auto& w : wanted) {
        worst = std::min(worst, word_in(w, text));
        if (worst == likeness::none) return worst;
    }
    if (worst != likeness::words) return worst;
    if (wanted == text) return likeness::same;
    return std::search(text.begin(), text.end(), wanted.begin(), wanted.end()) != text.end() ? likeness::phrase
                                                                                             : likeness::words;
}

bool is_near(const std::string& a, const std::string& b) {
    const auto longer = std::max(a.size(), b.size()), shorter = std::min(a.size(), b.size());
    const std::size_t most = shorter < 4 ? 0 : longer < 8 ? 1 : 2;
    return most > 0 && longer - shorter <= most && edit_distance(a, b) <= most;
}

}  // namespace gdalmcp::base
