#include <algorithm>

#include "mcp/log_level.hpp"
#include "mcp/peer_state.hpp"

namespace gdalmcp::mcp {
namespace {

const json::value* named(const json::array& all, std::string_view name) {
    const auto it = std::find_if(all.begin(), all.end(),
                                 [&](const json::value& v) { return base::string_member(v, "name") == name; });
    return it == all.end() ? nullptr : &*it;
}

const json::string* string_param(const request& r, std::string_view name) {
    const auto* v = r.params.if_contains(name);
    return v ? v->if_string() : nullptr;
}

// The object at `name`, an empty one where it is absent or null; null where it is something else.
const json::object* object_param(const request& r, std::string_view name) {
    static const json::object none;
    const auto* v = r.params.if_contains(name);
    if (!v || v->is_null()) return &none;
    return v->if_object();
}

std::string quoted(std::string_view s) { return std::string{'"'}.append(s).append(1, '"'); }

}  // namespace

json::object peer_state::server() const {
    json::object s{{"name", offer_->name}, {"version", offer_->version}};
    if (!offer_->title.empty()) s["title"] = offer_->title;
    if (!offer_->website.empty()) s["websiteUrl"] = offer_->website;
    return s;
}

json::object peer_state::capabilities(revision spoken) const {
    json::object list;
    if (offer_->lists_change) list["listChanged"] = true;
    json::object c{{"tools", list}, {"prompts", list}};
    if (offer_->resources) {
        if (offer_->resource_updates) list["subscribe"] = true;
        c["resources"] = std::move(list);
    }
    if (offer_->completions) c["completions"] = json::object{};
    if (offer_->logging) c["logging"] = json::object{};
    if (offer_->tasks && spoken == stateless) c["extensions"] = json::object{{tasks_extension, json::object{}}};
    return c;
}

// Never an error: clients that are refused here, or offered less than they requested, disconnect. An unknown version,
// or one without a handshake, is answered with the newest that has one.
void peer_state::initialize(request r) {
    const auto* asked = string_param(r, "protocolVersion");
    auto spoken = asked ? revision_named(*asked) : std::nullopt;
    if (!spoken || *spoken == stateless) spoken = latest_handshake;
    handshake_.emplace();
    handshake_->spoken = r.spoken = *spoken;
    if (const auto* told = object_param(r, "capabilities")) handshake_->client_capabilities = *told;
    json::object result{{"protocolVersion", json::string{name_of(*spoken)}},
                        {"capabilities", capabilities(*spoken)},
                        {"serverInfo", server()}};
    if (!offer_->icons.empty()) result["serverInfo"].get_object()["icons"] = offer_->icons;
    if (!offer_->instructions.empty()) result["instructions"] = offer_->instructions;
    respond(r, std::move(result));
}

void peer_state::ping(request r) { respond(r, {}); }

void peer_state::discover(request r) {
    json::object result{{"supportedVersions", json::array{json::string{name_of(stateless)}}},
                        {"capabilities", capabilities(stateless)}};
    if (!offer_->instructions.empty()) result["instructions"] = offer_->instructions;
    respond_cacheable(r, std::move(result), offer_->list_ttl_ms);
}

void peer_state::set_log_level(request r) {
    const auto* name = string_param(r, "level");
    const auto level = name ? log_level_named(*name) : std::nullopt;
    if (!level) return refuse(r, rpc_code::invalid_params, "level must be one of " + log_level_names());
    if (handshake_) handshake_->log_level = *level;
    respond(r, {});
}

void peer_state::list_tools(request r) { respond_page(r, offer_->tools, "tools", offer_->list_ttl_ms); }

void peer_state::list_prompts(request r) { respond_page(r, offer_->prompts, "prompts", offer_->list_ttl_ms); }

void peer_state::list_templates(request r) {
    respond_page(r, offer_->resource_templates, "resourceTemplates", offer_->list_ttl_ms);
}

void peer_state::list_resources(request r) { out.push_back(resource_list{track(std::move(r))}); }

void peer_state::read_resource(request r) {
    const auto* uri = string_param(r, "uri");
    if (!uri) return refuse(r, rpc_code::invalid_params, "uri must be a string");
    resource_read e{0, std::string{*uri}};
    e.key = track(std::move(r));
    out.push_back(std::move(e));
}

void peer_state::call_tool(request r) {
    const auto* name = string_param(r, "name");
    if (!name) return refuse(r, rpc_code::invalid_params, "name must be a string: the tool to call");
    const auto* tool = named(offer_->tools, *name);
    if (!tool && !offer_->unlisted.contains(*name))
        return refuse(r, rpc_code::invalid_params, "Unknown tool: " + std::string{*name});
    const auto* arguments = object_param(r, "arguments");
    if (!arguments) return refuse(r, rpc_code::invalid_params, "arguments must be an object");
    if (tool && header_ && r.spoken == stateless)
        if (const auto* schema = base::find_member(*tool, "inputSchema"))
            if (auto e = disagreement(*header_, *schema, arguments)) return refuse(r, std::move(*e));
    admit(std::move(r));
}

// Starts the work, with the client's answers and state from an earlier round.
void peer_state::admit(request r) {
    json::value responses, state;
    if (r.spoken == stateless)
        if (auto e = take_round(r, responses, state)) return refuse(r, std::move(*e));
    const auto key = track(std::move(r));
    push_work(open_.at(key), std::move(responses), std::move(state));
}

std::optional<rpc_error> peer_state::take_round(const request& r, json::value& responses, json::value& state) {
    if (const auto* given = r.params.if_contains("inputResponses")) responses = *given;
    if (const auto* given = r.params.if_contains("requestState")) state = *given;
    if (!responses.is_null() && !responses.is_object())
        return rpc_error{rpc_code::invalid_params, "inputResponses must be an object", nullptr};
    if (!state.is_null() && !state.is_string())
        return rpc_error{rpc_code::invalid_params, "requestState must be a string", nullptr};
    return std::nullopt;
}

void peer_state::push_work(request& r, json::value responses, json::value state) {
    const auto fill = [&](auto e) {
        e.key = r.key;
        e.name = *string_param(r, "name");
        if (auto* given = r.params.if_contains("arguments"); given && given->is_object()) {
            // In 2026-07-28 a call comes once; after a handshake it comes again when its client has answered.
            if (r.spoken == stateless)
                e.arguments = std::move(given->get_object());
            else
                e.arguments = given->get_object();
        }
        e.client_capabilities = r.client_capabilities;
        e.input_responses = std::move(responses);
        e.request_state = std::move(state);
        return e;
    };
    if (r.method == "prompts/get") return out.push_back(fill(prompt_get{}));
    tool_call t;
    t.wants_progress = !r.progress_token.is_null();
    t.may_become_task = offer_->tasks && r.spoken == stateless && declares_tasks(r);
    out.push_back(fill(std::move(t)));
}

void peer_state::get_prompt(request r) {
    const auto* name = string_param(r, "name");
    if (!name) return refuse(r, rpc_code::invalid_params, "name must be a string: the prompt to get");
    const auto* prompt = named(offer_->prompts, *name);
    if (!prompt) return refuse(r, rpc_code::invalid_params, "Unknown prompt: " + std::string{*name});
    const auto* arguments = object_param(r, "arguments");
    if (!arguments) return refuse(r, rpc_code::invalid_params, "arguments must be an object");
    for (const auto& a : *arguments)
        if (!a.value().is_string())
            return refuse(r, rpc_code::invalid_params, "prompt argument " + quoted(a.key()) + " must be a string");
    const auto* declared = base::find_member(*prompt, "arguments");
    if (declared && declared->is_array())
        for (const auto& a : declared->get_array())
            if (const auto needed = base::string_member(a, "name");
                base::bool_member(a, "required") && !arguments->contains(needed))
                return refuse(r, rpc_code::invalid_params,
                              "prompt " + quoted(*name) + " needs argument " + quoted(needed));
    admit(std::move(r));
}

bool peer_state::admits_task_method(const request& r) {
    if (!declares_tasks(r)) {
        refuse(r, {rpc_code::missing_client_capability,
                   r.method + " is for clients that declare the extension " + tasks_extension,
                   json::object{{"requiredCapabilities",
                                 json::object{{"extensions", json::object{{tasks_extension, json::object{}}}}}}}});
        return false;
    }
    if (string_param(r, "taskId")) return true;
    refuse(r, rpc_code::invalid_params, "taskId must be a string");
    return false;
}

void peer_state::get_task(request r) {
    if (!admits_task_method(r)) return;
    task_get e{0, std::string{*string_param(r, "taskId")}};
    e.key = track(std::move(r));
    out.push_back(std::move(e));
}

void peer_state::update_task(request r) {
    if (!admits_task_method(r)) return;
    const auto* responses = r.params.if_contains("inputResponses");
    if (!responses || !responses->is_object())
        return refuse(r, rpc_code::invalid_params, "inputResponses must be an object");
    task_update e{0, std::string{*string_param(r, "taskId")}, responses->get_object()};
    e.key = track(std::move(r));
    out.push_back(std::move(e));
}

void peer_state::cancel_task(request r) {
    if (!admits_task_method(r)) return;
    task_cancel e{0, std::string{*string_param(r, "taskId")}};
    e.key = track(std::move(r));
    out.push_back(std::move(e));
}

void peer_state::complete_argument(request r) {
    const auto* ref = r.params.if_contains("ref");
    const auto type = ref ? base::string_member(*ref, "type") : std::string_view{};
    const auto* target = ref ? base::find_member(*ref, type == "ref/prompt" ? "name" : "uri") : nullptr;
    if ((type != "ref/prompt" && type != "ref/resource") || !target || !target->is_string())
        return refuse(r, rpc_code::invalid_params,
                      R"(ref must be {"type": "ref/prompt", "name"} or {"type": "ref/resource", "uri"})");
    if (type == "ref/prompt" && !named(offer_->prompts, target->get_string()))
        return refuse(r, rpc_code::invalid_params, "Unknown prompt: " + std::string{target->get_string()});
    const auto* argument = r.params.if_contains("argument");
    for (const char* member : {"name", "value"}) {
        const auto* v = argument ? base::find_member(*argument, member) : nullptr;
        if (!v || !v->is_string())
            return refuse(r, rpc_code::invalid_params, R"(argument must be {"name", "value"}, both strings)");
    }
    if (!object_param(r, "context")) return refuse(r, rpc_code::invalid_params, "context must be an object");
    completion e{0, r.params};
    e.params.erase("_meta");
    e.key = track(std::move(r));
    out.push_back(std::move(e));
}

}  // namespace gdalmcp::mcp
