#include "reflection/spec_text.hpp"

#include <algorithm>

#include "base/schema.hpp"
#include "base/text.hpp"

namespace gdalmcp::reflection::spec_text {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

// Shape only; what JSON Schema cannot say (names that refer to each other) follows below. scope, critical_when, checks
// and evidence are kept as they are.
constexpr const char* spec_schema = R"({
  "type": "object", "additionalProperties": false,
  "required": ["domain", "title", "prompt", "risk", "question", "key", "tools"],
  "properties": {
    "domain": {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,63}$"},
    "title": {"type": "string", "minLength": 1, "maxLength": 80},
    "prompt": {"type": "string", "minLength": 1},
    "methodology": {"type": "string", "minLength": 1},
    "risk": {"type": "string", "enum": ["low", "medium", "high"]},
    "question": {"type": "string", "minLength": 1, "maxLength": 200},
    "nudge": {"type": "string", "maxLength": 200},
    "way_out": {"type": "string", "maxLength": 200},
    "key": {"type": "object", "minProperties": 1},
    "choice": {"type": "string"},
    "tools": {"type": "object", "additionalProperties": {"type": "object"}},
    "not_needed_when": {"type": "array", "items": {"type": "object"}},
    "critical_when": {"type": "array", "items": {"type": "object"}},
    "scope": {"type": "object"},
    "policy": {"type": "object", "additionalProperties": false, "properties": {
      "missing": {"type": "string", "enum": ["block", "warn"]},
      "stale": {"type": "string", "enum": ["block", "warn"]},
      "revisit": {"type": "string", "enum": ["block", "warn"]},
      "min_confidence": {"type": "string", "enum": ["low", "medium", "medium-high", "high"]},
      "max_age_days": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}}},
    "checks": {"type": "array", "items": {"type": "object"}},
    "evidence": {"type": "array", "items": {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,63}$"}}}})";

constexpr const char* key_schema = R"({
  "type": "object", "additionalProperties": false, "required": ["normalise"], "properties": {
    "normalise": {"type": "string", "enum": ["crs", "synonym", "geometry", "number", "lower", "text"]},
    "table": {"type": "object", "additionalProperties": {"type": "string"}},
    "list": {"type": "boolean"},
    "ignore": {"type": "array", "items": {"type": "string"}},
    "optional": {"type": "boolean"},
    "crs_of": {"type": "string"}}})";

constexpr const char* extension_schema = R"({
  "type": "object", "additionalProperties": false, "required": ["extends", "tools"],
  "properties": {
    "extends": {"type": "string"},
    "tools": {"type": "object", "minProperties": 1, "additionalProperties": {"type": "object"}},
    "not_needed_when": {"type": "array", "items": {"type": "object"}}}})";

base::schema compiled(const char* text) { return base::schema::compile(base::parse_json(text).value()).value(); }

bool is_pointer(const json::value& v) { return v.is_string() && v.get_string().starts_with('/'); }

result<key_argument> parse_key(const std::string& name, const json::value& given) {
    static const auto shape = compiled(key_schema);
    static const std::map<std::string, form, std::less<>> forms = {
        {"crs", form::crs},       {"synonym", form::synonym}, {"geometry", form::geometry},
        {"number", form::number}, {"lower", form::lower},     {"text", form::text}};
    const auto at = "/key/" + name;
    if (name == "domain" || name == "prompt_hash")
        return fail(code::invalid_argument, at + ": a key argument may not have this name");
    const json::value text = given.is_string() ? json::value(json::object{{"normalise", given}}) : given;
    if (const auto ok = shape.check(text); !ok)
        return fail(code::invalid_argument, at + ": " + ok.error().message, ok.error().hint);
    key_argument k;
    k.name = name;
    k.normal.how = forms.at(std::string{base::string_member(text, "normalise")});
    k.normal.list = base::bool_member(text, "list");
    k.optional = base::bool_member(text, "optional");
    k.crs_of = base::string_member(text, "crs_of");
    if (const auto* table = base::find_member(text, "table"))
        for (const auto& m : table->get_object())
            k.normal.synonyms.emplace(base::lower_ascii(m.key()), std::string{m.value().get_string()});
    if (const auto* ignored = base::find_member(text, "ignore"))
        for (const auto& word : ignored->get_array()) k.normal.ignore.emplace_back(word.get_string());
    if (!k.normal.synonyms.empty() && k.normal.how != form::synonym)
        return fail(code::invalid_argument, at + "/table belongs to normalise: synonym");
    if (k.normal.list && (k.normal.how == form::geometry || k.normal.how == form::number))
        return fail(code::invalid_argument, at + "/list: lists of numbers or geometries have no normal form");
    return k;
}

result<key_source> parse_source(const json::value& text, const std::string& at) {
    key_source source;
    if (is_pointer(text)) {
        source.at = text.get_string();
        return source;
    }
    const auto* o = text.if_object();
    const auto has = [&](const char* name) { return o && o->contains(name); };
    const auto* pointer = base::find_member(text, has("fact") ? "fact" : "pointer");
    if (has("value") && o->size() == 1) {
        source.from = key_source::origin::literal;
        source.value = o->at("value");
        return source;
    }
    if (pointer && is_pointer(*pointer)) {
        source.at = pointer->get_string();
        if (has("fact") && o->size() == 1) {
            source.from = key_source::origin::fact;
            return source;
        }
        if (o->size() == 1) return source;
        if (o->size() == 2 && base::string_member(text, "part") == "extension") {
            source.from = key_source::origin::extension;
            return source;
        }
        if (o->size() == 2 && !base::string_member(text, "option").empty()) {
            source.from = key_source::origin::option;
            source.option = base::lower_ascii(base::string_member(text, "option"));
            return source;
        }
    }
    return fail(code::invalid_argument, at + " is no source: " + base::write_json(text),
                "write /pointer, {pointer: /p}, {pointer: /p, part: extension}, {pointer: /p, option: NAME}, "
                "{fact: /p} or {value: v}; or a list of these, the first present one counts");
}

