// Regular expressions of schemas.
#pragma once
#include <string>
#include <string_view>

namespace gdalmcp::base {

// The syntax of RE2: ECMAScript without back references and lookaround. A match takes time in proportion to the text
// and no stack, whatever the pattern: patterns come from bundles, texts from agents.
bool is_pattern(std::string_view pattern);

// Anywhere in the text. REQUIRES: is_pattern(pattern). Both are thread-safe.
bool matches(std::string_view pattern, std::string_view text);

}  // namespace gdalmcp::base
