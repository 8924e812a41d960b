// What callers mean by arguments that a schema does not accept as written, and the values of those they leave out.
#pragma once
#include "base/json.hpp"

namespace gdalmcp::base {

// schema::reify and schema::fill_defaults.
void reify(const json::value& schema, json::value& instance);
void fill_defaults(const json::value& schema, json::value& instance);

}  // namespace gdalmcp::base
