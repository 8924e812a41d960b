// The outcome of one tool call, independent of protocol or terminal.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

// The questions to the client before the call continues.
struct questions {
    json::object requests;  // name -> {method, params}, as in mcp::input_required
    json::value state;      // returned with the answers: client::request_state of the next round
};

struct outcome {
    std::optional<json::object> structured;  // success of a tool with an output schema
    json::array content;                     // further wire content blocks: text, images, resource links
    std::optional<base::problem> problem;    // failure
    std::optional<json::object> body;        // the failure as JSON, when it has more than the problem (the bounce)
    json::array receipts;                    // one per domain the gate ruled on
    std::optional<questions> ask;            // neither success nor failure yet; nothing was done
    bool results_changed = false;            // the list of managed results has changed
    bool tools_changed = false;              // so is the list of tools
    bool toolsets_changed = false;           // so is the list of tools of this session
    std::vector<std::string> gone_results;   // URIs of managed results no longer held
    std::vector<std::string> written_files;  // of the workspaces, also removed ones
    // Release it after the answer is sent: its destructor waits for the call's process to end.
    std::shared_ptr<const void> cleanup;

    static outcome failure(base::problem p) {
        outcome o;
        o.problem = std::move(p);
        return o;
    }
    static outcome asking(questions q) {
        outcome o;
        o.ask = std::move(q);
        return o;
    }
    static outcome of(base::result<json::object> structured) {
        if (!structured) return failure(std::move(structured.error()));
        outcome o;
        o.structured = std::move(*structured);
        return o;
    }
};

inline outcome cancelled_call() { return outcome::failure({base::code::cancelled, "the call was cancelled", "", ""}); }

// The failure as content[1] of an error result, and as `gdal-mcp call` prints it.
json::object problem_body(const outcome& o);

}  // namespace gdalmcp::app
