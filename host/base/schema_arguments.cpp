#include "base/schema_arguments.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "base/crs_spelling.hpp"
#include "base/schema.hpp"
#include "base/schema_walk.hpp"
#include "base/text.hpp"

namespace gdalmcp::base {
namespace {

// The types a value may have here, as far as declared; without any, a string stays a string. A branch restricted to
// certain values counts for those only.
std::set<std::string_view> types_of(const json::value& node, const json::value& instance) {
    if (const auto* values = find_member(node, "enum"); values && values->is_array() && instance.is_string()) {
        const auto& all = values->get_array();
        if (std::find(all.begin(), all.end(), instance) == all.end()) return {};
    }
    const auto* only = find_member(node, "const");
    if (only && only->is_string() && *only != instance) return {};
    if (const auto type = string_member(node, "type"); !type.empty()) return {type};
    bool branched = false;
    std::set<std::string_view> types;
    for (const char* keyword : {"anyOf", "oneOf"})
        if (const auto* branches = find_member(node, keyword); branches && branches->is_array())
            for (const auto& branch : branches->get_array()) {
                types.merge(types_of(branch, instance));
                branched = true;
            }
    if (!branched && (!only || only->is_string())) types.insert("string");
    return types;
}

bool fits(const json::value& v, const std::set<std::string_view>& types) {
    const auto has = [&](const char* t) { return types.count(t) != 0; };
    if (v.is_object()) return has("object");
    if (v.is_array()) return has("array");
    if (v.is_bool()) return has("boolean");
    if (v.is_int64() || v.is_uint64()) return has("integer") || has("number");
    return v.is_double() && has("number");
}

// The JSON a text represents; Python writes True and False.
std::optional<json::value> meant_by(std::string_view text, const std::set<std::string_view>& types) {
    for (const bool truth : {true, false})
        if (types.count("boolean") && lower_ascii(text) == (truth ? "true" : "false")) return truth;
    auto parsed = parse_json(text);
    if (!parsed || !fits(*parsed, types)) return std::nullopt;
    return std::move(*parsed);
}

// The `enum` value meant by a word: an equal one, that of a synonym, or the only one spelled alike.
std::optional<json::value> choice_of(const json::value& node, const json::value& word) {
    const auto* values = find_member(node, "enum");
    if (!values || !values->is_array()) return std::nullopt;
    const auto& all = values->get_array();
    if (std::find(all.begin(), all.end(), word) != all.end()) return word;
    const auto wanted = folded(word.get_string());
    if (const auto* synonyms = find_member(node, synonyms_keyword); synonyms && synonyms->is_object())
        for (const auto& s : synonyms->get_object())
            if (folded(s.key()) == wanted) return s.value();
    std::optional<json::value> found;
    for (const auto& v : all)
        if (v.is_string() && folded(v.get_string()) == wanted) {
            if (found) return std::nullopt;
            found = v;
        }
    return found;
}

// Where any text is allowed, a text is taken literally.
void choose(const json::value& node, json::value& word) {
    if (auto choice = choice_of(node, word)) {
        word = std::move(*choice);
        return;
    }
    if (const auto* branches = find_member(node, "anyOf"); branches && branches->is_array()) {
        const auto& all = branches->get_array();
        const auto any_text = [](const json::value& b) {
            return string_member(b, "type") == "string" && !find_member(b, "enum");
        };
        if (std::any_of(all.begin(), all.end(), any_text)) return;
        for (const auto& b : all)
            if (auto choice = choice_of(b, word)) {
                word = std::move(*choice);
                return;
            }
    }
}

// The schema of an object: the node, or its only branch for objects; nullptr: there are several.
const json::value* object_form(const json::value& node) {
    const json::value* of = &node;
    std::size_t branches_for_objects = 0;
    for (const char* keyword : {"anyOf", "oneOf"})
        if (const auto* branches = find_member(node, keyword); branches && branches->is_array())
            for (const auto& b : branches->get_array())
                if (string_member(b, "type") == "object" && ++branches_for_objects) of = &b;
    return branches_for_objects > 1 ? nullptr : of;
}

const json::object* properties_of(const json::value& node) {
    const auto* form = object_form(node);
    const auto* properties = form ? find_member(*form, "properties") : nullptr;
    return properties ? properties->if_object() : nullptr;
}

bool requires_member(const json::value& node, std::string_view name) {
    const auto* form = object_form(node);
    const auto* required = form ? find_member(*form, "required") : nullptr;
    if (!required || !required->is_array()) return false;
    const auto& all = required->get_array();
    return std::find(all.begin(), all.end(), json::value(name)) != all.end();
}

// Clients that fill in every member of a schema give null for what they leave out.
void leave_out_nulls(const json::value& node, const json::object& properties, json::object& instance) {
    for (const auto& p : properties)
        if (const auto* member = instance.if_contains(p.key());
            member && member->is_null() && !requires_member(node, p.key()))
            instance.stable_erase(p.key());
}

bool is_crs(const json::value& node) {
    const auto role = string_member(node, "x-gdalmcp");
    return role == "crs" || role == "output-crs";
}

}  // namespace

void reify(const json::value& node, json::value& instance) {
    if (is_crs(node)) spell_crs(instance);
    if (instance.is_string()) {
        choose(node, instance);
        const auto types = types_of(node, instance);
        if (types.empty() || types.count("string")) return;
        if (auto meant = meant_by(instance.get_string(), types)) instance = std::move(*meant);
    }
    if (auto* o = instance.if_object()) {
        if (const auto* properties = properties_of(node)) {
            leave_out_nulls(node, *properties, *o);
            for (auto& m : *o)
                if (const auto* p = properties->if_contains(m.key())) reify(*p, m.value());
        }
    } else if (auto* a = instance.if_array()) {
        if (const auto* items = items_of(node))
            for (auto& e : *a) reify(*items, e);
    }
}

void fill_defaults(const json::value& node, json::value& instance) {
    if (auto* o = instance.if_object()) {
        const auto* properties = properties_of(node);
        if (!properties) return;
        for (const auto& p : *properties) {
            auto* member = o->if_contains(p.key());
            if (const auto* fallback = find_member(p.value(), "default"); !member && fallback)
                member = &o->emplace(p.key(), *fallback).first->value();
            if (member) fill_defaults(p.value(), *member);
        }
    } else if (auto* a = instance.if_array()) {
        if (const auto* items = find_member(node, "items"))
            for (auto& e : *a) fill_defaults(*items, e);
    }
}

}  // namespace gdalmcp::base
