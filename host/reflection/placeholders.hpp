// What the messages of checks fill in, such as {key:method} or {/input/kind}; see check.hpp.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/problem.hpp"

namespace gdalmcp::reflection {

// The text between each pair of braces, without "percent:". A problem where a brace is not closed, or where the text
// does not begin like one of the forms.
base::result<std::vector<std::string>> placeholders_of(std::string_view text);

}  // namespace gdalmcp::reflection
