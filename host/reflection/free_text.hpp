// Free texts of an answer: whether they say anything.
#pragma once
#include <string>
#include <string_view>

namespace gdalmcp::reflection {

// At least three different words, or twelve letters in different words, in any script. A word has two letters or is a
// number; a Chinese character is a word of its own; a Hangul syllable counts as two letters.
bool says_enough(std::string_view text);

// What says_enough() demands, for messages.
inline constexpr const char* enough_text = "at least three different words, or twelve letters";

}  // namespace gdalmcp::reflection
