// One call of a plugin's tool, step by step: check, plan, gate, run confined, verify, publish with a record.
#pragma once
#include "app/call/call_context.hpp"

namespace gdalmcp::app {

outcome call_tool(const call_context& c, const catalog::tool& t, json::object arguments);

}  // namespace gdalmcp::app
