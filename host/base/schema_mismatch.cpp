#include "base/schema_mismatch.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/near_names.hpp"
#include "base/pointer.hpp"
#include "base/schema.hpp"
#include "base/schema_walk.hpp"
#include "base/text.hpp"

namespace gdalmcp::base {
namespace {

constexpr std::size_t max_shown = 120;  // bytes of a value or name in a message

struct located {
    const json::value* node = nullptr;  // the subschema; nullptr when there is none
    std::string_view described;         // its description, or that of what it is part of
};

// The subschema for the instance location `at`, following properties, additionalProperties and items.
located schema_at(const json::value& root, std::string_view at) {
    located found{&root, string_member(root, "description")};
    while (found.node && !at.empty()) {
        at.remove_prefix(1);
        const auto end = std::min(at.find('/'), at.size());
        const auto token = at.substr(0, end);
        at.remove_prefix(end);
        const auto* properties = find_member(*found.node, "properties");
        const auto* next = properties ? at_pointer(*properties, "/" + std::string{token}) : items_of(*found.node);
        const auto* others = next ? nullptr : find_member(*found.node, "additionalProperties");
        found.node = others && others->is_object() ? others : next;
        if (const auto own = found.node ? string_member(*found.node, "description") : std::string_view{}; !own.empty())
            found.described = own;
    }
    return found;
}

std::string list_of(const json::value& values, std::string_view separator = ", ") {
    std::string out;
    if (const auto* a = values.if_array())
        for (const auto& v : *a) out += (out.empty() ? "" : std::string{separator}) + write_json(v);
    return out;
}

// The schema's expectation in words: "a number, at least 0, at most 100".
std::string expectation(const json::value& node) {
    std::string out;
    const auto add = [&](const std::string& part) { out += (out.empty() ? "" : ", ") + part; };
    if (const auto* e = find_member(node, "enum"))
        add("one of " + list_of(*e));
    else if (const auto type = string_member(node, "type"); !type.empty())
        add("of type " + std::string{type});
    if (const auto* any = find_member(node, "anyOf"); any && any->is_array()) {
        std::string choices;
        for (const auto& branch : any->get_array()) choices += (choices.empty() ? "" : " or ") + expectation(branch);
        add(choices);
    }
    const std::pair<const char*, const char*> bounds[] = {
        {"minimum", "at least "},          {"exclusiveMinimum", "greater than "},
        {"maximum", "at most "},           {"exclusiveMaximum", "less than "},
        {"minLength", "length at least "}, {"maxLength", "length at most "},
        {"minItems", "items at least "},   {"maxItems", "items at most "},
        {"pattern", "matching "},          {"const", "exactly "}};
    for (const auto& [keyword, words] : bounds)
        if (const auto* v = find_member(node, keyword)) add(words + write_json(*v));
    return out.empty() ? "a value the schema allows" : out;
}

// The values of an enum with their synonyms, branches included.
void add_words(const json::value& node, std::map<std::string, std::string>& words) {
    if (const auto* values = find_member(node, "enum"); values && values->is_array())
        for (const auto& v : values->get_array())
            if (const auto* s = v.if_string()) words.emplace(*s, *s);
    if (const auto* synonyms = find_member(node, synonyms_keyword); synonyms && synonyms->is_object())
        for (const auto& s : synonyms->get_object())
            if (const auto* value = s.value().if_string()) words.emplace(s.key(), *value);
    if (const auto* branches = find_member(node, "anyOf"); branches && branches->is_array())
        for (const auto& b : branches->get_array()) add_words(b, words);
}

std::string did_you_mean(const std::vector<std::string>& near) {
    return near.empty() ? "" : "did you mean " + joined(near) + "? ";
}

// The enum values closest to a word, by value or by synonym.
std::vector<std::string> near_values(const json::value& node, const json::value& instance) {
    const auto* word = instance.if_string();
    if (!word) return {};
    std::map<std::string, std::string> words;
    add_words(node, words);
    std::vector<std::string> known, near;
    for (const auto& [spelling, value] : words) known.push_back(spelling);
    for (const auto& spelling : nearest(known, std::string{*word}))
        if (std::find(near.begin(), near.end(), words[spelling]) == near.end()) near.push_back(words[spelling]);
    return near;
}

// The unknown or missing members, if those are what the validator rejected.
std::optional<problem> member_problem(const json::value& node, const json::value& instance, const std::string& at,
                                      std::string_view whole) {
    const auto* o = instance.if_object();
    if (!o) return std::nullopt;
    const auto* properties = find_member(node, "properties");
    const std::string where = at.empty() ? std::string{whole} : "'" + at + "'";
    const bool several = at.empty() && whole.ends_with('s');
    const auto* additional = find_member(node, "additionalProperties");
    std::vector<std::string> names, unknown;
    if (properties && additional && additional->is_bool() && !additional->get_bool()) {
        for (const auto& m : properties->get_object()) names.emplace_back(m.key());
        for (const auto& m : *o)
            if (!find_member(*properties, m.key())) unknown.emplace_back(m.key());
    }
    const auto suggestion = unknown.empty() ? "" : did_you_mean(nearest(names, unknown.front()));
    const auto shown = unknown.empty() ? "" : "'" + shortened(unknown.front(), max_shown) + "'";
    if (const auto* required = find_member(node, "required"); required && required->is_array())
        for (const auto& name : required->get_array())
            if (name.is_string() && !o->contains(name.get_string())) {
                const std::string missing{name.get_string()};
                const auto* wanted = properties ? find_member(*properties, missing) : nullptr;
                const auto misnamed = unknown.empty() ? "" : shown + " is unknown; " + suggestion;
                const auto give = "give " + (unknown.empty() ? "it" : "'" + missing + "'") + ": ";
                return problem{
                    code::invalid_argument,
                    where + (several ? " lack" : " lacks") + " the required member '" + missing + "'",
                    misnamed +
                        (wanted ? give + std::string{string_member(*wanted, "description", expectation(*wanted))} : ""),
                    at + "/" + escape_token(missing)};
            }
    if (unknown.empty()) return std::nullopt;
    std::string known;
    for (const auto& name : names) known += (known.empty() ? "" : ", ") + name;
    return problem{code::invalid_argument, where + (several ? " have" : " has") + " no member " + shown,
                   known.empty() ? "it takes no members" : suggestion + "known members: " + known,
                   at + "/" + escape_token(unknown.front())};
}

// The same where an object is one of several forms, and only one of them is an object.
std::optional<problem> branch_member_problem(const json::value& node, const json::value& instance,
                                             const std::string& at, std::string_view whole) {
    const auto* branches = find_member(node, "anyOf");
    if (!branches || !branches->is_array() || !instance.is_object()) return std::nullopt;
    const json::value* object = nullptr;
    for (const auto& b : branches->get_array()) {
        if (!find_member(b, "properties")) continue;
        if (object) return std::nullopt;
        object = &b;
    }
    return object ? member_problem(*object, instance, at, whole) : std::nullopt;
}

}  // namespace

const json::value* object_alternative(const json::value& schema, std::string_view at) {
    const auto* node = schema_at(schema, at).node;
    const auto* branches = node ? find_member(*node, "anyOf") : nullptr;
    if (!branches || !branches->is_array()) return nullptr;
    const json::value* only = nullptr;
    for (const auto& b : branches->get_array())
        if (find_member(b, "properties")) {
            if (only) return nullptr;
            only = &b;
        }
    return only;
}

problem mismatch(const misfit& found, const json::value& instance, std::string_view whole,
                 const std::string& otherwise) {
    const auto at = found.base + found.at;
    const auto [own, described] = schema_at(found.schema, found.at);
    const auto* node = found.violated ? found.violated : own;
    const auto* value = at_pointer(instance, found.at);
    if (!value || !node) return {code::invalid_argument, otherwise, "", at};
    if (auto members = member_problem(*node, *value, at, whole)) return std::move(*members);
    if (auto members = branch_member_problem(*node, *value, at, whole)) return std::move(*members);
    return {code::invalid_argument,
            (at.empty() ? std::string{whole} + (whole.ends_with('s') ? " are " : " is ") : "'" + at + "' is ") +
                shortened(write_json(*value), max_shown) + "; it must be " + expectation(*node),
            did_you_mean(near_values(*node, *value)) + std::string{described}, at};
}

}  // namespace gdalmcp::base
