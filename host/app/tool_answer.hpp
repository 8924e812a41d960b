// What the process of a tool answered, checked before it is believed: the plugin shares the descriptor the answer
// travels on and can speak in the worker's place.
#pragma once
#include "base/json.hpp"

namespace gdalmcp::app {

// Errors: crashed, naming the member that is missing or not what it must be.
base::result<void> check_answer(const base::json::object& done);

}  // namespace gdalmcp::app
