#include "app/call/host_tools.hpp"

#include "app/datasets/data_find.hpp"
#include "reflection/host_tools.hpp"

namespace gdalmcp::app {

namespace {

json::object text_member(const char* description) { return {{"type", "string"}, {"description", description}}; }

json::object object_of(json::object properties, json::array required) {
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)},
            {"additionalProperties", false}};
}

json::object release_result_definition() {
    return {{"name", "release_result"},
            {"title", "Release a managed result"},
            {"description",
             "Frees a managed result now. Otherwise it expires 900 s after its creation; beyond 25, the oldest is "
             "dropped."},
            {"inputSchema", object_of({{"uri", text_member("query://result/{id}")}}, {"uri"})},
            {"outputSchema", object_of({{"released", text_member("URI of the released result.")}}, {"released"})},
            {"annotations", json::object{{"title", "Release a managed result"},
                                         {"readOnlyHint", false},
                                         {"destructiveHint", true},
                                         {"idempotentHint", false},
                                         {"openWorldHint", false}}}};
}

constexpr const char* toolsets_definition = R"({
  "name": "toolsets", "title": "Toolsets",
  "description": "Lists the toolsets with their tools, or switches one on or off for this session; tools/list changes with it. Use it when no listed tool fits, or when a call reports that its tool is off.",
  "inputSchema": {"type": "object", "additionalProperties": false, "properties": {
      "action": {"type": "string", "enum": ["list", "enable", "disable"], "default": "list", "description": "What to do"},
      "name": {"type": "string", "minLength": 1, "description": "The toolset; list without it shows all"}}},
  "outputSchema": {"type": "object", "required": ["toolsets"], "properties": {"toolsets": {"type": "array", "items": {
      "type": "object", "required": ["name", "on", "tools"], "properties": {
        "name": {"type": "string"}, "on": {"type": "boolean"}, "purpose": {"type": "string"},
        "tools": {"type": "array", "items": {"type": "string"}}}}}}},
  "annotations": {"title": "Toolsets", "readOnlyHint": false, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}})";

}  // namespace

std::vector<std::string> reserved_tools() {
    return {"preflight", "store_justification", "release_result", "data_find", "toolsets"};
}

json::array host_definitions(const reflection::specs& s) {
    auto all = reflection::host_tool_definitions(s);
    all.push_back(release_result_definition());
    all.push_back(data_find_definition());
    all.push_back(base::parse_json(toolsets_definition).value());
    return all;
}

std::map<std::string, base::schema, std::less<>> host_tool_schemas(const reflection::specs& s) {
    std::map<std::string, base::schema, std::less<>> all;
    for (const auto& d : host_definitions(s))
        all.emplace(std::string{d.at("name").get_string()}, base::schema::compile(d.at("inputSchema")).value());
    return all;
}

}  // namespace gdalmcp::app
