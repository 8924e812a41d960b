#include "app/server/http_endpoint.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <set>

#include "app/server/service.hpp"
#include "app/server/tenant.hpp"
#include "base/text.hpp"
#include "mcp/request.hpp"
#include "mcp/revision.hpp"
#include "transport/media_types.hpp"
#include "workspace/temporary_folder.hpp"

namespace gdalmcp::app {

namespace {

constexpr std::size_t max_sessions = 1024;                // of one tenant
constexpr auto seems_gone = std::chrono::minutes{1};      // inactivity limit when there are too many sessions
constexpr auto session_patience = std::chrono::hours{1};  // inactivity limit, without a request and without a stream

using transport::http_reply;
using transport::http_request;

std::optional<std::string> text_field(const http_request& r, std::string_view name) {
    const auto v = r.field(name);
    return v ? std::optional<std::string>{*v} : std::nullopt;
}

mcp::http_fields mcp_fields(const http_request& r) {
    constexpr std::string_view prefix = "mcp-param-";
    mcp::http_fields f{
        text_field(r, "mcp-protocol-version"), text_field(r, "mcp-method"), text_field(r, "mcp-name"), {}};
    for (const auto& [name, value] : r.fields)
        if (auto lower = base::lower_ascii(name); lower.substr(0, prefix.size()) == prefix)
            f.parameters.emplace(lower.substr(prefix.size()), value);
    return f;
}

// Requests a draining server refuses; work in progress can still be queried, answered and cancelled.
bool asks_for_more(const json::value& message) {
    if (const auto* batch = message.if_array()) return std::any_of(batch->begin(), batch->end(), asks_for_more);
    return base::find_member(message, "id") && base::find_member(message, "method") &&
           !base::string_member(message, "method").starts_with("tasks/");
}

// An MCP header that is given more than once: an intermediary might use the other value. "": none.
std::string repeated_field(const http_request& r) {
    std::set<std::string> seen;
    for (const auto& [name, value] : r.fields)
        if (auto lower = base::lower_ascii(name); lower.starts_with("mcp-") && !seen.insert(lower).second) return name;
    return {};
}

// The formats the client accepts; MCP requires both.
http_exchange::reading read_by_client(const http_request& r) {
    const auto accept = r.list("accept");
    return {transport::accepts(accept, "application/json"), transport::accepts(accept, "text/event-stream")};
}

// The URL of files, with the host name this client used. A proxy that adds TLS announces it in a header; a false header
// misleads only its own client.
std::string files_of(const http_request& r) {
    const bool tls = base::lower_ascii(r.field("x-forwarded-proto").value_or("")) == "https";
    return (tls ? "https://" : "http://") + std::string{r.field("host").value_or("")} + "/files/";
}

bool is_json(const http_request& r) {
    const auto type = base::lower_ascii(r.field("content-type").value_or(""));
    return type.substr(0, type.find_first_of("; ")) == "application/json";
}

}  // namespace

// A message of 2026-07-28 and the work in progress for it.
struct http_endpoint::stateless_request {
    std::shared_ptr<http_exchange> reply;
    std::shared_ptr<connection> client;
};

http_endpoint::http_endpoint(service& s) : service_{s} {
    s.every_beat([this] { beat(); });
}

http_endpoint::~http_endpoint() = default;

void http_endpoint::serve(tenant& t, const http_request& request, std::shared_ptr<http_reply> reply) {
    if (request.method == "POST") return receive(t, request, std::move(reply));
    const bool in_session = request.field("mcp-session-id").has_value();
    if ((request.method != "GET" && request.method != "DELETE") || !in_session)
        return refuse(*reply, 405, request.method + " needs a session; send messages by POST",
                      {{"Allow", in_session ? "POST, GET, DELETE" : "POST"}});
    auto* session = session_of(t, request, *reply);
    if (!session) return;
    if (request.method == "DELETE") {
        session->close();
        sessions_.erase(session->id());
        return reply->respond(200, {}, "");
    }
    if (draining_) return refuse_draining(*reply);
    if (!read_by_client(request).events)
        return refuse(*reply, 406, "the stream of a session is text/event-stream; list it in Accept");
    auto stream = std::make_shared<http_exchange>(reply, http_exchange::reading{});
    if (!session->listen(stream)) refuse(*reply, 409, "this session has a stream already");
}

void http_endpoint::receive(tenant& t, const http_request& request, std::shared_ptr<http_reply> reply) {
    if (!is_json(request))
        return refuse(
            *reply, 415,
            "messages must be application/json, not '" + std::string{request.field("content-type").value_or("")} + "'");
    const auto reads = read_by_client(request);
    if (!reads.json && !reads.events)
        return refuse(*reply, 406, "replies are application/json or text/event-stream; list both in Accept");
    if (const auto name = repeated_field(request); !name.empty())
        return refuse_message(*reply, 400, mcp::rpc_code::header_mismatch,
                              "the header " + name + " is given twice; send it once");
    auto message = base::parse_json(request.body, mcp::max_values);
    if (!message)
        return refuse_message(*reply, 400, mcp::rpc_code::parse_error, message.error().message,
                              mcp::id_of_unreadable(request.body));
    if (draining_ && asks_for_more(*message)) return refuse_draining(*reply);
    if (!mcp::is_stateless(*message, mcp_fields(request)))
        return receive_in_session(t, std::move(*message), request, std::move(reply), reads);
    if (!reads.events && base::string_member(*message, "method") == "subscriptions/listen")
        return refuse(*reply, 406, "notifications are sent as text/event-stream; list it in Accept");
    receive_stateless(t, std::move(*message), request, std::make_shared<http_exchange>(std::move(reply), reads));
}

void http_endpoint::receive_stateless(tenant& t, json::value message, const http_request& request,
                                      std::shared_ptr<http_exchange> reply) {
    auto r = std::make_shared<stateless_request>();
    r->reply = std::move(reply);
    const std::weak_ptr<stateless_request> weak = r;
    const auto out = [this, weak](const mcp::send& s) {
        const auto self = weak.lock();
        if (!self) return;
        self->reply->say(s);
        if (s.last) drop(self);
    };
    r->client = connection::open(service_, t, out, t.toolsets());
    requests_.emplace(r.get(), r);
    r->client->serve_files_at(files_of(request));
    r->client->receive(std::move(message), mcp_fields(request));
    if (r->client->in_flight() == 0 && !r->reply->begun()) r->reply->accept();
    if (r->reply->finished()) return drop(r);
    r->reply->on_gone([this, weak] {
        const auto self = weak.lock();
        if (!self) return;
        self->client->close();
        drop(self);
    });
}

// Deferred: the caller is a member of the object being destroyed.
void http_endpoint::drop(std::shared_ptr<stateless_request> r) {
    boost::asio::post(service_.io(), [this, r = std::move(r)] { requests_.erase(r.get()); });
}

void http_endpoint::receive_in_session(tenant& t, json::value message, const http_request& request,
                                       std::shared_ptr<http_reply> reply, http_exchange::reading reads) {
    if (mcp::begins_handshake(message) && !request.field("mcp-session-id")) {
        if (!make_room(t))
            return refuse(*reply, 503, "there are " + std::to_string(max_sessions) + " sessions already",
                          {{"Retry-After", "60"}});
        const auto id = workspace::random_id();
        auto& session = sessions_[id];
        session = std::make_unique<http_session>(service_, t, id);
        transport::http_fields fields{{"Mcp-Session-Id", id}};
        return session->receive(std::move(message), files_of(request),
                                std::make_shared<http_exchange>(std::move(reply), reads, std::move(fields)));
    }
    auto* session = session_of(t, request, *reply);
    if (session)
        session->receive(std::move(message), files_of(request),
                         std::make_shared<http_exchange>(std::move(reply), reads));
}

// Many clients leave without a DELETE. The session idle longest, if beyond the limit, is ended to make room.
bool http_endpoint::make_room(const tenant& t) {
    const auto now = std::chrono::steady_clock::now();
    std::size_t of_tenant = 0;
    auto idlest = sessions_.end();
    for (auto it = sessions_.begin(); it != sessions_.end(); ++it) {
        if (&it->second->of() != &t) continue;
        ++of_tenant;
        if (idlest == sessions_.end() || it->second->idle_for(now) > idlest->second->idle_for(now)) idlest = it;
    }
    if (of_tenant < max_sessions) return true;
    if (idlest->second->idle_for(now) < seems_gone) return false;
    idlest->second->close();
    sessions_.erase(idlest);
    return true;
}

// Null: the request was refused.
http_session* http_endpoint::session_of(tenant& t, const http_request& request, http_reply& reply) {
    const auto id = request.field("mcp-session-id");
    if (!id) {
        refuse_message(reply, 400, mcp::rpc_code::invalid_request,
                       "no Mcp-Session-Id: send initialize first and then the id from its reply, or use 2026-07-28, "
                       "which needs none");
        return nullptr;
    }
    const auto found = sessions_.find(std::string{*id});
    if (found == sessions_.end() || &found->second->of() != &t) {
        refuse_message(reply, 404, mcp::rpc_code::invalid_request,
                       "the session is unknown or has ended; start another with initialize");
        return nullptr;
    }
    const auto spoken = request.field("mcp-protocol-version");
    if (spoken && !mcp::revision_named(*spoken)) {
        refuse_message(reply, 400, mcp::rpc_code::invalid_request,
                       "unsupported MCP-Protocol-Version: " + std::string{*spoken});
        return nullptr;
    }
    return found->second.get();
}

void http_endpoint::beat() {
    for (const auto& [p, r] : requests_) r->reply->keep_alive();
    const auto now = std::chrono::steady_clock::now();
    for (auto it = sessions_.begin(); it != sessions_.end();) {
        it->second->keep_alive();
        if (it->second->idle_for(now) < session_patience) {
            ++it;
            continue;
        }
        it->second->close();
        it = sessions_.erase(it);
    }
}

std::size_t http_endpoint::in_flight() const {
    std::size_t n = 0;
    for (const auto& [p, r] : requests_) n += r->client->in_flight();
    for (const auto& [id, s] : sessions_) n += s->in_flight();
    return n;
}

void http_endpoint::close_quiet() {
    for (const auto& [p, r] : std::map{requests_})
        if (r->client->in_flight() == 0 && !r->client->awaits_tasks()) r->client->close();
    for (auto it = sessions_.begin(); it != sessions_.end();) {
        if (it->second->in_flight() != 0) {
            ++it;
            continue;
        }
        it->second->close();
        it = sessions_.erase(it);
    }
}

void http_endpoint::kill() {
    for (const auto& [p, r] : std::map{requests_}) r->client->kill();
    for (auto& [id, s] : sessions_) s->kill();
    sessions_.clear();
}

void http_endpoint::drop_tenant(const tenant& t) {
    for (const auto& [p, r] : std::map{requests_}) {
        if (&r->client->of() != &t) continue;
        r->client->close();
        r->reply->end();  // a cancelled request has no response
        drop(r);
    }
    for (auto it = sessions_.begin(); it != sessions_.end();) {
        if (&it->second->of() != &t) {
            ++it;
            continue;
        }
        it->second->close();
        it = sessions_.erase(it);
    }
}

}  // namespace gdalmcp::app
