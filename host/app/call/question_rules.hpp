// The questions a tool may ask a client. Clients refuse or misrender forms beyond the protocol.
#pragma once
#include <string_view>

#include "base/json.hpp"

namespace gdalmcp::app {

// name: 1 to 64 of [A-Za-z0-9_.-], not one of the gate's. Forms: mode form, a message, a flat schema of texts, numbers,
// booleans and choices with the keywords each may have. Sampling: messages of a user or assistant and maxTokens, no
// tools. Roots: nothing. Errors (internal, a defect of the tool): the rule it breaks.
base::result<void> check_question(std::string_view name, std::string_view method, const base::json::object& params);

}  // namespace gdalmcp::app
