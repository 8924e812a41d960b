// Within the rooms' JSON Schemas: the schemas that a schema contains.
#pragma once
#include "base/json.hpp"

namespace gdalmcp::base {

// The schemas in a schema, const or not.
template <class Node, class Visit>
void each_subschema(Node& node, Visit visit) {
    auto* o = node.if_object();
    if (!o) return;
    for (const char* keyword : {"items", "additionalProperties"})
        if (auto* v = o->if_contains(keyword); v && v->is_object()) visit(*v);
    if (auto* properties = o->if_contains("properties"); properties && properties->is_object())
        for (auto&& p : properties->get_object()) visit(p.value());
    for (const char* keyword : {"anyOf", "oneOf", "allOf"})
        if (auto* branches = o->if_contains(keyword); branches && branches->is_array())
            for (auto& b : branches->get_array()) visit(b);
}

// The schema of a list's items, also if the list is one of several alternatives.
inline const json::value* items_of(const json::value& node) {
    if (const auto* items = find_member(node, "items")) return items;
    if (const auto* branches = find_member(node, "anyOf"); branches && branches->is_array())
        for (const auto& b : branches->get_array())
            if (const auto* items = find_member(b, "items")) return items;
    return nullptr;
}

}  // namespace gdalmcp::base
