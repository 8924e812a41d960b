// Names given twice in one object, of which parse_json keeps the last only.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace gdalmcp::base {

// The JSON Pointer of the first member whose name its object already has; nullopt: there is none, or the text is not
// valid JSON.
std::optional<std::string> repeated_member(std::string_view json_text);

}  // namespace gdalmcp::base
