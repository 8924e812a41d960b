// The facts that a decision may have: those of docs/facts.md, and those derived from facts and call.
#pragma once
#include "base/json.hpp"

namespace gdalmcp::reflection {

// As a JSON Schema of the object that pointers such as /input/kind lead into, /evidence left open; for find_place.
const boost::json::value& known_facts();

}  // namespace gdalmcp::reflection
