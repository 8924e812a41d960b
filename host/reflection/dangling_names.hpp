// Names in specs that lead nowhere: an argument that no governed tool has, a value that an argument never has, a fact
// or a part of an answer that there is not, a member that a measurement lacks. A condition on such a name never holds,
// and a message shows "?" in its place.
#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "reflection/specs.hpp"

namespace gdalmcp::reflection {

// The schemas of a tool; nullptr: not known, so nothing is said about its names.
struct tool_schemas {
    std::function<const json::value*(std::string_view tool)> arguments, result;
};

// In the domains of one contributor, and in what it adds to the domains of others.
std::vector<base::problem> dangling_names(const specs& all, std::string_view contributor, const tool_schemas& schemas);

}  // namespace gdalmcp::reflection