result<std::map<std::string, governed_tool, std::less<>>> parse_tools(const json::object& text) {
    std::map<std::string, governed_tool, std::less<>> tools;
    for (const auto& t : text) {
        governed_tool key;
        for (const auto& m : t.value().get_object()) {
            const auto at = "/tools/" + std::string{t.key()} + "/" + std::string{m.key()};
            const json::array single{m.value()};
            const auto& list = m.value().is_array() ? m.value().get_array() : single;
            for (const auto& one : list) {
                auto source = parse_source(one, at);
                if (!source) return tl::unexpected{source.error()};
                key[std::string{m.key()}].push_back(std::move(*source));
            }
        }
        tools.emplace(std::string{t.key()}, std::move(key));
    }
    return tools;
}

result<std::vector<condition>> parse_conditions(const json::value& text, const char* field) {
    std::vector<condition> out;
    const auto* list = base::find_member(text, field);
    if (!list) return out;
    for (std::size_t i = 0; i < list->get_array().size(); ++i) {
        auto c = parse_condition(list->get_array()[i], "/" + std::string{field} + "/" + std::to_string(i));
        if (!c) return tl::unexpected{c.error()};
        out.push_back(std::move(*c));
    }
    return out;
}

result<void> check_references(const spec& s) {
    if (!s.find_key(s.choice))
        return fail(code::invalid_argument, "/choice is '" + s.choice + "', which is no key argument");
    for (const auto& k : s.key)
        if (const auto* of = s.find_key(k.crs_of); !k.crs_of.empty() && (!of || of->normal.how != form::geometry))
            return fail(code::invalid_argument, "/key/" + k.name + "/crs_of must name a geometry of the key");
    for (const auto& c : s.not_needed_when)
        if (auto ok = check_condition(s, c); !ok) return ok;
    for (const auto& [tool, key] : s.tools) {
        for (const auto& [argument, sources] : key)
            if (!s.find_key(argument))
                return fail(code::invalid_argument,
                            "/tools/" + tool + " maps '" + argument + "', which is no key argument");
        if (auto ok = check_mapping(s, tool, key); !ok) return ok;
    }
    return {};
}

policy parse_policy(const json::value& text) {
    policy p;
    const auto* given = base::find_member(text, "policy");
    if (!given) return p;
    p.missing_blocks = base::string_member(*given, "missing", "block") == "block";
    p.stale_blocks = base::string_member(*given, "stale", "warn") == "block";
    p.minimum = *confidence_of(base::string_member(*given, "min_confidence", "low"));
    return p;
}

}  // namespace

result<void> check_condition(const spec& s, const condition& c) {
    const auto& name = c.about == condition::subject::key ? c.at : c.equals;
    if (!name.empty() && !s.find_key(name))
        return fail(code::invalid_argument, "/not_needed_when speaks of '" + name + "', which is no key argument");
    for (const auto& part : c.parts)
        if (auto ok = check_condition(s, part); !ok) return ok;
    return {};
}

result<void> check_mapping(const spec& s, const std::string& tool, const governed_tool& key) {
    for (const auto& k : s.key)
        if (!k.optional && k.crs_of.empty() && !key.count(k.name))
            return fail(code::invalid_argument, "/tools/" + tool + " does not say where '" + k.name + "' comes from",
                        "map it, or declare the key argument optional");
    return {};
}

result<spec> parse(const json::value& text) {
    static const auto shape = compiled(spec_schema);
    if (auto ok = shape.check(text); !ok) return tl::unexpected{ok.error()};
    spec s;
    s.text = text;
    s.domain = base::string_member(text, "domain");
    s.title = base::string_member(text, "title");
    s.question = base::string_member(text, "question");
    s.nudge = base::string_member(text, "nudge");
    s.way_out = base::string_member(text, "way_out");
    s.risk = base::string_member(text, "risk");
    s.methodology = base::string_member(text, "methodology");
    for (const auto& m : base::find_member(text, "key")->get_object()) {
        auto k = parse_key(std::string{m.key()}, m.value());
        if (!k) return tl::unexpected{k.error()};
        s.key.push_back(std::move(*k));
    }
    s.choice = base::string_member(text, "choice", s.key.front().name);
    auto tools = parse_tools(base::find_member(text, "tools")->get_object());
    if (!tools) return tl::unexpected{tools.error()};
    s.tools = std::move(*tools);
    auto conditions = parse_conditions(text, "not_needed_when");
    if (!conditions) return tl::unexpected{conditions.error()};
    s.not_needed_when = std::move(*conditions);
    s.policy = parse_policy(text);
    // Read for their shape only.
    if (auto critical = parse_conditions(text, "critical_when"); !critical) return tl::unexpected{critical.error()};
    if (auto ok = check_references(s); !ok) return tl::unexpected{ok.error()};
    return s;
}

result<extension> parse_extension(const json::value& text) {
    static const auto shape = compiled(extension_schema);
    if (auto ok = shape.check(text); !ok) return tl::unexpected{ok.error()};
    auto tools = parse_tools(base::find_member(text, "tools")->get_object());
    if (!tools) return tl::unexpected{tools.error()};
    auto conditions = parse_conditions(text, "not_needed_when");
    if (!conditions) return tl::unexpected{conditions.error()};
    return extension{std::move(*tools), std::move(*conditions)};
}

}  // namespace gdalmcp::reflection::spec_text
