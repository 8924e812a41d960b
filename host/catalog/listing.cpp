#include "catalog/listing.hpp"

#include <algorithm>

#include "catalog/lint.hpp"

namespace gdalmcp::catalog {
namespace {

using base::find_member;
using base::string_member;

bool is_listed(std::string_view keyword) { return keyword.substr(0, 2) != "x-" || keyword == header_keyword; }

bool is_host_member(std::string_view name) {
    return std::find(std::begin(host_members), std::end(host_members), name) != std::end(host_members);
}

// By its type alone.
json::value outline(const json::value& schema) {
    json::object shown;
    for (const char* keyword : {"type", "enum"})
        if (const auto* v = find_member(schema, keyword)) shown.emplace(keyword, *v);
    if (const auto* items = find_member(schema, "items")) shown.emplace("items", outline(*items));
    return shown;
}

json::array each(const json::value& schemas, json::value (*listed)(const json::value&)) {
    json::array shown;
    for (const auto& s : schemas.get_array()) shown.push_back(listed(s));
    return shown;
}

// A list that may be one bare value is shown as the list; the forms of a geometry are in its description.
void add_choice(json::object& shown, const json::value& argument) {
    const bool known = string_member(argument, "x-gdalmcp") == "geometry";
    auto any = each(argument.at("anyOf"), known ? outline : listed_arguments);
    const auto* items = any.size() == 2 ? find_member(any.front(), "items") : nullptr;
    if (items && *items == any.back())
        for (const auto& m : any.front().get_object()) shown.emplace(m.key(), m.value());
    else
        shown.emplace("anyOf", std::move(any));
}

// Empty texts and unknown members are refused with a hint, so the listing omits those rules.
bool goes_without_saying(std::string_view keyword, const json::value& value) {
    return (keyword == "minLength" && value == 1) || (keyword == "additionalProperties" && value == false);
}

// The unit a description ends with, " [m]" with its blank; empty: none, or the name says it, as in area_m2.
std::string unit_of(std::string_view name, const json::value& schema) {
    const auto about = string_member(schema, "description");
    const auto open = about.rfind('[');
    if (open == std::string_view::npos || about.back() != ']') return "";
    const auto unit = about.substr(open + 1, about.size() - open - 2);
    for (auto word = name; !word.empty(); word.remove_prefix(std::min(word.find('_'), word.size() - 1) + 1)) {
        const auto part = word.substr(0, word.find('_'));
        if (part == unit || std::string{part} + "s" == unit) return "";  // feature_count [features]
    }
    return " " + std::string{about.substr(open)};
}

// {a, b [m], c {d, e}, rows[] {f}}
std::string members_of(const json::value& schema) {
    const auto* properties = find_member(schema, "properties");
    if (!properties) return "";
    std::string names;
    for (const auto& p : properties->get_object()) {
        names += (names.empty() ? "" : ", ") + std::string{p.key()};
        const auto* items = find_member(p.value(), "items");
        const auto inner = members_of(items ? *items : p.value());
        names += inner.empty() ? unit_of(p.key(), p.value()) : (items ? "[] " : " ") + inner;
    }
    return "{" + names + "}";
}

// A member of the result: its parts go into its description.
json::object listed_member(const json::value& schema) {
    json::object shown;
    std::string about{string_member(schema, "description")};
    for (const char* keyword : {"type", "enum"})
        if (const auto* v = find_member(schema, keyword)) shown.emplace(keyword, *v);
    if (const auto* any = find_member(schema, "anyOf")) shown.emplace("anyOf", each(*any, outline));
    const auto* items = find_member(schema, "items");
    if (items) shown.emplace("items", outline(*items));
    if (const auto inner = members_of(items ? *items : schema); !inner.empty())
        about += (about.empty() ? "" : " ") + inner;
    if (!about.empty()) shown.emplace("description", std::move(about));
    return shown;
}

}  // namespace

json::value listed_arguments(const json::value& schema) {
    const auto* o = schema.if_object();
    if (!o) return schema;
    json::object shown;
    for (const auto& m : *o) {
        if (!is_listed(m.key()) || goes_without_saying(m.key(), m.value())) continue;
        if (m.key() == "anyOf") {
            add_choice(shown, schema);
            continue;
        }
        auto& value = shown[m.key()];
        if (m.key() == "properties") {
            auto& properties = value.emplace_object();
            for (const auto& p : m.value().get_object()) properties.emplace(p.key(), listed_arguments(p.value()));
        } else if (m.key() == "oneOf" || m.key() == "allOf") {
            value = each(m.value(), listed_arguments);
        } else {
            const bool is_schema = m.key() == "items" || m.key() == "additionalProperties";
            value = is_schema ? listed_arguments(m.value()) : m.value();
        }
    }
    return shown;
}

json::value listed_result(const json::value& schema) {
    json::object properties;
    if (const auto* declared = find_member(schema, "properties"))
        for (const auto& p : declared->get_object())
            if (!is_host_member(p.key())) properties.emplace(p.key(), listed_member(p.value()));
    return json::object{{"type", "object"}, {"properties", std::move(properties)}};
}

}  // namespace gdalmcp::catalog
