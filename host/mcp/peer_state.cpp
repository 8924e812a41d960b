#include "mcp/peer_state.hpp"

#include <algorithm>
#include <array>

namespace gdalmcp::mcp {
namespace {

const json::string* string_in(const json::object& o, std::string_view name) {
    const auto* v = o.if_contains(name);
    return v ? v->if_string() : nullptr;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r\n") == std::string_view::npos; }

}  // namespace

const peer_state::method* peer_state::find_method(std::string_view name) {
    using c = peer_state;
    static const std::array methods{
        method{"initialize", true, false, nullptr, &c::initialize},
        method{"ping", true, false, nullptr, &c::ping},
        method{"server/discover", false, true, nullptr, &c::discover},
        method{"logging/setLevel", true, false, &offer::logging, &c::set_log_level},
        method{"tools/list", true, true, nullptr, &c::list_tools},
        method{"tools/call", true, true, nullptr, &c::call_tool},
        method{"prompts/list", true, true, nullptr, &c::list_prompts},
        method{"prompts/get", true, true, nullptr, &c::get_prompt},
        method{"resources/list", true, true, &offer::resources, &c::list_resources},
        method{"resources/templates/list", true, true, &offer::resources, &c::list_templates},
        method{"resources/read", true, true, &offer::resources, &c::read_resource},
        method{"resources/subscribe", true, false, &offer::resource_updates, &c::subscribe},
        method{"resources/unsubscribe", true, false, &offer::resource_updates, &c::unsubscribe},
        method{"completion/complete", true, true, &offer::completions, &c::complete_argument},
        method{"subscriptions/listen", false, true, nullptr, &c::listen},
        method{"tasks/get", false, true, &offer::tasks, &c::get_task},
        method{"tasks/update", false, true, &offer::tasks, &c::update_task},
        method{"tasks/cancel", false, true, &offer::tasks, &c::cancel_task},
    };
    const auto it = std::find_if(methods.begin(), methods.end(), [&](const method& m) { return m.name == name; });
    return it == methods.end() ? nullptr : &*it;
}

void peer_state::receive(std::string_view line) {
    if (is_blank(line)) return;
    auto message = base::parse_json(line, max_values);
    if (!message) {
        request r;
        r.id = id_of_unreadable(line);
        return refuse_at_the_door(r, {rpc_code::parse_error, message.error().message, nullptr});
    }
    receive(*message);
}

void peer_state::receive(json::value& message, const http_fields* header) {
    header_ = header;
    if (auto* messages = message.if_array())
        receive_batch(*messages);
    else
        receive_message(message, nullptr);
    header_ = nullptr;
}

void peer_state::complain(rpc_error e) { refuse_at_the_door(request{}, std::move(e)); }

void peer_state::receive_batch(json::array& messages) {
    if (!handshake_ || handshake_->spoken != revision::r2025_03_26)
        return complain({rpc_code::invalid_request,
                         "JSON-RPC batches exist in protocol version 2025-03-26 only; send one message a line",
                         nullptr});
    if (messages.empty()) return complain({rpc_code::invalid_request, "an empty batch", nullptr});
    if (messages.size() > max_in_batch)
        return complain({rpc_code::invalid_request,
                         "a batch of " + std::to_string(messages.size()) + " messages; the limit is " +
                             std::to_string(max_in_batch) + "; send them in several",
                         nullptr});
    const auto in = std::make_shared<batch>();
    in->open = messages.size() + 1;  // one for this loop, so that the array is not sent before all members are read
    for (auto& m : messages) receive_message(m, in);
    settle(*in, 0);
}

void peer_state::receive_message(json::value& message, const std::shared_ptr<batch>& in) {
    request r;
    r.in = in;
    auto* o = message.if_object();
    if (!o) return refuse(r, rpc_code::invalid_request, "a message must be a JSON object");
    const auto* name = o->if_contains("method");
    // A malformed response is ignored: answering it with an error could loop for ever.
    if (!name && (o->contains("result") || o->contains("error"))) {
        receive_response(*o);
        if (in) settle(*in, 0);
        return;
    }
    const auto* id = o->if_contains("id");
    if (id && is_request_id(*id)) r.id = *id;
    const auto* version = string_in(*o, "jsonrpc");
    if (!version || *version != "2.0") return refuse(r, rpc_code::invalid_request, "jsonrpc must be \"2.0\"");
    if (id && r.id.is_null()) return refuse(r, rpc_code::invalid_request, "id must be a string or an integer");
    if (!name || !name->is_string()) return refuse(r, rpc_code::invalid_request, "method must be a string");
    if (!id) {
        receive_notification(name->get_string(), *o);
        if (in) settle(*in, 0);
        return;
    }
    r.method = name->get_string();
    if (keys_.count(base::write_json(r.id)))
        return refuse(r, rpc_code::invalid_request, "id " + base::write_json(r.id) + " is in use by an open request");
    auto* params = o->if_contains("params");
    if (auto e = take_params(r, params ? std::move(*params) : json::value{}))
        return refuse_at_the_door(r, std::move(*e));
    receive_request(std::move(r));
}

void peer_state::receive_notification(std::string_view name, const json::object& message) {
    const auto* params = message.if_contains("params");
    if (name == "notifications/cancelled" && params && params->is_object()) cancel_request(params->get_object());
    if (name == "notifications/initialized" && handshake_) handshake_->initialized = true;
}

void peer_state::receive_request(request r) {
    const auto* m = find_method(r.method);
    if (has_envelope(r)) {
        if (r.in) return refuse(r, rpc_code::invalid_request, "a 2026-07-28 request cannot be part of a batch");
        if (auto e = take_envelope(r, header_)) return refuse_at_the_door(r, std::move(*e));
        if (header_)
            if (auto e = disagreement(*header_, r)) return refuse_at_the_door(r, std::move(*e));
        return serve(m && m->in_stateless ? m : nullptr, std::move(r));
    }
    if (r.method == "initialize" && r.in)
        return refuse(r, rpc_code::invalid_request, "initialize cannot be part of a batch");
    const bool header_says_stateless = header_ && header_->protocol_version == name_of(stateless);
    if (handshake_ && !header_says_stateless) {
        r.spoken = handshake_->spoken;
        r.client_capabilities = askable_capabilities(*handshake_, !header_ || header_->reads_before_reply);
    } else if (r.method != "initialize" && (r.method != "ping" || header_says_stateless)) {
        return refuse_at_the_door(
            r, {rpc_code::invalid_params,
                "missing _meta envelope: send \"io.modelcontextprotocol/protocolVersion\": \"2026-07-28\" and "
                "\"io.modelcontextprotocol/clientCapabilities\" in params._meta, or call initialize first",
                nullptr});
    }
    serve(m && m->in_handshake ? m : nullptr, std::move(r));
}

void peer_state::serve(const method* m, request r) {
    if (!m || (m->needs && !((*offer_).*(m->needs))))
        return refuse(r, rpc_code::method_not_found, "Method not found: " + r.method);
    (this->*m->serve)(std::move(r));
}

void peer_state::cancel_request(const json::object& params) {
    const auto* id = params.if_contains("requestId");
    const auto found = id ? keys_.find(base::write_json(*id)) : keys_.end();
    if (found == keys_.end()) return;  // answered already, or never asked
    const auto key = found->second;
    if (listens_.erase(key)) {
        keys_.erase(found);
        return;
    }
    withdraw_questions(key, "the call was cancelled");
    const auto r = forget(key);
    const auto* reason = string_in(params, "reason");
    out.push_back(cancel{key, reason ? std::string{*reason} : std::string{}});
    if (r.in) settle(*r.in, key);
}

void peer_state::close() {
    end_listens();
    questions_.clear();  // they end with the connection; withdrawing each would only delay the end
    waiting_.clear();
    while (!open_.empty()) {
        const auto key = open_.begin()->first;
        forget(key);
        out.push_back(cancel{key, "the connection was closed"});
    }
}

}  // namespace gdalmcp::mcp
