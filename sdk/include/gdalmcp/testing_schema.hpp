// gdalmcp/testing_schema.hpp — the JSON Schema keywords a host enforces, for gdalmcp/testing.hpp.
#pragma once
#include <gdalmcp/testing_json.hpp>

#include <algorithm>
#include <regex>

namespace gdalmcp::testing {

namespace detail {

inline bool same(const json& a, const json& b) {
    if (a.kind == GDALMCP_NUMBER || b.kind == GDALMCP_NUMBER)
        return (a.kind == GDALMCP_INTEGER || a.kind == GDALMCP_NUMBER) &&
               (b.kind == GDALMCP_INTEGER || b.kind == GDALMCP_NUMBER) && a.number == b.number;
    return write(a) == write(b);
}

inline bool of_type(const json& v, std::string_view type) {
    switch (v.kind) {
        case GDALMCP_NULL:
            return type == "null";
        case GDALMCP_BOOL:
            return type == "boolean";
        case GDALMCP_INTEGER:
            return type == "integer" || type == "number";
        case GDALMCP_NUMBER:
            return type == "number";
        case GDALMCP_STRING:
            return type == "string";
        case GDALMCP_ARRAY:
            return type == "array";
        default:
            return type == "object";
    }
}

// The limit of a numeric keyword, if the schema has it.
inline std::optional<double> limit(const json& schema, std::string_view keyword) {
    const auto* l = schema.find(keyword);
    return l ? std::optional{l->number} : std::nullopt;
}

inline std::string count_against(const json& schema, std::size_t n, std::string_view least, std::string_view most) {
    const auto is = static_cast<double>(n);
    if (const auto l = limit(schema, least); l && is < *l) return "less than " + std::string{least};
    if (const auto l = limit(schema, most); l && is > *l) return "more than " + std::string{most};
    return {};
}

inline std::string number_against(const json& schema, double v) {
    if (const auto l = limit(schema, "minimum"); l && v < *l) return "below " + gdalmcp::detail::number(*l);
    if (const auto l = limit(schema, "maximum"); l && v > *l) return "above " + gdalmcp::detail::number(*l);
    if (const auto l = limit(schema, "exclusiveMinimum"); l && v <= *l)
        return "not above " + gdalmcp::detail::number(*l);
    if (const auto l = limit(schema, "exclusiveMaximum"); l && v >= *l)
        return "not below " + gdalmcp::detail::number(*l);
    if (const auto l = limit(schema, "multipleOf"); l && std::remainder(v, *l) != 0)
        return "no multiple of " + gdalmcp::detail::number(*l);
    return {};
}

inline std::string string_against(const json& schema, const std::string& text) {
    const auto characters =
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
    if (auto why = count_against(schema, static_cast<std::size_t>(characters), "minLength", "maxLength"); !why.empty())
        return why;
    const auto* pattern = schema.find("pattern");
    if (pattern && !std::regex_search(text, std::regex{pattern->text})) return "not of the form " + pattern->text;
    return {};
}

}  // namespace detail

// Why the value violates the schema, with its location; empty: it is valid.
inline std::string check(const json& schema, const json& v, const std::string& at = "");

namespace detail {

inline std::string members_against(const json& schema, const json& v, const std::string& at) {
    const auto* properties = schema.find("properties");
    if (const auto* required = schema.find("required"))
        for (const auto& name : required->items)
            if (!v.find(name.text)) return "'" + at + "/" + name.text + "' is missing";
    const auto* others = schema.find("additionalProperties");
    for (std::size_t i = 0; i < v.names.size(); ++i) {
        const auto here = gdalmcp::detail::pointer(at, v.names[i]);
        const auto* declared = properties ? properties->find(v.names[i]) : nullptr;
        if (!declared && others && others->kind == GDALMCP_BOOL && !others->flag)
            return "'" + here + "' is not declared";
        if (!declared && others && others->kind == GDALMCP_OBJECT) declared = others;
        if (declared)
            if (auto why = check(*declared, v.items[i], here); !why.empty()) return why;
    }
    return {};
}

inline std::string items_against(const json& schema, const json& v, const std::string& at) {
    const auto* items = schema.find("items");
    for (std::size_t i = 0; items && i < v.items.size(); ++i)
        if (auto why = check(*items, v.items[i], at + "/" + std::to_string(i)); !why.empty()) return why;
    const auto* unique = schema.find("uniqueItems");
    if (unique && unique->flag)
        for (std::size_t i = 0; i < v.items.size(); ++i)
            for (std::size_t k = 0; k < i; ++k)
                if (same(v.items[i], v.items[k])) return "'" + at + "' holds a value twice";
    return {};
}

inline std::string branches_against(const json& schema, const json& v, const std::string& at) {
    for (const char* keyword : {"anyOf", "oneOf", "allOf"}) {
        const auto* branches = schema.find(keyword);
        if (!branches) continue;
        std::size_t fit = 0;
        std::string first;
        for (const auto& b : branches->items) {
            const auto why = check(b, v, at);
            fit += why.empty() ? 1 : 0;
            if (first.empty()) first = why;
        }
        const std::string_view word{keyword};
        const bool ok = word == "anyOf" ? fit > 0 : word == "oneOf" ? fit == 1 : fit == branches->items.size();
        if (!ok) return first.empty() ? "'" + at + "' fits more than one of oneOf" : first;
    }
    return {};
}

}  // namespace detail

inline std::string check(const json& schema, const json& v, const std::string& at) {
    const auto say = [&](const std::string& why) { return "'" + at + "' is " + write(v) + ": " + why; };
    if (const auto type = schema.text_of("type"); !type.empty() && !detail::of_type(v, type))
        return say("not of type " + std::string{type});
    if (const auto* c = schema.find("const"); c && !detail::same(*c, v)) return say("not " + write(*c));
    if (const auto* e = schema.find("enum");
        e && std::none_of(e->items.begin(), e->items.end(), [&](const json& one) { return detail::same(one, v); }))
        return say("not one of " + write(*e));
    if (auto why = detail::branches_against(schema, v, at); !why.empty()) return why;
    std::string why;
    if (v.kind == GDALMCP_INTEGER || v.kind == GDALMCP_NUMBER) why = detail::number_against(schema, v.number);
    if (v.kind == GDALMCP_STRING) why = detail::string_against(schema, v.text);
    if (v.kind == GDALMCP_ARRAY) why = detail::count_against(schema, v.items.size(), "minItems", "maxItems");
    if (v.kind == GDALMCP_OBJECT) why = detail::count_against(schema, v.items.size(), "minProperties", "maxProperties");
    if (!why.empty()) return say(why);
    if (v.kind == GDALMCP_ARRAY) return detail::items_against(schema, v, at);
    return v.kind == GDALMCP_OBJECT ? detail::members_against(schema, v, at) : "";
}

// Adds missing members that have a default, at any depth.
inline void fill_defaults(const json& schema, json& v) {
    if (const auto* properties = schema.find("properties"); properties && v.kind == GDALMCP_OBJECT)
        for (std::size_t i = 0; i < properties->names.size(); ++i) {
            const auto& p = properties->items[i];
            if (const auto* fallback = p.find("default"); fallback && !v.find(properties->names[i]))
                v.member(properties->names[i]) = *fallback;
            else if (v.find(properties->names[i]))
                fill_defaults(p, v.member(properties->names[i]));
        }
    if (const auto* items = schema.find("items"); items && v.kind == GDALMCP_ARRAY)
        for (auto& one : v.items) fill_defaults(*items, one);
}

}  // namespace gdalmcp::testing
