#include "app/call/tool_reply.hpp"

#include "base/hidden_characters.hpp"

namespace gdalmcp::app {

mcp::tool_result to_result(outcome o) {
    mcp::tool_result r;
    if (!o.receipts.empty()) r.meta["io.gdal-mcp/receipts"] = std::move(o.receipts);
    if (o.problem) {
        r.is_error = true;
        std::string prose = o.problem->message;
        if (!o.problem->hint.empty()) prose += "\nNext: " + o.problem->hint;
        r.content.push_back(json::object{{"type", "text"}, {"text", base::with_hidden_shown(prose)}});
        r.content.push_back(json::object{{"type", "text"}, {"text", base::write_json(json::value(problem_body(o)))}});
        return r;
    }
    if (o.structured) {
        r.content.push_back(json::object{{"type", "text"}, {"text", base::write_json(json::value(*o.structured))}});
        r.structured = std::move(*o.structured);
    }
    for (auto& block : o.content) r.content.push_back(std::move(block));
    if (r.content.empty()) r.content.push_back(json::object{{"type", "text"}, {"text", "done"}});
    return r;
}

std::optional<mcp::rpc_error> to_task_failure(const outcome& o) {
    if (!o.problem || o.problem->code != base::code::crashed) return std::nullopt;
    return mcp::rpc_error{mcp::rpc_code::internal_error, o.problem->message, problem_body(o)};
}

mcp::rpc_error invalid_state(const base::problem& p) {
    return {mcp::rpc_code::invalid_params, p.message + "; " + p.hint,
            json::object{{"reason", "invalid_request_state"}}};
}

}  // namespace gdalmcp::app
