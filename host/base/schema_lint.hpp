// Whether clients may be offered a schema.
#pragma once
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::base {

// Why this schema must not be offered to clients: unknown or unenforced keywords, root not an object, anyOf/oneOf/allOf
// at the root, $ref, $schema, tuple items, boolean schemas, type unions. Empty = no findings. `at` of each is a pointer
// into the schema.
std::vector<problem> lint_schema(const json::value& text);

// The keywords the validator enforces or that only annotate; everything else is refused by lint_schema.
const std::vector<std::string_view>& accepted_keywords();

}  // namespace gdalmcp::base
