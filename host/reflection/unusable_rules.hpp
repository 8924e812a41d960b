// Rules that would switch a tool off by accident: they govern a tool there is not, ask for a key that no call can give,
// or refuse every call.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "reflection/specs.hpp"

namespace gdalmcp::reflection {

// The schema of a tool's arguments; nullptr: there is no such tool.
using argument_schemas = std::function<const json::value*(std::string_view tool)>;

// Contributor -> the first of its rules that is unusable, and why. What only the data or the caller decides is never
// held against a rule.
std::map<std::string, base::problem, std::less<>> unusable_rules(const specs& all, const argument_schemas& schemas);

}  // namespace gdalmcp::reflection
