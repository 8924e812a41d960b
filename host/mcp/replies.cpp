#include <algorithm>
#include <charconv>
#include <type_traits>

#include "mcp/peer_state.hpp"

namespace gdalmcp::mcp {
namespace {

constexpr std::size_t page_size = 100;
constexpr std::size_t max_completions = 100;  // CompleteResult allows no more values

// A cursor names its list and the position to continue from; "" begins, like no cursor.
std::optional<std::size_t> place_of(const json::value* cursor, std::string_view list, std::size_t size) {
    if (!cursor) return 0;
    const auto* s = cursor->if_string();
    if (!s) return std::nullopt;
    std::string_view text{*s};
    if (text.empty()) return 0;
    if (text.substr(0, list.size()) != list || text.size() <= list.size() || text[list.size()] != '@')
        return std::nullopt;
    text.remove_prefix(list.size() + 1);
    std::size_t place = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), place);
    if (ec != std::errc{} || end != text.data() + text.size() || place == 0 || place >= size) return std::nullopt;
    return place;
}

// Older clients reject a result with a kind of content they do not know: audio came with 2025-03-26, resource_link with
// 2025-06-18.
void spell_out(json::array& content, revision spoken) {
    for (auto& block : content) {
        const auto type = base::string_member(block, "type");
        std::string told;
        if (type == "resource_link" && spoken < revision::r2025_06_18)
            told =
                std::string{base::string_member(block, "name")} + ": " + std::string{base::string_member(block, "uri")};
        if (type == "audio" && spoken < revision::r2025_03_26)
            told = "(sound, " + std::string{base::string_member(block, "mimeType")} +
                   ": this client's protocol version cannot carry it)";
        if (!told.empty()) block = json::object{{"type", "text"}, {"text", told}};
    }
}

}  // namespace

request_key peer_state::track(request r) {
    const auto key = ++last_key_;
    r.key = key;
    keys_.emplace(base::write_json(r.id), key);
    open_.emplace(key, std::move(r));
    return key;
}

request peer_state::forget(request_key key) {
    auto node = open_.extract(key);
    keys_.erase(base::write_json(node.mapped().id));
    waiting_.erase(key);
    return std::move(node.mapped());
}

void peer_state::progress(request_key key, double fraction, std::string_view message) {
    const auto it = open_.find(key);
    if (it == open_.end() || it->second.progress_token.is_null()) return;
    auto& r = it->second;
    fraction = std::clamp(fraction, 0.0, 1.0);
    if (!(fraction > r.progress)) return;  // also NaN
    r.progress = fraction;
    json::object params{{"progressToken", r.progress_token}, {"progress", fraction}, {"total", 1}};
    if (!message.empty()) params["message"] = json::string{message};
    notify("notifications/progress", std::move(params), key);
}

void peer_state::log(request_key key, int severity, std::string_view logger, std::string_view text) {
    const auto it = open_.find(key);
    if (it == open_.end() || !offer_->logging || severity < 0) return;
    const bool stated = it->second.spoken == stateless || !handshake_;
    if (severity > (stated ? it->second.log_level : handshake_->log_level)) return;
    notify("notifications/message",
           {{"level", json::string{log_levels.at(static_cast<std::size_t>(severity))}},
            {"logger", json::string{logger}},
            {"data", json::string{text}}},
           key);
}

void peer_state::heartbeat(request_key key, std::string_view message) {
    const auto it = open_.find(key);
    if (it == open_.end()) return;
    const double last = it->second.progress;
    progress(key, last < 0 ? 0 : last + (1 - last) * 1e-4, message);
}

void peer_state::answer(request_key key, reply& r) {
    const auto found = open_.find(key);
    if (found == open_.end()) return;
    withdraw_questions(key, "no longer needed");
    if (auto* i = std::get_if<input_required>(&r); i && found->second.spoken != stateless)
        if (!objection(found->second, *i)) return ask(key, *i);
    const auto asked = forget(key);
    std::visit([&](auto& value) { finish(asked, value); }, r);
}

json::object wire_result(tool_result t) {
    if (t.is_error) t.structured.reset();
    if (t.structured && t.content.empty())
        t.content = {json::object{{"type", "text"}, {"text", base::write_json(*t.structured)}}};
    json::object result{{"content", std::move(t.content)}};
    if (t.structured) result["structuredContent"] = std::move(*t.structured);
    if (t.is_error) result["isError"] = true;
    if (!t.meta.empty()) result["_meta"] = std::move(t.meta);
    return result;
}

void peer_state::finish(const request& r, tool_result& t) {
    spell_out(t.content, r.spoken);
    respond(r, wire_result(std::move(t)));
}

void peer_state::finish(const request& r, task_created& t) {
    t.task["resultType"] = "task";
    respond(r, std::move(t.task));
}

void peer_state::finish(const request& r, task_state& t) { respond(r, std::move(t.task)); }

void peer_state::finish(const request& r, acknowledged&) { respond(r, {}); }

void peer_state::finish(const request& r, input_required& i) {
    if (auto e = objection(r, i)) return finish(r, *e);
    json::object result{{"resultType", "input_required"}};
    if (!i.requests.empty()) result["inputRequests"] = std::move(i.requests);
    if (!i.state.empty()) result["requestState"] = i.state;
    respond(r, std::move(result));
}

void peer_state::finish(const request& r, resource_listing& l) { respond_page(r, l.resources, "resources", 0); }

