// Who calls: what it can be asked in the middle of a call, and what it has answered. By default nobody can be asked, as
// on the command line.
#pragma once
#include <memory>

#include "base/json.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

class session_toolsets;

struct client {
    json::object capabilities;     // as MCP declares them: elicitation, sampling, roots
    json::object input_responses;  // to the questions of the round before, by name; every one of them to be checked
    json::value request_state;     // what the round before kept for this one; null in the first
    unsigned round = 0;            // how often this call has asked already
    std::shared_ptr<session_toolsets> toolsets = {};  // of its session; null: it has none

    // `elicitation: {}` means forms, as did the revisions before modes were told apart.
    bool shows_forms() const {
        const auto* elicitation = capabilities.if_contains("elicitation");
        const auto* modes = elicitation ? elicitation->if_object() : nullptr;
        return modes && (modes->empty() || modes->contains("form"));
    }
};

}  // namespace gdalmcp::app
