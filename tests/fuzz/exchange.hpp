// A peer between a client and an application, both played by the input; the ledger watches.
#pragma once
#include <algorithm>
#include <utility>

#include "ledger.hpp"
#include "mcp/peer.hpp"

namespace fuzz {

inline json::object text_block(std::string_view text) { return {{"type", "text"}, {"text", json::string{text}}}; }

// flags: one bit per ability, and for what is on the lists.
inline std::shared_ptr<const mcp::offer> offer_of(unsigned flags) {
    static const auto all = base::parse_json(R"({
        "tools": [{"name": "t", "inputSchema": {"type": "object", "properties": {
                      "near": {"type": "string", "x-mcp-header": "Near"},
                      "in": {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "N"}}}}}},
                  {"name": "u", "inputSchema": {"type": "object"}}],
        "prompts": [{"name": "p", "arguments": [{"name": "a", "required": true}, {"name": "b"}]}],
        "templates": [{"uriTemplate": "r://{n}", "name": "r"}]})")
                                .value();
    auto o = std::make_shared<mcp::offer>();
    o->name = "fuzz";
    o->version = "0";
    o->unlisted = {"w"};
    o->resources = flags & 1u;
    o->resource_updates = flags & 2u;
    o->completions = flags & 4u;
    o->lists_change = flags & 8u;
    o->logging = flags & 16u;
    o->tasks = flags & 32u;
    if (flags & 64u) o->tools = all.at("tools").as_array();
    if (flags & 128u) {
        o->prompts = all.at("prompts").as_array();
        o->resource_templates = all.at("templates").as_array();
        o->instructions = o->title = o->website = "Everything.";
    }
    return o;
}

// Answers as the application may: each effect by a reply of its kind.
struct answers {
    std::string_view text;
    json::value value;  // of `text`, if it is JSON; else null

    explicit answers(std::string_view t) : text{t} {
        if (auto v = base::parse_json(t)) value = std::move(*v);
    }

    mcp::reply operator()(const mcp::tool_call&) const {
        mcp::tool_result r;
        if (const auto* blocks = value.if_array())
            for (const auto& b : *blocks) r.content.push_back(b.is_object() ? b : json::value(text_block("?")));
        else if (const auto* structured = value.if_object())
            r.structured = *structured;
        else
            r.content = {text_block(text)};
        r.is_error = base::bool_member(value, "isError");
        r.meta["io.gdal-mcp/receipts"] = value;
        return r;
    }
    mcp::reply operator()(const mcp::resource_list&) const {
        const auto count = value.is_int64() ? value.get_int64() & 0xFF : 2;
        mcp::resource_listing l;
        for (std::int64_t i = 0; i < count; ++i) l.resources.push_back(json::object{{"uri", i}});
        return l;
    }
    mcp::reply operator()(const mcp::resource_read& r) const {
        if (value.is_null()) return mcp::resource_not_found(r.uri);
        return mcp::resource_contents{{json::object{{"uri", r.uri}, {"text", json::string{text}}}}, 1000};
    }
    mcp::reply operator()(const mcp::prompt_get&) const {
        return mcp::prompt_messages{std::string{text}, {json::object{{"role", "user"}, {"content", text_block(text)}}}};
    }
    mcp::reply operator()(const mcp::completion& c) const {
        must(c.params.at("argument").at("value").is_string() && !c.params.contains("_meta"));
        return mcp::completion_values{std::vector<std::string>(value.is_int64() ? value.get_int64() & 0xFF : 1, "v")};
    }
    mcp::reply operator()(const mcp::task_get& g) const {
        if (value.is_null()) return mcp::task_not_found(g.id);
        return mcp::task_state{{{"taskId", g.id}, {"status", "completed"}, {"result", value}}};
    }
    mcp::reply operator()(const mcp::task_update&) const { return mcp::acknowledged{}; }
    mcp::reply operator()(const mcp::task_cancel&) const { return mcp::acknowledged{}; }
    mcp::reply operator()(const mcp::send&) const { std::abort(); }    // needs no answer
    mcp::reply operator()(const mcp::cancel&) const { std::abort(); }  // nor does this
};

class exchange {
public:
    exchange() : peer_{offer_of(~0u)} {}