void peer_state::finish(const request& r, resource_contents& c) {
    respond_cacheable(r, {{"contents", std::move(c.contents)}}, c.ttl_ms);
}

void peer_state::finish(const request& r, prompt_messages& m) {
    for (auto& message : m.messages) {
        json::array content{std::move(message.at("content"))};
        spell_out(content, r.spoken);
        message.as_object()["content"] = std::move(content.front());
    }
    json::object result{{"messages", std::move(m.messages)}};
    if (!m.description.empty()) result["description"] = m.description;
    respond(r, std::move(result));
}

void peer_state::finish(const request& r, completion_values& v) {
    const auto sent = std::min(v.values.size(), max_completions);
    json::array values(v.values.begin(), v.values.begin() + static_cast<std::ptrdiff_t>(sent));
    respond(r, {{"completion",
                 json::object{
                     {"values", std::move(values)}, {"total", v.values.size()}, {"hasMore", v.values.size() > sent}}}});
}

// Before 2026-07-28 there is no code for a missing capability: the call fails with a tool error.
void peer_state::finish(const request& r, rpc_error& e) {
    if (e.code != rpc_code::missing_client_capability || r.spoken == stateless || r.method != "tools/call")
        return refuse(r, std::move(e));
    tool_result t;
    t.is_error = true;
    t.content.push_back(json::object{{"type", "text"}, {"text", std::move(e.message)}});
    finish(r, t);
}

// Clients before 2026-07-28 parse some results strictly (an empty one must be {}), so what that revision added is added
// here and nowhere else.
void peer_state::respond(const request& r, json::object result) {
    if (r.spoken == stateless) {
        result.emplace("resultType", "complete");
        auto& meta = result["_meta"];
        if (!meta.is_object()) meta = json::object{};
        auto& about = meta.get_object()["io.modelcontextprotocol/serverInfo"];
        about = server();
        if (r.method == "server/discover" && !offer_->icons.empty()) about.get_object()["icons"] = offer_->icons;
    }
    deliver(r, {{"jsonrpc", "2.0"}, {"id", r.id}, {"result", std::move(result)}});
}

// cacheScope is always private: the offer depends on this server's bundles and workspaces.
void peer_state::respond_cacheable(const request& r, json::object result, std::int64_t ttl_ms) {
    if (r.spoken == stateless) {
        result["ttlMs"] = ttl_ms;
        result["cacheScope"] = "private";
    }
    respond(r, std::move(result));
}

void peer_state::respond_page(const request& r, const json::array& all, std::string_view member, std::int64_t ttl_ms) {
    const auto* cursor = r.params.if_contains("cursor");
    const auto begin = place_of(cursor, member, all.size());
    if (!begin)
        return refuse(
            r, rpc_code::invalid_params,
            "cursor " + base::write_json(*cursor) + " is not one this list returned; start again without a cursor");
    const auto end = std::min(*begin + page_size, all.size());
    json::object result{{member, json::array(all.begin() + *begin, all.begin() + end)}};
    if (end < all.size()) result["nextCursor"] = std::string{member} + "@" + std::to_string(end);
    respond_cacheable(r, std::move(result), ttl_ms);
}

namespace {

// Streamable HTTP, 2026-07-28: errors that refuse a client's request, as opposed to errors in serving it.
unsigned http_status(const request& r, rpc_code code) {
    switch (code) {
        case rpc_code::parse_error:
        case rpc_code::invalid_request:
        case rpc_code::header_mismatch:
        case rpc_code::unsupported_protocol_version:
            return 400;
        case rpc_code::missing_client_capability:
            return r.spoken == stateless ? 400 : 200;
        case rpc_code::method_not_found:
            return r.spoken == stateless ? 404 : 200;
        default:
            return 200;
    }
}

json::object error_response(const request& r, rpc_error e) {
    json::object error{{"code", static_cast<int>(e.code)}, {"message", std::move(e.message)}};
    if (!e.data.is_null()) error["data"] = std::move(e.data);
    json::object response{{"jsonrpc", "2.0"}};
    if (!r.id.is_null()) response["id"] = r.id;
    response["error"] = std::move(error);
    return response;
}

}  // namespace

void peer_state::refuse(const request& r, rpc_error e) {
    const auto status = http_status(r, e.code);
    deliver(r, error_response(r, std::move(e)), status);
}

void peer_state::refuse_at_the_door(const request& r, rpc_error e) { deliver(r, error_response(r, std::move(e)), 400); }

void peer_state::deliver(const request& r, json::object response, unsigned status) {
    auto line = base::write_json(response);
    if (line.size() > max_line && response.contains("result"))
        return refuse(r, rpc_code::internal_error,
                      "the result takes " + std::to_string(line.size()) + " bytes, clients read lines of up to " +
                          std::to_string(max_line) + "; request less, or write to a file");
    if (!r.in) {
        out.push_back(send{std::move(line), r.key, true, status});
        return;
    }
    r.in->responses.push_back(std::move(response));
    settle(*r.in, r.key);
}

void peer_state::settle(batch& b, request_key about) {
    if (--b.open == 0 && !b.responses.empty())
        out.push_back(send{base::write_json(std::move(b.responses)), about, true});
}

void peer_state::notify(std::string_view name, json::object params, request_key about) {
    json::object message{{"jsonrpc", "2.0"}, {"method", json::string{name}}};
    if (!params.empty()) message["params"] = std::move(params);
    out.push_back(send{base::write_json(message), about});
}

}  // namespace gdalmcp::mcp
