#include "base/schema.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "base/crs_spelling.hpp"
#include "base/near_names.hpp"
#include "base/pointer.hpp"
#include "base/text.hpp"
#include "base/text_pattern.hpp"

#define VALIJSON_USE_EXCEPTIONS 1  // else a malformed keyword aborts the process
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Woverloaded-virtual"
#include <valijson/adapters/boost_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#pragma GCC diagnostic pop

namespace gdalmcp::base {
namespace {

constexpr std::size_t max_shown = 120;  // bytes of a value or name in a message

// valijson does not accept an integer beyond 63 bits as a number; a double it does.
bool holds_unsigned(const json::value& v) {
    if (const auto* a = v.if_array()) return std::any_of(a->begin(), a->end(), holds_unsigned);
    if (const auto* o = v.if_object())
        return std::any_of(o->begin(), o->end(), [](const auto& m) { return holds_unsigned(m.value()); });
    return v.is_uint64() && v.get_uint64() > static_cast<std::uint64_t>(INT64_MAX);
}

json::value with_doubles(json::value v) {
    if (auto* u = v.if_uint64(); u && *u > static_cast<std::uint64_t>(INT64_MAX)) return static_cast<double>(*u);
    if (auto* a = v.if_array())
        for (auto& e : *a) e = with_doubles(std::move(e));
    if (auto* o = v.if_object())
        for (auto& m : *o) m.value() = with_doubles(std::move(m.value()));
    return v;
}

bool is_annotation(std::string_view keyword) {
    constexpr std::string_view annotations[] = {"title", "description", "default", "examples", "format"};
    return std::find(std::begin(annotations), std::end(annotations), keyword) != std::end(annotations) ||
           keyword.substr(0, 2) == "x-";
}

void lint_node(const json::value& node, const std::string& at, std::vector<problem>& found);

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

// "<root>", "[\"bands\"]", "[0]" -> "/bands/0"
std::string pointer_of(const std::vector<std::string>& context) {
    std::string at;
    for (const auto& step : context) {
        if (step.size() < 2 || step.front() != '[') continue;
        auto token = step.substr(1, step.size() - 2);
        if (token.size() >= 2 && token.front() == '"') token = token.substr(1, token.size() - 2);
        at += "/" + escape_token(token);
    }
    return at;
}

// The schema of a list's items, also if the list is one of several alternatives.
const json::value* items_of(const json::value& node) {
    if (const auto* items = find_member(node, "items")) return items;
    if (const auto* branches = find_member(node, "anyOf"); branches && branches->is_array())
        for (const auto& b : branches->get_array())
            if (const auto* items = find_member(b, "items")) return items;
    return nullptr;
}

struct located {
    const json::value* node = nullptr;  // the subschema; nullptr when there is none
    std::string_view described;         // its description, or that of what it is part of
};

// The subschema for the instance location `at`, following properties and items.
located schema_at(const json::value& root, std::string_view at) {
    located found{&root, string_member(root, "description")};
    while (found.node && !at.empty()) {
        at.remove_prefix(1);
        const auto end = std::min(at.find('/'), at.size());
        const auto token = at.substr(0, end);
        at.remove_prefix(end);
        if (const auto* properties = find_member(*found.node, "properties"))
            found.node = at_pointer(*properties, "/" + std::string{token});
        else
            found.node = items_of(*found.node);
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
    if (const auto* required = find_member(node, "required"); required && required->is_array())
        for (const auto& name : required->get_array())
            if (name.is_string() && !o->contains(name.get_string())) {
                const auto* wanted = properties ? find_member(*properties, name.get_string()) : nullptr;
                return problem{
                    code::invalid_argument,
                    where + (several ? " lack" : " lacks") + " the required member '" + std::string{name.get_string()} +
                        "'",
                    wanted ? "give it: " + std::string{string_member(*wanted, "description", expectation(*wanted))}
                           : "",
                    at + "/" + escape_token(name.get_string())};
            }
    const auto* additional = find_member(node, "additionalProperties");
    if (properties && additional && additional->is_bool() && !additional->get_bool()) {
        std::string known;
        std::vector<std::string> names;
        for (const auto& m : properties->get_object()) {
            known += (known.empty() ? "" : ", ") + std::string{m.key()};
            names.emplace_back(m.key());
        }
        for (const auto& m : *o)
            if (!find_member(*properties, m.key()))
                return problem{
                    code::invalid_argument,
                    where + (several ? " have" : " has") + " no member '" + shortened(m.key(), max_shown) + "'",
                    known.empty() ? "it takes no members"
                                  : did_you_mean(nearest(names, std::string{m.key()})) + "known members: " + known,
                    at + "/" + escape_token(m.key())};
    }
    return std::nullopt;
}

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

bool is_crs(const json::value& node) {
    const auto role = string_member(node, "x-gdalmcp");
    return role == "crs" || role == "output-crs";
}

void reify_node(const json::value& node, json::value& instance) {
    if (is_crs(node)) spell_crs(instance);
    if (instance.is_string()) {
        choose(node, instance);
        const auto types = types_of(node, instance);
        if (types.empty() || types.count("string")) return;
        if (auto meant = meant_by(instance.get_string(), types)) instance = std::move(*meant);
    }
    if (auto* o = instance.if_object()) {
        if (const auto* properties = find_member(node, "properties"))
            for (auto& m : *o)
                if (const auto* p = find_member(*properties, m.key())) reify_node(*p, m.value());
    } else if (auto* a = instance.if_array()) {
        if (const auto* items = items_of(node))
            for (auto& e : *a) reify_node(*items, e);
    }
}

void fill_node(const json::value& node, json::value& instance) {
    if (auto* o = instance.if_object()) {
        const auto* properties = find_member(node, "properties");
        if (!properties || !properties->is_object()) return;
        for (const auto& p : properties->get_object()) {
            auto* member = o->if_contains(p.key());
            if (const auto* fallback = find_member(p.value(), "default"); !member && fallback)
                member = &o->emplace(p.key(), *fallback).first->value();
            if (member) fill_node(p.value(), *member);
        }
    } else if (auto* a = instance.if_array()) {
        if (const auto* items = find_member(node, "items"))
            for (auto& e : *a) fill_node(*items, e);
    }
}

// The schema given to valijson. Without patterns: valijson matches them by std::regex, which recurses for every
// character and can take exponential time. With every multipleOf as a double: against an integer it truncates the
// number checked, which is undefined beyond 64 bits.
void prepare_for_validator(json::value& node) {
    if (auto* o = node.if_object()) {
        o->erase("pattern");
        if (auto* m = o->if_contains("multipleOf")) *m = m->to_number<double>();
    }
    each_subschema(node, prepare_for_validator);
}

struct misfit {
    std::string at;             // of a text
    const json::value* schema;  // whose pattern it does not match
};

// The first mismatch of an instance; nothing if every text matches its pattern.
std::optional<misfit> unmatched(const json::value& node, const json::value& instance, const std::string& at) {
    const auto* pattern = find_member(node, "pattern");
    const auto* text = instance.if_string();
    if (pattern && text && !matches(pattern->get_string(), *text)) return misfit{at, &node};
    std::optional<misfit> found;
    const auto look = [&](const json::value& sub, const json::value& part, const std::string& where) {
        if (!found) found = unmatched(sub, part, where);
    };
    if (const auto* all = find_member(node, "allOf"))
        for (const auto& sub : all->get_array()) look(sub, instance, at);
    if (const auto* o = instance.if_object()) {
        const auto* properties = find_member(node, "properties");
        const auto* others = find_member(node, "additionalProperties");
        for (const auto& m : *o) {
            const auto* sub = properties ? find_member(*properties, m.key()) : nullptr;
            if (sub || (others && others->is_object()))
                look(sub ? *sub : *others, m.value(), at + "/" + escape_token(m.key()));
        }
    } else if (const auto* a = instance.if_array()) {
        if (const auto* items = find_member(node, "items"))
            for (std::size_t i = 0; i < a->size(); ++i) look(*items, (*a)[i], at + "/" + std::to_string(i));
    }
    return found;
}

}  // namespace

struct schema::parts {
    json::value text;

