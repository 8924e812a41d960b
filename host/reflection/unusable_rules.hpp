// Rules that would disable a tool by accident: they govern an unknown tool, require a key that no call can give, or
// refuse every call.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "reflection/argument_place.hpp"
#include "reflection/specs.hpp"

namespace gdalmcp::reflection {

// Contributor -> the first of its rules that is unusable, and why. Conditions that depend on data or caller never make
// a rule unusable.
std::map<std::string, base::problem, std::less<>> unusable_rules(const specs& all, const argument_schemas& schemas);

}  // namespace gdalmcp::reflection
