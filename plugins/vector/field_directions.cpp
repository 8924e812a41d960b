#include "field_directions.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

namespace gdalmcp_vector {

namespace {

// In lower case. A word ends at what is no letter, and before a capital that follows a small letter.
std::vector<std::string> words_of(std::string_view name) {
    std::vector<std::string> words(1);
    bool small = false;
    for (const char c : name) {
        const auto letter = static_cast<unsigned char>(c);
        if (!std::isalpha(letter) || (small && std::isupper(letter))) words.emplace_back();
        if (std::isalpha(letter)) words.back() += static_cast<char>(std::tolower(letter));
        small = std::islower(letter) != 0;
    }
    std::erase_if(words, [](const auto& w) { return w.empty(); });
    return words;
}

}  // namespace

bool names_directions(std::string_view field) {
    constexpr std::array<std::string_view, 9> of_directions{"bearing", "azimuth", "aspect",      "heading", "direction",
                                                            "wdir",    "winddir", "orientation", "course"};
    const auto words = words_of(field);
    if (words.size() == 1 && words[0] == "dir") return true;
    for (std::size_t i = 0; i < words.size(); ++i)
        if (std::find(of_directions.begin(), of_directions.end(), words[i]) != of_directions.end() ||
            (words[i] == "dir" && i > 0 && words[i - 1] == "wind"))
            return true;
    return false;
}

}  // namespace gdalmcp_vector
