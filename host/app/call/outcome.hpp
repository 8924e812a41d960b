// What became of one tool call, before it is put into the words of a protocol or a terminal.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::app {

namespace json = boost::json;

// What the client is asked before the call goes on.
struct questions {
    json::object requests;  // name -> {method, params}, as mcp::input_required wants them
    json::value state;      // given back with the answers: client::request_state of the next round
};

struct outcome {
    std::optional<json::object> structured;  // success of a tool with an output schema
    json::array content;                     // further wire content blocks: text, images, resource links
    std::optional<base::problem> problem;    // failure
    std::optional<json::object> body;        // the failure as JSON, when it says more than the problem (the bounce)
    json::array receipts;                    // one per domain the gate ruled on
    std::optional<questions> ask;            // neither success nor failure yet; nothing was done
    bool results_changed = false;            // the list of managed results is another now
    bool tools_changed = false;              // so is the list of tools
    bool toolsets_changed = false;           // so is the list of tools of this session
    std::vector<std::string> gone_results;   // URIs of managed results that are not kept any more
    std::vector<std::string> written_files;  // of the workspaces
    // Let go of it after the answer is sent: it waits for the call's process to end.
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
