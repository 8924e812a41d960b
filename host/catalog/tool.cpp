#include "catalog/tool.hpp"

#include "catalog/lint.hpp"
#include "catalog/listing.hpp"

namespace gdalmcp::catalog {
namespace {

using base::find_member;
using base::string_member;

json::object described(const char* type, const char* about) { return {{"type", type}, {"description", about}}; }

// The host's description of the dataset it published.
json::object output_member() {
    return {
        {"type", "object"},
        {"description", "The dataset that was written, re-opened and checked"},
        {"properties",
         {{"uri", described("string",
                            "Input for later calls: query://result/{id} for a managed result, "
                            "else the path")},
          {"path", described("string", "Absolute path; absent for a managed result")},
          {"driver", described("string", "GDAL driver, for example GTiff or GPKG")},
          {"size_bytes", described("integer", "Size of all its files, in bytes")},
          {"crs", described("string", "Its coordinate reference system as AUTHORITY:CODE, else by name; empty = none")},
          {"sha256", described("string", "SHA-256 of the primary file, 64 hex digits")}}},
        {"required", {"uri", "driver", "size_bytes"}},
        {"additionalProperties", false}};
}

json::object strings_member(const char* about, const char* about_one) {
    return {{"type", "array"}, {"description", about}, {"items", described("string", about_one)}};
}

// The plugin's result schema with the members the host adds.
json::value with_host_members(json::value schema, bool writes_dataset) {
    auto& root = schema.as_object();
    if (!root.contains("properties")) root.emplace("properties", json::object{});
    auto& properties = root["properties"].as_object();
    if (writes_dataset) properties.emplace("output", output_member());
    properties.emplace("warnings", strings_member("Caveats before relying on the result; empty = none", "One warning"));
    if (writes_dataset)
        properties.emplace("checks",
                           strings_member("What was verified on the dataset after writing", "One check that passed"));
    return schema;
}

json::object justification_member() {
    return described("object", "Reasons by domain, as a refused call requests them.");
}

std::string title_from(std::string_view name) {
    std::string title{name};
    for (auto& c : title)
        if (c == '_') c = ' ';
    if (!title.empty()) title.front() = static_cast<char>(title.front() - 'a' + 'A');
    return title;
}

}  // namespace

base::result<std::shared_ptr<const tool>> tool::read(const json::value& text,
                                                     std::shared_ptr<const catalog::bundle> owner) {
    if (auto found = lint_tool(text); !found.empty()) return tl::unexpected{std::move(found.front())};
    auto t = std::make_shared<tool>();
    t->name = string_member(text, "name");
    t->title = string_member(text, "title");
    if (t->title.empty()) t->title = title_from(t->name);
    t->description = string_member(text, "description");
    t->bundle = std::move(owner);
    if (const auto* hints = find_member(text, "annotations")) {
        const catalog::annotations defaults;
        t->annotations.read_only = base::bool_member(*hints, "readOnlyHint", defaults.read_only);
        t->annotations.destructive = base::bool_member(*hints, "destructiveHint", defaults.destructive);
        t->annotations.idempotent = base::bool_member(*hints, "idempotentHint", defaults.idempotent);
        t->annotations.open_world = base::bool_member(*hints, "openWorldHint", defaults.open_world);
        t->annotations.task_only = base::bool_member(*hints, "taskOnly", defaults.task_only);
    }
    const auto& arguments = text.at("input_schema");
    t->writes_dataset = count_outputs(arguments) != 0;
    auto input = base::schema::compile(arguments);
    if (!input) return tl::unexpected{std::move(input.error())};
    t->input_ = std::move(*input);
    const auto* declared = find_member(text, "output_schema");
    if (declared || t->writes_dataset) {
        auto result = base::schema::compile(
            with_host_members(declared ? *declared : json::value{{"type", "object"}}, t->writes_dataset));
        if (!result) return tl::unexpected{std::move(result.error())};
        t->result_ = std::move(*result);
    }
    return t;
}

json::object tool::public_definition(bool governed) const {
    auto arguments = listed_arguments(input_->text());
    if (governed) {
        auto& root = arguments.as_object();
        if (!root.contains("properties")) root.emplace("properties", json::object{});
        root["properties"].as_object().emplace(justification_argument, justification_member());
    }
    json::object definition{
        {"name", name}, {"title", title}, {"description", description}, {"inputSchema", std::move(arguments)}};
    if (result_) definition.emplace("outputSchema", listed_result(result_->text()));
    definition.emplace("annotations", json::object{{"title", title},
                                                   {"readOnlyHint", annotations.read_only},
                                                   {"destructiveHint", annotations.destructive},
                                                   {"idempotentHint", annotations.idempotent},
                                                   {"openWorldHint", annotations.open_world}});
    return definition;
}

}  // namespace gdalmcp::catalog
