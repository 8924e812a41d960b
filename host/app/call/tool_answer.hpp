// What the process of a tool answered, checked before it is believed: the plugin shares the descriptor the answer
// travels on and can speak in the worker's place.
#pragma once
#include <string>

#include "base/json.hpp"
#include "catalog/tool.hpp"

namespace gdalmcp::app {

// Errors: crashed, naming the member that is missing or not what it must be.
base::result<void> check_answer(const base::json::object& done);

// What the output at `pointer` must be: the tool's word, else the CRS that the argument marked output-crs asked for.
base::json::object promised_output(const catalog::tool& t, const base::json::value& arguments,
                                   const base::json::object& done, const std::string& pointer);

// The structured result: what the tool put together, and the members that are the host's. Errors: internal, when it is
// not what the tool declares. REQUIRES: t.result_schema().
base::result<base::json::object> structured_result(const catalog::tool& t, const base::json::object& done,
                                                   const base::json::array& outputs, const base::json::array& checks,
                                                   base::json::array warnings);

}  // namespace gdalmcp::app
