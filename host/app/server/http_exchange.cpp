#include "app/server/http_exchange.hpp"

#include "transport/sse.hpp"

namespace gdalmcp::app {

namespace json = base::json;

void http_exchange::say(const mcp::send& s) {
    if (finished()) return;
    if (!s.last && !reads_.events) return;
    const bool has_status = s.status != 200;  // which a stream of events cannot have
    if (s.last && !streaming_ && (reads_.json || has_status)) {
        finished_ = true;
        fields_.emplace_back("Content-Type", "application/json");
        return reply_->respond(static_cast<int>(s.status), fields_, s.line);
    }
    begin();
    reply_->write(transport::to_text({.data = s.line}));
    if (s.last) end();
}

void http_exchange::begin() {
    if (finished() || !reads_.events || std::exchange(streaming_, true)) return;
    fields_.emplace_back("Content-Type", "text/event-stream");
    fields_.emplace_back("Cache-Control", "no-cache");
    fields_.emplace_back("X-Accel-Buffering", "no");
    reply_->begin_stream(200, fields_);
}

void http_exchange::keep_alive() {
    begin();
    if (streaming_ && !finished()) reply_->write(std::string{transport::sse_keep_alive});
}

void http_exchange::end() {
    if (finished()) return;
    begin();
    if (streaming_)
        reply_->end();
    else
        reply_->respond(202, fields_, "");
    finished_ = true;
}

void http_exchange::accept() {
    if (finished()) return;
    finished_ = true;
    reply_->respond(202, fields_, "");
}

void refuse(transport::http_reply& reply, int status, const std::string& message, transport::http_fields fields) {
    fields.emplace_back("Content-Type", "application/json");
    reply.respond(status, fields, base::write_json(json::object{{"error", message}}));
}

void refuse_draining(transport::http_reply& reply) {
    refuse(reply, 503, "the server is shutting down", {{"Retry-After", "10"}});
}

void refuse_message(transport::http_reply& reply, int status, mcp::rpc_code code, const std::string& message,
                    const json::value& id) {
    json::object response{{"jsonrpc", "2.0"}};
    if (!id.is_null()) response["id"] = id;
    response["error"] = json::object{{"code", static_cast<int>(code)}, {"message", message}};
    reply.respond(status, {{"Content-Type", "application/json"}}, base::write_json(response));
}

}  // namespace gdalmcp::app
