// The values that calls of a tool may have, as far as its schema limits them.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "reflection/specs.hpp"

namespace gdalmcp::reflection {

// Any spelling of a CRS may be one.
base::result<crs_identity> any_crs(std::string_view spelling);

// Where a JSON Pointer leads in a schema.
struct schema_place {
    bool possible = true;                 // there may be a value
    bool always = true;                   // there is one: required, or with a default
    const json::value* schema = nullptr;  // nullptr: not known
};
schema_place find_place(const json::value& schema, std::string_view pointer);

// Every value that may be there, null for none; nullopt: too many to list.
std::optional<json::array> values_of(const schema_place& place);

// The same of a key argument in its normal form, for calls of a tool that the domain governs.
std::optional<json::array> values_of_key(const spec& s, const key_argument& k, const std::string& tool,
                                         const json::value& arguments);

}  // namespace gdalmcp::reflection
