// Words of names and texts, for comparisons that ignore case, accents and separators.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gdalmcp::base {

// "Land_Cover-2019", "landCover2019" -> land, cover, 2019; "Überseehafen" -> uberseehafen. Letters and digits are
// separate words, whatever their alphabet.
std::vector<std::string> folded_words(std::string_view text);

// How a text is like the words looked for, the better the greater.
enum class likeness {
    none,
    inside,  // every word lies inside one of the text's, of at least four bytes
    begins,  // every word begins one, or is one: of at least three bytes
    words,   // every word is one of the text's
    phrase,  // in the same order, one after the other
    same     // the text has no other words
};
likeness like(const std::vector<std::string>& wanted, const std::vector<std::string>& text);

// One letter in four to seven, two in longer words are missing, surplus or another.
bool is_near(const std::string& a, const std::string& b);

}  // namespace gdalmcp::base
