// The reply to one HTTP request of MCP: one JSON text, or a stream of events when messages precede the response.
#pragma once
#include <chrono>
#include <memory>
#include <string>

#include "base/json.hpp"
#include "mcp/effect.hpp"
#include "mcp/rpc_error.hpp"
#include "transport/http.hpp"

namespace gdalmcp::app {

class http_exchange {
public:
    // The formats the client accepts, at least one. A client without events receives only the response; a client
    // without JSON receives it as an event.
    struct reading {
        bool json = true, events = true;
    };

    // fields: of the reply, whatever it is.
    http_exchange(std::shared_ptr<transport::http_reply> reply, reading reads, transport::http_fields fields = {})
        : reply_{std::move(reply)}, reads_{reads}, fields_{std::move(fields)} {}

    void say(const mcp::send& s);
    void begin();       // starts the stream before its first message
    void keep_alive();  // so that intermediaries do not drop a quiet reply
    void end();         // without a response
    void accept();      // 202: no response follows, for notifications and responses

    bool finished() const { return finished_ || reply_->closed(); }
    bool begun() const { return streaming_ || finished(); }
    bool streams() const { return reads_.events; }  // messages before the response are delivered
    void on_gone(std::function<void()> step) { reply_->on_gone(std::move(step)); }

private:
    std::shared_ptr<transport::http_reply> reply_;
    reading reads_;
    transport::http_fields fields_;
    bool streaming_ = false, finished_ = false;
};

// Whole replies. `message` as {"error": message}, or a JSON-RPC error on the MCP endpoint; a null id is left out.
void refuse(transport::http_reply& reply, int status, const std::string& message, transport::http_fields fields = {});
void refuse_draining(transport::http_reply& reply);
void refuse_message(transport::http_reply& reply, int status, mcp::rpc_code code, const std::string& message,
                    const base::json::value& id = nullptr);

}  // namespace gdalmcp::app
