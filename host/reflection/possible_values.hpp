// The values that calls of a tool may have, as far as its schema limits them.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "reflection/schema_place.hpp"
#include "reflection/specs.hpp"

namespace gdalmcp::reflection {

// Any spelling of a CRS may be one.
base::result<crs_identity> any_crs(std::string_view spelling);

// Every value that may be there, null for none; nullopt: too many to list.
std::optional<json::array> values_of(const schema_place& place);

// The same of a key argument in its normal form, for calls of a tool that the domain governs.
std::optional<json::array> values_of_key(const spec& s, const key_argument& k, const std::string& tool,
                                         const json::value& arguments);

}  // namespace gdalmcp::reflection
