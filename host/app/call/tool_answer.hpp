// Validates the answer of a tool's process: the plugin shares the descriptor the answer arrives on and can impersonate
// the worker.
#pragma once
#include <string>

#include "base/json.hpp"
#include "catalog/tool.hpp"

namespace gdalmcp::app {

// Errors: crashed, naming the missing or invalid member.
base::result<void> check_answer(const base::json::object& done);

// The expected properties of the output at `pointer`: those the tool declared, else the CRS in the argument marked
// output-crs.
base::json::object promised_output(const catalog::tool& t, const base::json::value& arguments,
                                   const base::json::object& done, const std::string& pointer);

// The structured result: the tool's members and the host's. Errors: internal, when it violates the output schema.
// REQUIRES: t.result_schema().
base::result<base::json::object> structured_result(const catalog::tool& t, const base::json::object& done,
                                                   const base::json::array& outputs, const base::json::array& checks,
                                                   base::json::array warnings);

}  // namespace gdalmcp::app
