// The gate of a call: the facts of its inputs, the questions that follow from them, and the reviews by a person and by
// the client's model.
#pragma once
#include "app/call/call_plan.hpp"

namespace gdalmcp::app {

struct gate_ruling {
    std::optional<outcome> stopped;  // a refusal, or questions to the client; none: the call may run
    json::array receipts, warnings;
};
gate_ruling pass_gate(const call_context& c, const planned_call& p);

// Returns what this call would need. Reads the inputs' facts, runs nothing.
base::result<json::object> preflight_call(const call_context& c, const catalog::tool& t, json::object arguments);

// How its keys come about: {tool, domains: key_report()}.
base::result<json::object> keys_of_call(const call_context& c, const catalog::tool& t, json::object arguments);

}  // namespace gdalmcp::app
