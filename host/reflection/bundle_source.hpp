// A bundle's contribution to the specs: its documents and its tools.
#pragma once
#include <functional>
#include <string_view>
#include <vector>

#include "catalog/manifest.hpp"
#include "reflection/specs.hpp"

namespace gdalmcp::reflection {

// Its extensions may name its own tools only.
spec_source bundle_source(const catalog::manifest& m);

// The specs of a contributor by itself: with its own prompts only, and without what it adds to domains with `extends`,
// which is checked for its form. A problem is its first defect.
base::result<specs> specs_alone(spec_source from);

// The unusable rules and the dangling names of a contributor whose specs are in `all`. tool_named: nullptr for a tool
// that no bundle has.
using tool_lookup = std::function<const catalog::tool*(std::string_view name)>;
std::vector<base::problem> rule_defects(const specs& all, std::string_view contributor, const tool_lookup& tool_named);

// The same as far as the tools of one bundle show it: rules about other tools are not judged.
std::vector<base::problem> rule_defects(const specs& all, std::string_view contributor, const catalog::manifest& m);

}  // namespace gdalmcp::reflection
