// Rules that would disable a tool by accident: they govern an unknown tool, require a key that no call can give, or
// refuse every call.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "reflection/schema_place.hpp"
#include "reflection/specs.hpp"

namespace gdalmcp::reflection {

struct rule_defect {
    std::string by;  // the contributor
    base::problem why;
};

// The unusable rules of every contributor, at most one for each governed tool of a domain. Conditions that depend on
// data or caller never make a rule unusable.
std::vector<rule_defect> unusable_rules(const specs& all, const argument_schemas& schemas);

}  // namespace gdalmcp::reflection
