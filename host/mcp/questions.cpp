// Questions to a client in the middle of a call. From 2026-07-28 on a question is part of the result and the client
// repeats the call; a client of the handshake gets a server request, and the call comes again when all are answered.
#include "mcp/peer_state.hpp"

namespace gdalmcp::mcp {
namespace {

// The client capability an input request needs, empty for a kind no client knows.
json::object capability_for(const json::value& input_request) {
    const auto method = base::string_member(input_request, "method");
    const auto* params = base::find_member(input_request, "params");
    if (method == "elicitation/create") {
        const auto mode = params ? base::string_member(*params, "mode", "form") : "form";
        return {{"elicitation", json::object{{mode, json::object{}}}}};
    }
    if (method == "sampling/createMessage") return {{"sampling", json::object{}}};
    if (method == "roots/list") return {{"roots", json::object{}}};
    return {};
}

// `elicitation: {}` means forms (schema 2026-07-28, ClientCapabilities).
bool declared(const json::object& client, const json::object& needed) {
    const auto& capability = *needed.begin();
    const auto* has = client.if_contains(capability.key());
    if (!has || !has->is_object()) return false;
    const auto& modes = capability.value().get_object();
    if (modes.empty()) return true;
    const auto mode = modes.begin()->key();
    return has->get_object().contains(mode) || (mode == "form" && has->get_object().empty());
}

rpc_error cannot_ask(const request& r) {
    return {rpc_code::internal_error,
            "protocol version " + std::string{name_of(r.spoken)} + " cannot carry a question about " + r.method,
            nullptr};
}

bool is_action(std::string_view word) { return word == "accept" || word == "decline" || word == "cancel"; }

// The validated part of a response, by the method it answers; nullopt if invalid.
std::optional<json::value> well_formed(std::string_view method, const json::value* result) {
    if (!result || !result->is_object()) return std::nullopt;
    if (method == "elicitation/create") {
        const auto* content = base::find_member(*result, "content");
        const auto action = base::string_member(*result, "action");
        if (!is_action(action) || (content && !content->is_object())) return std::nullopt;
        return *result;
    }
    const auto* told = base::find_member(*result, method == "roots/list" ? "roots" : "content");
    // A message holds one block, or from 2025-11-25 on several; roots are always several.
    if (!told || !(told->is_array() || (told->is_object() && method != "roots/list"))) return std::nullopt;
    return *result;
}

}  // namespace

// No question before the client is initialized, none on a stream it does not read, and none its revision does not
// define: elicitation came with 2025-06-18, which has forms only.
json::object peer_state::askable_capabilities(const handshake& h, bool hears) {
    auto capabilities = h.client_capabilities;
    if (!h.initialized || !hears)
        for (const char* asked : {"elicitation", "sampling", "roots"}) capabilities.erase(asked);
    if (h.spoken < revision::r2025_06_18) capabilities.erase("elicitation");
    auto* forms = capabilities.if_contains("elicitation");
    if (h.spoken == revision::r2025_06_18 && forms && forms->is_object()) *forms = json::object{};
    return capabilities;
}

std::optional<rpc_error> objection(const json::object& requests, const json::object& client_capabilities) {
    for (const auto& asked : requests) {
        const auto needed = capability_for(asked.value());
        if (needed.empty())
            return rpc_error{rpc_code::internal_error, "no client can be asked " + base::write_json(asked.value()),
                             nullptr};
        if (!declared(client_capabilities, needed))
            return rpc_error{rpc_code::missing_client_capability,
                             "this call needs a client that declares " + base::write_json(needed),
                             json::object{{"requiredCapabilities", needed}}};
    }
    return std::nullopt;
}

std::optional<rpc_error> peer_state::objection(const request& r, const input_required& i) {
    if (auto e = mcp::objection(i.requests, r.client_capabilities)) return e;
    const bool comes_again = r.method == "tools/call" || r.method == "prompts/get";
    if (r.spoken != stateless && !comes_again) return cannot_ask(r);
    return std::nullopt;
}

void peer_state::ask(request_key key, input_required& i) {
    const auto spoken = open_.at(key).spoken;
    waiting_[key] = {i.requests.size(), {}, std::move(i.state)};
    for (auto& asked : i.requests) {
        // A string, because clients number their ids from 0 or 1: the ids of the two sides cannot be confused.
        auto id = "ask:" + std::to_string(++last_question_);
        auto& request = asked.value().get_object();
        auto* params = request.if_contains("params");
        if (params && params->is_object() && spoken < revision::r2025_11_25) params->get_object().erase("mode");
        json::object message{{"jsonrpc", "2.0"}, {"id", id}, {"method", request.at("method")}};
        if (params) message["params"] = std::move(*params);
        out.push_back(send{.line = base::write_json(message), .about = key, .asks = true});
        questions_.emplace(std::move(id), question{key, std::string{asked.key()},
                                                   std::string{base::string_member(request, "method")}});
    }
}

// A response to an unknown, answered or withdrawn question is ignored.
void peer_state::receive_response(const json::object& message) {
    const auto found = questions_.find(base::string_member(message, "id"));
    if (found == questions_.end()) return;
    const auto q = questions_.extract(found).mapped();
    auto& w = waiting_.at(q.call);
    const auto* result = message.contains("error") ? nullptr : message.if_contains("result");
    take_response(w, q, well_formed(q.method, result));
    if (w.unanswered == 0) resume(q.call);
}

void peer_state::take_response(waiting_call& w, const question& q, std::optional<json::value> response) {
    --w.unanswered;
    if (!response && q.method == "elicitation/create") response = json::object{{"action", "cancel"}};
    if (response) w.responses[q.name] = std::move(*response);
}

void peer_state::resume(request_key key) {
    auto w = waiting_.extract(key).mapped();
    push_work(open_.at(key), json::value(std::move(w.responses)),
              w.state.empty() ? json::value{} : json::value(w.state));
}

void peer_state::stop_waiting(request_key key) {
    const auto found = waiting_.find(key);
    if (found == waiting_.end()) return;
    for (const auto& [id, q] : questions_)
        if (q.call == key) take_response(found->second, q, std::nullopt);
    withdraw_questions(key, "waited too long for an answer");
    resume(key);
}

void peer_state::withdraw_questions(request_key key, std::string_view reason) {
    for (auto it = questions_.begin(); it != questions_.end();) {
        if (it->second.call == key) {
            notify("notifications/cancelled", {{"requestId", it->first}, {"reason", json::string{reason}}}, key);
            it = questions_.erase(it);
        } else {
            ++it;
        }
    }
}

}  // namespace gdalmcp::mcp
