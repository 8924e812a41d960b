#include "scripted_server.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gdalmcp::protocol_test {
namespace json = base::json;
using namespace mcp;

namespace {

json::object text(std::string_view t) { return {{"type", "text"}, {"text", json::string{t}}}; }

json::object tool(const char* name, json::object properties = {}) {
    return {{"name", name},
            {"description", "scripted"},
            {"inputSchema", json::object{{"type", "object"}, {"properties", std::move(properties)}}}};
}

offer scripted_offer() {
    offer o;
    o.name = "scripted";
    o.title = "Scripted server";
    o.version = "1.2.3";
    o.instructions = "Say nothing.";
    const json::object string{{"type", "string"}};
    o.tools = {tool("echo"),
               tool("count", {{"n", json::object{{"type", "integer"}}}}),
               tool("fail"),
               tool("link"),
               tool("meta"),
               tool("capabilities"),
               tool("hold", {{"name", string}}),
               tool("release", {{"name", string}}),
               tool("ask", {{"crs", string}}),
               tool("ask_all"),
               tool("ask_twice"),
               tool("give_up"),
               tool("log", {{"severity", json::object{{"type", "integer"}}}}),
               tool("task"),
               tool("finish_task"),
               tool("hear"),
               tool("touch", {{"uri", string}}),
               tool("change", {{"what", string}}),
               tool("nonsense")};
    o.tools[0].get_object()["outputSchema"] = json::object{{"type", "object"}};
    o.resource_templates = {json::object{{"uriTemplate", "demo://{n}"}, {"name", "demo"}, {"mimeType", "text/plain"}}};
    o.prompts = {json::object{{"name", "ask_prompt"}, {"description", "asks for a form first"}},
                 json::object{{"name", "justify"},
                              {"description", "scripted"},
                              {"arguments", json::array{json::object{{"name", "dst_crs"}, {"required", true}},
                                                        json::object{{"name", "why"}}}}}};
    o.resources = o.resource_updates = o.completions = o.lists_change = true;
    o.logging = o.tasks = true;
    o.list_ttl_ms = 60000;
    return o;
}

constexpr int resource_count = 250;

json::object task(const char* status) {
    return {{"taskId", "task-1"},
            {"status", status},
            {"createdAt", "2026-01-01T00:00:00Z"},
            {"lastUpdatedAt", "2026-01-01T00:00:00Z"},
            {"ttlMs", 1000}};
}

json::object completed_task() {
    auto t = task("completed");
    t["result"] = wire_result({{text("it took long")}, {}, false, {}});
    return t;
}

std::string string_argument(const tool_call& c, std::string_view name) {
    return std::string{base::string_member(c.arguments, name)};
}

// In [0, 100]; 0 where it is absent or no integer.
int step_count(const tool_call& c) {
    const auto* n = c.arguments.if_contains("n");
    return n && n->is_int64() ? static_cast<int>(std::clamp<std::int64_t>(n->get_int64(), 0, 100)) : 0;
}

json::object form(const std::string& message) {
    const json::object schema{{"type", "object"},
                              {"properties", json::object{{"why", json::object{{"type", "string"}}}}}};
    return {{"method", "elicitation/create"},
            {"params", json::object{{"mode", "form"}, {"message", message}, {"requestedSchema", schema}}}};
}

// What an asking tool asks next; nothing once it knows all it wants to know.
std::optional<input_required> question(const tool_call& c) {
    const auto first = c.request_state.is_null();
    if (c.name == "ask" && c.input_responses.is_null())
        return input_required{{{"why", form("Why " + string_argument(c, "crs") + "?")}}, "state-1"};
    if (c.name == "ask_all" && first)
        return input_required{
            {{"why", form("Why?")},
             {"look", json::object{{"method", "sampling/createMessage"},
                                   {"params", json::object{{"messages", json::array{}}, {"maxTokens", 1}}}}},
             {"roots", json::object{{"method", "roots/list"}}}},
            "state-1"};
    if (c.name == "ask_twice" && first) return input_required{{{"why", form("Why?")}}, "state-1"};
    if (c.name == "ask_twice" && c.request_state == "state-1")
        return input_required{{{"really", form("Really?")}}, "state-2"};
    return std::nullopt;
}

reply answer_to(const tool_call& c) {
    if (c.name == "echo") return tool_result{{}, c.arguments, false, {}};
    if (c.name == "count") return tool_result{{}, json::object{{"counted", step_count(c)}}, false, {}};
    if (c.name == "fail") return tool_result{{text("it failed")}, json::object{{"ok", false}}, true, {}};
    if (c.name == "link")
        return tool_result{
            {json::object{{"type", "resource_link"}, {"name", "readme"}, {"uri", "demo://0"}}}, {}, false, {}};
    if (c.name == "meta") return tool_result{{text("see _meta")}, {}, false, {{"example/receipts", json::array{1}}}};
    if (c.name == "capabilities") return tool_result{{}, c.client_capabilities, false, {}};
    if (c.name == "task" && c.may_become_task) return task_created{task("working")};
    if (c.name == "hear")
        return tool_result{
            {json::object{{"type", "audio"}, {"data", "AAAA"}, {"mimeType", "audio/wav"}}}, {}, false, {}};
    if (c.name == "nonsense") return tool_result{{text("caf\xE9")}, json::object{{"value", std::nan("")}}, false, {}};
    if (auto q = question(c)) return std::move(*q);
    if (c.name.rfind("ask", 0) == 0)
        return tool_result{
            {text(base::write_json(c.input_responses) + " " + base::write_json(c.request_state))}, {}, false, {}};
    return tool_result{{text("done")}, {}, false, {}};
}

}  // namespace

