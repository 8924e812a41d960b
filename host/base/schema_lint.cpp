#include "base/schema_lint.hpp"

#include <algorithm>

#include "base/pointer.hpp"
#include "base/schema_walk.hpp"
#include "base/text_pattern.hpp"

namespace gdalmcp::base {
namespace {

bool is_annotation(std::string_view keyword) {
    constexpr std::string_view annotations[] = {"title", "description", "default", "examples", "format"};
    return std::find(std::begin(annotations), std::end(annotations), keyword) != std::end(annotations) ||
           keyword.substr(0, 2) == "x-";
}

void lint_node(const json::value& node, const std::string& at, std::vector<problem>& found);

bool has_pattern(const json::value& node) {
    bool found = find_member(node, "pattern") != nullptr;
    each_subschema(node, [&](const json::value& sub) { found = found || has_pattern(sub); });
    return found;
}

void lint_children(const json::value& container, const std::string& at, std::vector<problem>& found) {
    if (const auto* o = container.if_object()) {
        for (const auto& m : *o) lint_node(m.value(), at + "/" + escape_token(m.key()), found);
    } else if (const auto* a = container.if_array()) {
        for (std::size_t i = 0; i < a->size(); ++i) lint_node((*a)[i], at + "/" + std::to_string(i), found);
    }
}

void lint_node(const json::value& node, const std::string& at, std::vector<problem>& found) {
    const auto complain = [&](std::string message, std::string hint) {
        found.push_back({code::invalid_argument,
                         "schema" + (at.empty() ? std::string{} : " at " + at) + ": " + std::move(message),
                         std::move(hint), at});
    };
    const auto* o = node.if_object();
    if (!o) return complain("a schema must be an object", "write {\"type\": …} instead of true or false");
    for (const auto& m : *o) {
        const std::string_view keyword = m.key();
        const auto here = at + "/" + escape_token(keyword);
        if (keyword == "properties") {
            lint_children(m.value(), here, found);
        } else if (keyword == "items") {
            if (m.value().is_array())
                complain("tuple items are not understood by every client", "give one schema for all items");
            else
                lint_node(m.value(), here, found);
        } else if (keyword == "anyOf" || keyword == "oneOf" || keyword == "allOf") {
            const auto* branches = m.value().if_array();
            if (keyword != "allOf" && branches && std::any_of(branches->begin(), branches->end(), has_pattern))
                complain("a 'pattern' in '" + std::string{keyword} + "' is not enforced",
                         "put it beside the alternatives, or state it in the description");
            if (at.empty())
                complain("'" + std::string{keyword} + "' at the root hides the whole tool list from some clients",
                         "put the alternatives inside a property");
            lint_children(m.value(), here, found);
        } else if (keyword == "additionalProperties") {
            if (!m.value().is_bool()) lint_node(m.value(), here, found);
        } else if (keyword == "type") {
            if (m.value().is_array()) complain("a union of types is not portable", "use anyOf inside a property");
        } else if (keyword == "pattern") {
            if (!m.value().is_string() || !is_pattern(m.value().get_string()))
                complain("'pattern' is " + write_json(m.value()) + "; it must be a regular expression in RE2 syntax",
                         "avoid back references and lookaround");
        } else if (keyword == "multipleOf") {  // which the validator divides by
            if (!m.value().is_number() || !(m.value().to_number<double>() > 0))
                complain("'multipleOf' is " + write_json(m.value()) + "; it must be a number above 0",
                         "correct the schema");
        } else if (!is_annotation(keyword)) {
            const auto& known = accepted_keywords();
            if (std::find(known.begin(), known.end(), keyword) == known.end())
                complain("keyword '" + std::string{keyword} + "' is not enforced",
                         "remove it or state it in the description");
        }
    }
}

}  // namespace

const std::vector<std::string_view>& accepted_keywords() {
    static const std::vector<std::string_view> keywords = {"type",
                                                           "properties",
                                                           "required",
                                                           "additionalProperties",
                                                           "items",
                                                           "minItems",
                                                           "maxItems",
                                                           "uniqueItems",
                                                           "enum",
                                                           "const",
                                                           "minimum",
                                                           "maximum",
                                                           "exclusiveMinimum",
                                                           "exclusiveMaximum",
                                                           "multipleOf",
                                                           "minLength",
                                                           "maxLength",
                                                           "pattern",
                                                           "anyOf",
                                                           "oneOf",
                                                           "allOf",
                                                           "minProperties",
                                                           "maxProperties"};
    return keywords;
}

std::vector<problem> lint_schema(const json::value& text) {
    std::vector<problem> found;
    lint_node(text, "", found);
    if (string_member(text, "type") != "object")
        found.push_back(
            {code::invalid_argument, "schema: the root must have \"type\": \"object\"", "describe one object", ""});
    return found;
}

}  // namespace gdalmcp::base
