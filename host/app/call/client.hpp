// The caller: the questions it supports in the middle of a call, and its answers. The default supports none, as on the
// command line.
#pragma once
#include <memory>

#include "base/json.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

class session_toolsets;

struct client {
    json::object capabilities;                        // as MCP declares them: elicitation, sampling, roots
    json::object input_responses;                     // to the questions of the previous round, by name; unchecked
    json::value request_state;                        // state kept by the previous round; null in the first
    unsigned round = 0;                               // number of times this call has asked
    std::shared_ptr<session_toolsets> toolsets = {};  // of its session; null: it has none
    std::string first_begun = {};                     // of a replayed call: when it first began, RFC 3339
    // Of a replayed call: the inputs that are bit for bit what it first read, by argument: the `path` and `state` that
    // the gate knew them by. What was accepted for these data holds wherever they lie now.
    json::object same_inputs = {};

    // `elicitation: {}` means forms, as in the revisions before modes existed.
    bool shows_forms() const {
        const auto* elicitation = capabilities.if_contains("elicitation");
        const auto* modes = elicitation ? elicitation->if_object() : nullptr;
        return modes && (modes->empty() || modes->contains("form"));
    }
};

}  // namespace gdalmcp::app