scripted_server::scripted_server() : offer_{scripted_offer()}, peer_{std::make_shared<const offer>(offer_)} {}

std::vector<std::string> scripted_server::receive(std::string_view line) { return carry_out(peer_.receive(line)); }
std::vector<std::string> scripted_server::line_too_long(std::size_t limit) {
    return carry_out(peer_.line_too_long(limit));
}
std::vector<std::string> scripted_server::close() { return carry_out(peer_.close()); }

std::vector<std::string> scripted_server::carry_out(effects asked) {
    add(std::move(asked));
    return std::exchange(lines_, {});
}

void scripted_server::add(effects more) {
    for (auto& e : more) std::visit([this](auto& one) { step(one); }, e);
}

void scripted_server::step(send& s) { lines_.push_back(std::move(s.line)); }

void scripted_server::step(tool_call& c) {
    const auto name = string_argument(c, "name");
    if (c.name == "hold") {
        held_[name] = c.key;
        return;
    }
    if (c.name == "release") add(peer_.answer(held_[name], tool_result{{text(name + " released")}, {}, false, {}}));
    if (c.name == "count") {
        const auto n = step_count(c);
        for (int i = 1; i <= n; ++i) add(peer_.progress(c.key, double(i) / n, "step " + std::to_string(i)));
    }
    if (c.name == "give_up")
        for (const auto key : std::exchange(asking_, {})) add(peer_.stop_waiting(key));
    if (c.name == "log") {
        const auto* n = c.arguments.if_contains("severity");
        add(peer_.log(c.key, n && n->is_int64() ? static_cast<int>(n->get_int64()) % 8 : 0, "scripted", "a line"));
    }
    if (c.name == "finish_task") add(peer_.task_changed(completed_task()));
    if (c.name == "touch")
        add(peer_.resources_updated([&](const std::string& uri) { return uri == string_argument(c, "uri"); }));
    if (c.name == "change") change(string_argument(c, "what"));
    add(peer_.answer(c.key, answer_to(c)));
    if (peer_.awaits_client(c.key)) asking_.insert(c.key);
}

void scripted_server::step(resource_list& l) {
    resource_listing all;
    for (int i = 0; i < resource_count; ++i)
        all.resources.push_back(
            json::object{{"uri", "demo://" + std::to_string(i)}, {"name", "number " + std::to_string(i)}});
    add(peer_.answer(l.key, std::move(all)));
}

void scripted_server::step(resource_read& r) {
    if (r.uri != "demo://0") return add(peer_.answer(r.key, resource_not_found(r.uri)));
    add(peer_.answer(r.key, resource_contents{{json::object{{"uri", r.uri}, {"text", "zero"}}}, 1000}));
}

void scripted_server::step(prompt_get& g) {
    if (g.name == "ask_prompt") {
        if (g.input_responses.is_null())
            return add(peer_.answer(g.key, input_required{{{"why", form("Why?")}}, "state-1"}));
        const auto heard = base::write_json(g.input_responses) + " " + base::write_json(g.request_state);
        return add(
            peer_.answer(g.key, prompt_messages{"Heard", {json::object{{"role", "user"}, {"content", text(heard)}}}}));
    }
    const auto why = "Why " + std::string{base::string_member(g.arguments, "dst_crs")} + "?";
    add(peer_.answer(g.key, prompt_messages{"A question", {json::object{{"role", "user"}, {"content", text(why)}}}}));
}

void scripted_server::step(completion& c) {
    completion_values v;
    if (base::string_member(c.params.at("argument"), "value") == "EPSG:32")
        for (int i = 0; i < 120; ++i) v.values.push_back("EPSG:" + std::to_string(32600 + i));
    add(peer_.answer(c.key, std::move(v)));
}

void scripted_server::step(task_get& g) {
    if (g.id != "task-1") return add(peer_.answer(g.key, task_not_found(g.id)));
    add(peer_.answer(g.key, task_state{completed_task()}));
}

void scripted_server::step(task_update& u) {
    if (u.id != "task-1") return add(peer_.answer(u.key, task_not_found(u.id)));
    add(peer_.answer(u.key, acknowledged{}));
}

void scripted_server::step(task_cancel& c) {
    if (c.id != "task-1") return add(peer_.answer(c.key, task_not_found(c.id)));
    add(peer_.answer(c.key, acknowledged{}));
}

void scripted_server::step(cancel& c) {
    add(peer_.progress(c.key, 0.9, "too late"));
    add(peer_.answer(c.key, tool_result{{text("too late: " + c.reason)}, {}, false, {}}));
}

void scripted_server::change(std::string_view what) {
    if (what == "resources") return add(peer_.resources_changed());
    auto& list = what == "tools" ? offer_.tools : offer_.prompts;
    if (!list.empty()) list.pop_back();
    add(peer_.replace(std::make_shared<const offer>(offer_)));
}

}  // namespace gdalmcp::protocol_test
