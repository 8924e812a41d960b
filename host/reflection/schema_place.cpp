#include "reflection/schema_place.hpp"

#include <algorithm>

#include "base/pointer.hpp"

namespace gdalmcp::reflection {
namespace {

using base::find_member;
using base::string_member;

bool has_branches(const json::value& node) {
    return find_member(node, "anyOf") || find_member(node, "oneOf") || find_member(node, "allOf");
}

bool is_required(const json::value& node, std::string_view name) {
    const auto* required = find_member(node, "required");
    return required && required->is_array() &&
           std::find(required->get_array().begin(), required->get_array().end(), json::value(name)) !=
               required->get_array().end();
}

}  // namespace

schema_place find_place(const json::value& schema, std::string_view pointer) {
    schema_place here;
    here.schema = &schema;
    while (!pointer.empty()) {
        const auto end = std::min(pointer.find('/', 1), pointer.size());
        const auto token = pointer.substr(1, end - 1);
        pointer.remove_prefix(end);
        const auto& node = *here.schema;
        const auto type = string_member(node, "type");
        if (has_branches(node)) return {true, false, nullptr};
        const auto* properties = find_member(node, "properties");
        const json::value* next = nullptr;
        std::string_view name;
        if (properties && properties->is_object())
            for (const auto& p : properties->get_object())
                if (base::escape_token(p.key()) == token) name = p.key(), next = &p.value();
        if (next) {
            here.always = here.always && (is_required(node, name) || find_member(*next, "default"));
        } else {
            here.always = false;
            if (type == "array") next = find_member(node, "items");
            const auto* others = find_member(node, "additionalProperties");
            const bool closed = others && others->is_bool() && !others->get_bool();
            if (closed || (!type.empty() && type != "object" && type != "array")) return {false, false, nullptr};
        }
        if (!next) return {true, false, nullptr};
        here.schema = next;
    }
    return here;
}

}  // namespace gdalmcp::reflection
