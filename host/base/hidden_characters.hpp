// Characters that are invisible, or that make other text look different from what it is: control characters,
// bidirectional formatting, zero-width and other invisible characters, tags (Unicode TR 36, TR 55).
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace gdalmcp::base {

struct hidden_character {
    std::size_t at, size;  // bytes
    char32_t code;
};

// The first one that begins at byte `from` or later. Not hidden are tab and line feed, CR before LF, and, beside a
// character beyond ASCII, what Persian, the scripts of India and emoji are written with: the joiners U+200C and U+200D
// and the emoji selector U+FE0F.
std::optional<hidden_character> find_hidden(std::string_view s, std::size_t from = 0);

// "U+202E"
std::string code_point(char32_t c);

// For terminals, logs and models: each hidden character as <U+202E>, each ill-formed byte as U+FFFD.
std::string with_hidden_shown(std::string_view s);

// Of a document. Errors: the first hidden character, with its line.
result<void> check_nothing_hidden(std::string_view text);

// Every text and every member's name of a JSON value; a name may have no line break either. Errors: the first hidden
// character, `at` saying where.
result<void> check_nothing_hidden(const json::value& v);

}  // namespace gdalmcp::base