    // Created at the first check: of a hundred loaded bundles, few are called.
    struct machine {
        valijson::Schema compiled;
        valijson::Validator validator{valijson::Validator::kStrongTypes};
    };
    mutable std::mutex one_at_a_time;
    mutable std::unique_ptr<machine> made;

    // Throws valijson's exceptions.
    bool validate(const json::value& instance, valijson::ValidationResults& results) const {
        const std::lock_guard lock{one_at_a_time};
        if (!made) {
            auto fresh = std::make_unique<machine>();
            valijson::SchemaParser parser{valijson::SchemaParser::kDraft7};
            auto shown = text;
            prepare_for_validator(shown);
            parser.populateSchema(valijson::adapters::BoostJsonAdapter{shown}, fresh->compiled);
            made = std::move(fresh);
        }
        if (!holds_unsigned(instance))
            return made->validator.validate(made->compiled, valijson::adapters::BoostJsonAdapter{instance}, &results);
        const auto seen = with_doubles(instance);
        return made->validator.validate(made->compiled, valijson::adapters::BoostJsonAdapter{seen}, &results);
    }
};

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

result<schema> schema::compile(const json::value& text) {
    if (auto found = lint_schema(text); !found.empty()) return tl::unexpected{found.front()};
    auto p = std::make_shared<parts>();
    p->text = text;
    return schema{std::move(p)};
}

result<void> schema::check(const json::value& instance, std::string_view whole) const {
    valijson::ValidationResults results;
    valijson::ValidationResults::Error first;
    std::string at;
    const json::value* node = nullptr;
    std::string_view described;
    try {
        if (parts_->validate(instance, results)) {
            const auto text = unmatched(parts_->text, instance, "");
            if (!text) return {};
            at = text->at;
            node = text->schema;
            described = schema_at(parts_->text, at).described;
        } else {
            results.popError(first);
            at = pointer_of(first.context);
            const auto found = schema_at(parts_->text, at);
            node = found.node;
            described = found.described;
        }
    } catch (const std::exception& e) {  // a keyword whose value is of the wrong type
        return fail(code::invalid_argument, std::string{"cannot be checked: "} + e.what());
    }
    const auto* value = at_pointer(instance, at);
    if (!value || !node) return fail(code::invalid_argument, first.description, "", at);
    if (auto members = member_problem(*node, *value, at, whole)) return tl::unexpected{std::move(*members)};
    const auto wanted = expectation(*node);
    return fail(code::invalid_argument,
                (at.empty() ? std::string{whole} + (whole.ends_with('s') ? " are " : " is ") : "'" + at + "' is ") +
                    shortened(write_json(*value), max_shown) + "; it must be " + wanted,
                did_you_mean(near_values(*node, *value)) + std::string{described}, at);
}

void schema::reify(json::value& instance) const { reify_node(parts_->text, instance); }
void schema::fill_defaults(json::value& instance) const { fill_node(parts_->text, instance); }
const json::value& schema::text() const { return parts_->text; }

}  // namespace gdalmcp::base