    void line(std::string_view text) {
        const auto message = base::parse_json(text);
        message ? book_.sent(*message) : book_.unreadable(text);
        follow(peer_.receive(text));
    }
    void line_too_long() {
        book_.unreadable();
        follow(peer_.line_too_long(100));
    }
    void by_http(const json::value& message, const mcp::http_fields& header) {
        book_.sent(message);
        follow(peer_.receive(message, header));
    }

    // What the application may do about the open request number `n`, counted from the oldest.
    void answer(std::size_t n, std::string_view text) {
        if (const auto* w = open(n)) reply_with(w->first, std::visit(answers{text}, w->second.asked));
    }
    void refuse(std::size_t n, std::string_view why) {
        const mcp::rpc_error e{mcp::rpc_code::internal_error, "failed: " + std::string{why}, nullptr};
        if (const auto* w = open(n)) reply_with(w->first, e);
    }
    void ask(std::size_t n, std::string_view text) {
        const auto* w = open(n);
        if (!w) return;
        const auto& asked = w->second.asked;
        if (!std::holds_alternative<mcp::tool_call>(asked) && !std::holds_alternative<mcp::prompt_get>(asked)) return;
        const auto requests = base::parse_json(text);
        reply_with(w->first, mcp::input_required{
                                 requests && requests->is_object() ? requests->get_object() : json::object{}, "state"});
    }
    void become_task(std::size_t n, std::string_view id) {
        const auto* w = open(n);
        const auto* call = w ? std::get_if<mcp::tool_call>(&w->second.asked) : nullptr;
        if (!call || !call->may_become_task) return;
        must(w->second.modern);
        reply_with(w->first, mcp::task_created{{{"taskId", json::string{id}}, {"status", "working"}}});
    }
    void progress(std::size_t n, double fraction) {
        if (const auto* w = open(n)) follow(peer_.progress(w->first, fraction, "on its way"));
    }
    void heartbeat(std::size_t n, std::string_view text) {
        if (const auto* w = open(n)) follow(peer_.heartbeat(w->first, text));
    }
    void log(std::size_t n, int severity, std::string_view text) {
        if (const auto* w = open(n)) follow(peer_.log(w->first, severity, "fuzz", text));
    }
    void stop_waiting(std::size_t n) {
        if (const auto* w = open(n)) follow(peer_.stop_waiting(w->first));
    }

    void replace(unsigned flags) { follow(peer_.replace(offer_of(flags))); }
    void resources_changed() { follow(peer_.resources_changed()); }
    void resource_updated(std::string_view uri) {
        follow(peer_.resources_updated([&](const std::string& u) { return u == uri; }));
    }
    void task_changed(std::string_view id) {
        follow(peer_.task_changed({{"taskId", json::string{id}}, {"status", "working"}}));
    }

    void answer_all(std::string_view text) {
        while (open(0)) answer(0, text);
    }
    void close() {
        follow(peer_.close());
        must(peer_.in_flight() == 0 && book_.open().empty());
    }
    // Answers what is open, leaves, and nobody is owed anything.
    void end() {
        answer_all("the end");
        close();
        book_.balance();
    }

private:
    const std::pair<const mcp::request_key, ledger::work>* open(std::size_t n) const {
        const auto& all = book_.open();
        return all.empty() ? nullptr : &*std::next(all.begin(), static_cast<std::ptrdiff_t>(n % all.size()));
    }

    void reply_with(mcp::request_key key, mcp::reply r) {
        const auto effects = peer_.answer(key, std::move(r));
        const bool asks = peer_.awaits_client(key);
        if (asks) book_.waits(key);
        follow(effects);
        if (!asks) must(!peer_.is_open(key));
    }

    void follow(const mcp::effects& effects) {
        for (const auto& e : effects) book_.take(e);
        // The answers to a batch leave together: a member of it may be done before its line is seen.
        for (auto it = book_.open().begin(); it != book_.open().end();) {
            const auto key = (it++)->first;
            if (!peer_.is_open(key)) book_.done(key);
        }
        must(peer_.in_flight() == book_.open().size());
    }

    mcp::peer peer_;
    ledger book_;
};

}  // namespace fuzz
