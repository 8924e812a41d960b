#include "catalog/subschemas.hpp"

#include "base/pointer.hpp"

namespace gdalmcp::catalog {

void for_each_subschema(const json::value& root, const std::string& at,
                        const std::function<void(const json::value& schema, const std::string& at)>& visit) {
    visit(root, at);
    for (const char* keyword : {"items", "additionalProperties"})
        if (const auto* child = base::find_member(root, keyword); child && child->is_object())
            for_each_subschema(*child, at + "/" + keyword, visit);
    if (const auto* properties = base::find_member(root, "properties"); properties && properties->is_object())
        for (const auto& p : properties->get_object())
            for_each_subschema(p.value(), at + "/properties/" + base::escape_token(p.key()), visit);
    for (const char* keyword : {"anyOf", "oneOf", "allOf"})
        if (const auto* branches = base::find_member(root, keyword); branches && branches->is_array())
            for (std::size_t i = 0; i < branches->get_array().size(); ++i)
                for_each_subschema(branches->get_array()[i], at + "/" + keyword + "/" + std::to_string(i), visit);
}

}  // namespace gdalmcp::catalog
