#include <algorithm>

#include "mcp/conversation.hpp"
#include "mcp/log_level.hpp"

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

// The object at `name`, an empty one where it is absent or null, nullopt where it is something else.
std::optional<json::object> object_param(const request& r, std::string_view name) {
    const auto* v = r.params.if_contains(name);
    if (!v || v->is_null()) return json::object{};
    if (!v->is_object()) return std::nullopt;
    return v->get_object();
}

std::string quoted(std::string_view s) { return std::string{'"'}.append(s).append(1, '"'); }

}  // namespace

json::object conversation::server() const {
    json::object s{{"name", offer_->name}, {"version", offer_->version}};
    if (!offer_->title.empty()) s["title"] = offer_->title;
    if (!offer_->website.empty()) s["websiteUrl"] = offer_->website;
    return s;
}

json::object conversation::capabilities() const {
    json::object list;
    if (offer_->lists_change) list["listChanged"] = true;
    json::object c{{"tools", list}, {"prompts", list}};
    if (offer_->resources) {
        if (offer_->resource_updates) list["subscribe"] = true;
        c["resources"] = std::move(list);
    }
    if (offer_->completions) c["completions"] = json::object{};
    return c;
}

// Never an error: clients that are refused here, or offered less than they asked for, disconnect. A version we do not
// know, or one that has no handshake, is answered with the newest that has one.
void conversation::initialize(request r) {
    const auto* asked = string_param(r, "protocolVersion");
    auto spoken = asked ? revision_named(*asked) : std::nullopt;
    if (!spoken || *spoken == stateless) spoken = latest_handshake;
    handshake_.emplace();
    handshake_->spoken = r.spoken = *spoken;
    handshake_->client_capabilities = object_param(r, "capabilities").value_or(json::object{});
    json::object result{{"protocolVersion", json::string{name_of(*spoken)}},
                        {"capabilities", capabilities()},
                        {"serverInfo", server()}};
    if (!offer_->instructions.empty()) result["instructions"] = offer_->instructions;
    respond(r, std::move(result));
}

void conversation::ping(request r) { respond(r, {}); }

void conversation::discover(request r) {
    json::object result{{"supportedVersions", json::array{json::string{name_of(stateless)}}},
                        {"capabilities", capabilities()}};
    if (!offer_->instructions.empty()) result["instructions"] = offer_->instructions;
    respond_cacheable(r, std::move(result), offer_->list_ttl_ms);
}

// Accepted because clients send it unasked; nothing is logged to the client, so the level changes nothing.
void conversation::set_log_level(request r) {
    const auto* level = r.params.if_contains("level");
    if (!level || !is_log_level(*level))
        return refuse(r, rpc_code::invalid_params, "level must be one of " + log_level_names());
    respond(r, {});
}

void conversation::list_tools(request r) { respond_page(r, offer_->tools, "tools", offer_->list_ttl_ms); }

void conversation::list_prompts(request r) { respond_page(r, offer_->prompts, "prompts", offer_->list_ttl_ms); }

void conversation::list_templates(request r) {
    respond_page(r, offer_->resource_templates, "resourceTemplates", offer_->list_ttl_ms);
}

void conversation::list_resources(request r) { out.push_back(resource_list{track(std::move(r))}); }

void conversation::read_resource(request r) {
    const auto* uri = string_param(r, "uri");
    if (!uri) return refuse(r, rpc_code::invalid_params, "uri must be a string");
    resource_read e{0, std::string{*uri}};
    e.key = track(std::move(r));
    out.push_back(std::move(e));
}

void conversation::call_tool(request r) {
    const auto* name = string_param(r, "name");
    if (!name) return refuse(r, rpc_code::invalid_params, "name must be a string: the tool to call");
    if (!named(offer_->tools, *name)) {
        const auto why = offer_->withheld.find(*name);
        return refuse(
            r, rpc_code::invalid_params,
            "Unknown tool: " + std::string{*name} + (why == offer_->withheld.end() ? "" : ". " + why->second));
    }
    if (!object_param(r, "arguments")) return refuse(r, rpc_code::invalid_params, "arguments must be an object");
    auto e = call_of(0, r);
    if (r.spoken == stateless) {
        if (const auto* responses = r.params.if_contains("inputResponses")) e.input_responses = *responses;
        if (const auto* state = r.params.if_contains("requestState")) e.request_state = *state;
        if (!e.input_responses.is_null() && !e.input_responses.is_object())
            return refuse(r, rpc_code::invalid_params, "inputResponses must be an object");
        if (!e.request_state.is_null() && !e.request_state.is_string())
            return refuse(r, rpc_code::invalid_params, "requestState must be a string");
    }
    e.key = track(std::move(r));
    out.push_back(std::move(e));
}

tool_call conversation::call_of(request_key key, const request& r) {
    tool_call e;
    e.key = key;
    e.name = *string_param(r, "name");
    e.arguments = *object_param(r, "arguments");
    e.wants_progress = !r.progress_token.is_null();
    e.client_capabilities = r.client_capabilities;
    return e;
}

void conversation::get_prompt(request r) {
    const auto* name = string_param(r, "name");
    if (!name) return refuse(r, rpc_code::invalid_params, "name must be a string: the prompt to get");
    const auto* prompt = named(offer_->prompts, *name);
    if (!prompt) return refuse(r, rpc_code::invalid_params, "Unknown prompt: " + std::string{*name});
    auto arguments = object_param(r, "arguments");
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
    prompt_get e{0, std::string{*name}, std::move(*arguments)};
    e.key = track(std::move(r));
    out.push_back(std::move(e));
}

void conversation::complete_argument(request r) {
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
