#include "reflection/spec_text.hpp"

#include <algorithm>

#include "base/near_names.hpp"
#include "base/pointer.hpp"
#include "base/schema.hpp"
#include "base/text.hpp"
#include "reflection/placeholders.hpp"
#include "reflection/spec_shape.hpp"

namespace gdalmcp::reflection::spec_text {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

tl::unexpected<base::problem> not_a_key_argument(const spec& s, const std::string& what, const std::string& name) {
    std::vector<std::string> known;
    for (const auto& k : s.key) known.push_back(k.name);
    const auto near = base::nearest(known, name);
    return fail(code::invalid_argument, what + " '" + base::shortened(name, 100) + "', which is not a key argument",
                (near.empty() ? "" : "did you mean " + base::joined(near) + "? ") + "the key arguments are " +
                    base::joined(known));
}

result<key_argument> parse_key(const std::string& name, const json::value& given) {
    static const std::map<std::string, form, std::less<>> forms = {
        {"crs", form::crs},       {"synonym", form::synonym}, {"geometry", form::geometry},
        {"number", form::number}, {"lower", form::lower},     {"text", form::text}};
    const auto at = "/key/" + name;
    if (name == "domain" || name == "prompt_hash")
        return fail(code::invalid_argument, at + ": a key argument may not have this name");
    const json::value text = given.is_string() ? json::value(json::object{{"normalise", given}}) : given;
    if (const auto ok = key_shape().check(text, "the key argument"); !ok)
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

result<std::map<std::string, governed_tool, std::less<>>> parse_tools(const json::object& text) {
    std::map<std::string, governed_tool, std::less<>> tools;
    for (const auto& t : text) {
        governed_tool key;
        for (const auto& m : t.value().get_object()) {
            auto sources = parse_sources(m.value(), "/tools/" + std::string{t.key()} + "/" + std::string{m.key()});
            if (!sources) return tl::unexpected{sources.error()};
            for (const auto& source : *sources)
                if (source.from == key_source::origin::key)
                    return fail(code::invalid_argument, "/tools/" + std::string{t.key()} + "/" + std::string{m.key()} +
                                                            ": a key argument cannot come from the key");
            key[std::string{m.key()}] = std::move(*sources);
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

// Of a message: its {key:…} name key arguments.
result<void> check_placeholders(const spec& s, const std::string& text, const std::string& field) {
    constexpr std::string_view key = "key:";
    const auto names = placeholders_of(text).value();
    for (const auto& name : names)
        if (name.starts_with(key) && !s.find_key(name.substr(key.size())))
            return not_a_key_argument(s, field + " names", name.substr(key.size()));
    return {};
}

// Of the conditions in a list.
result<void> check_conditions(const spec& s, const std::vector<condition>& all, const std::string& field) {
    for (std::size_t i = 0; i < all.size(); ++i)
        if (auto ok = check_condition(s, all[i], field + "/" + std::to_string(i)); !ok) return ok;
    return {};
}

result<void> check_notes(const spec& s, const std::vector<condition>& all, const std::string& field) {
    for (const auto& c : all) {
        if (const auto names = placeholders_of(c.note); !names)
            return fail(code::invalid_argument, field + ": " + names.error().message, names.error().hint);
        if (auto ok = check_placeholders(s, c.note, field); !ok) return ok;
    }
    return {};
}

result<void> check_references(const spec& s) {
    if (!s.find_key(s.choice)) return not_a_key_argument(s, "/choice is", s.choice);
    for (const auto& k : s.key)
        if (const auto* of = s.find_key(k.crs_of); !k.crs_of.empty() && (!of || of->normal.how != form::geometry))
            return fail(code::invalid_argument, "/key/" + k.name + "/crs_of must name a geometry of the key");
    if (auto ok = check_conditions(s, s.not_needed_when, "/not_needed_when"); !ok) return ok;
    if (auto ok = check_conditions(s, s.critical_when, "/critical_when"); !ok) return ok;
    if (auto ok = check_conditions(s, s.title_when, "/title_when"); !ok) return ok;
    if (auto ok = check_conditions(s, s.question_when, "/question_when"); !ok) return ok;
    if (auto ok = check_notes(s, s.not_needed_when, "/not_needed_when"); !ok) return ok;
    if (auto ok = check_notes(s, s.title_when, "/title_when"); !ok) return ok;
    if (auto ok = check_notes(s, s.question_when, "/question_when"); !ok) return ok;
    for (const auto& c : s.checks)
        for (const auto* text : {&c.message, &c.advice})
            if (auto ok = check_placeholders(s, *text, "/checks: '" + c.name + "'"); !ok) return ok;
    for (const auto& e : s.evidence)
        if (auto ok = check_evidence(s, e); !ok) return ok;
    for (const auto& step : s.plan)
        for (const auto& a : step.prompt_args)
            if (!s.find_key(a.key()) || a.key() == s.choice)
                return fail(code::invalid_argument, "/plan: '" + std::string{a.key()} +
                                                        "' is not a key argument other than the choice, '" + s.choice +
                                                        "'");
    for (const auto& i : s.implies) {
        auto named = i.keep;
        for (const auto* members : {&i.of, &i.key})
            for (const auto& m : *members) named.emplace_back(m.key());
        for (const auto& name : named)
            if (!s.find_key(name)) return not_a_key_argument(s, "/implies names", name);
        for (const auto& k : s.key)
            if (!k.optional && !i.key.contains(k.name) &&
                std::find(i.keep.begin(), i.keep.end(), k.name) == i.keep.end())
                return fail(code::invalid_argument, "/implies: the key lacks '" + k.name + "', which is not optional",
                            "give it in 'key', or name it in 'keep'");
    }
    for (const auto& [tool, key] : s.tools) {
        for (const auto& [argument, sources] : key)
            if (!s.find_key(argument)) return not_a_key_argument(s, "/tools/" + tool + " maps", argument);
        if (auto ok = check_mapping(s, tool, key); !ok) return ok;
    }
    return {};
}

template <class Entry>
result<std::vector<Entry>> parse_named(const json::value& text, const char* field,
                                       result<Entry> (*parse)(const std::string&, const json::value&)) {
    std::vector<Entry> out;
    const auto* given = base::find_member(text, field);
    if (!given) return out;
    for (const auto& m : given->get_object()) {
        auto entry = parse(std::string{m.key()}, m.value());
        if (!entry) return tl::unexpected{entry.error()};
        out.push_back(std::move(*entry));
    }
    return out;
}

result<std::vector<evidence_source>> parse_all_evidence(const json::value& text) {
    std::vector<evidence_source> out;
    const auto* given = base::find_member(text, "evidence");
    if (!given) return out;
    for (std::size_t i = 0; i < given->get_array().size(); ++i) {
        auto e = parse_evidence(given->get_array()[i], "/evidence/" + std::to_string(i));
        if (!e) return tl::unexpected{e.error()};
        out.push_back(std::move(*e));
    }
    return out;
}

// {choice_equals_arg: name} is always enforced; a spec may state it, and must then state it correctly.
result<std::vector<check>> parse_checks(const json::value& text, const spec& s) {
    std::vector<check> out;
    const auto* given = base::find_member(text, "checks");
    if (!given) return out;
    for (std::size_t i = 0; i < given->get_array().size(); ++i) {
        const auto& one = given->get_array()[i];
        const auto at = "/checks/" + std::to_string(i);
        if (const auto name = base::string_member(one, "choice_equals_arg"); !name.empty()) {
            if (name != s.choice)
                return fail(code::invalid_argument, at + "/choice_equals_arg is '" + std::string{name} +
                                                        "'; an answer's choice.method must equal '" + s.choice + "'");
            continue;
        }
        auto c = parse_check(one, at);
        if (!c) return tl::unexpected{c.error()};
        if (auto ok = check_condition(s, c->when, at + " (" + c->name + ")"); !ok) return tl::unexpected{ok.error()};
        // A conflict is accepted by the name of its check.
        if (std::any_of(out.begin(), out.end(), [&](const check& other) { return other.name == c->name; }))
            return fail(code::invalid_argument, at + ": the name '" + c->name + "' stands twice",
                        "give each check a name of its own");
        out.push_back(std::move(*c));
    }
    return out;
}

std::vector<planned_step> parse_plan(const json::value& text) {
    std::vector<planned_step> out;
    if (const auto* given = base::find_member(text, "plan"))
        for (const auto& step : given->get_array()) {
            planned_step p{std::string{base::string_member(step, "title")}, step.at("prompt_args").get_object(), {}};
            for (const auto& word : step.at("one_of").get_array()) p.one_of.emplace_back(word.get_string());
            out.push_back(std::move(p));
        }
    return out;
}

std::vector<implied_key> parse_implied(const json::value& text) {
    std::vector<implied_key> out;
    if (const auto* given = base::find_member(text, "implies"))
        for (const auto& one : given->get_array()) {
            implied_key i{one.at("of").get_object(), one.at("key").get_object(), {}};
            for (const auto& name : one.at("keep").get_array()) i.keep.emplace_back(name.get_string());
            out.push_back(std::move(i));
        }
    return out;
}

void find_evidence_in(const condition& c, std::set<std::string>& names) {
    constexpr std::string_view evidence = "/evidence/";
    if (c.about == condition::subject::fact && c.at.starts_with(evidence))
        names.insert(c.at.substr(evidence.size(), c.at.find('/', evidence.size()) - evidence.size()));
    for (const auto& part : c.parts) find_evidence_in(part, names);
}

// Scope and conditions name measured facts as /evidence/<name>/…
void find_judged_evidence(spec& s) {
    for (const auto& c : s.checks) find_evidence_in(c.when, s.judged_evidence);
    for (const auto* conditions : {&s.not_needed_when, &s.critical_when, &s.title_when, &s.question_when})
        for (const auto& c : *conditions) find_evidence_in(c, s.judged_evidence);
    for (const auto& e : s.scope)
        for (const auto& fact : {e.fact, e.or_fact}) {
            condition of_scope;
            of_scope.about = condition::subject::fact;
            of_scope.at = fact;
            find_evidence_in(of_scope, s.judged_evidence);
        }
}

// Of one object, by its schema. `whole` names it as the schema's own messages do.
void find_member_defects(const json::value& schema, const json::value& object, const std::string& whole,
                         const std::string& at, std::vector<base::problem>& found) {
    const auto* members = object.if_object();
    if (!members) return;
    const auto& properties = schema.at("properties").get_object();
    std::vector<std::string> known;
    for (const auto& p : properties) known.emplace_back(p.key());
    for (const auto& m : *members) {
        if (properties.contains(m.key())) continue;
        const std::string name{m.key()};
        const auto near = base::nearest(known, name);
        found.push_back({code::invalid_argument, whole + " has no member '" + base::shortened(name, 100) + "'",
                         (near.empty() ? "" : "did you mean " + base::joined(near) + "? ") +
                             "known members: " + base::joined(known),
                         at + "/" + base::escape_token(name)});
    }
    for (const auto& name : schema.at("required").get_array())
        if (!members->contains(name.get_string()))
            found.push_back({code::invalid_argument,
                             whole + " lacks the required member '" + std::string{name.get_string()} + "'", "", at});
}

// Of the objects in a list. With an empty `noun` an object is named by its place alone.
void find_member_defects_in(const json::value& text, const char* field, const json::value& schema,
                            const std::string& noun, std::vector<base::problem>& found) {
    const auto* list = base::find_member(text, field);
    if (!list || !list->is_array()) return;
    for (std::size_t i = 0; i < list->get_array().size(); ++i) {
        const auto& one = list->get_array()[i];
        const auto at = "/" + std::string{field} + "/" + std::to_string(i);
        const auto whole = noun.empty() ? "'" + at + "'" : at + ": " + noun;
        if (!base::find_member(one, "choice_equals_arg")) find_member_defects(schema, one, whole, at, found);
    }
}

// The parts that define when a stored reason holds, what else is asked, and what is measured.
result<void> parse_judgement(spec& s, const json::value& text) {
    const auto take = [](auto parsed, auto& into) -> result<void> {
        if (!parsed) return tl::unexpected{parsed.error()};
        into = std::move(*parsed);
        return {};
    };
    if (auto ok = take(parse_conditions(text, "not_needed_when"), s.not_needed_when); !ok) return ok;
    if (auto ok = take(parse_conditions(text, "critical_when"), s.critical_when); !ok) return ok;
    if (const auto* most = base::find_member(text, "critical_tolerance"))
        s.critical_tolerance = most->to_number<double>();
    if (auto ok = take(parse_conditions(text, "title_when"), s.title_when); !ok) return ok;
    if (auto ok = take(parse_conditions(text, "question_when"), s.question_when); !ok) return ok;
    if (auto ok = take(parse_named(text, "scope", parse_scope_entry), s.scope); !ok) return ok;
    if (auto ok = take(parse_named(text, "asks", parse_asked_fact), s.asks); !ok) return ok;
    if (auto ok = take(parse_checks(text, s), s.checks); !ok) return ok;
    if (auto ok = take(parse_all_evidence(text), s.evidence); !ok) return ok;
    if (const auto* grid = base::find_member(text, "grid"))
        if (auto ok = take(parse_output_grid(*grid), s.grid); !ok) return ok;
    find_judged_evidence(s);
    s.plan = parse_plan(text);
    s.implies = parse_implied(text);
    if (const auto* given = base::find_member(text, "policy")) {
        auto p = parse_policy(*given, {}, speaker::spec);
        if (!p)
            return fail(code::invalid_argument, "/policy" + p.error().at + ": " + p.error().message, p.error().hint);
        s.policy = std::move(*p);
    }
    return {};
}

}  // namespace

result<void> check_condition(const spec& s, const condition& c, const std::string& field) {
    const auto& name = c.about == condition::subject::key ? c.at : c.equals;
    if (!name.empty() && !s.find_key(name)) return not_a_key_argument(s, field + " names", name);
    for (const auto& part : c.parts)
        if (auto ok = check_condition(s, part, field); !ok) return ok;
    return {};
}

result<void> check_evidence(const spec& s, const evidence_source& e) {
    for (const auto& [argument, sources] : e.arguments)
        for (const auto& source : sources)
            if (source.from == key_source::origin::key && !s.find_key(source.at))
                return not_a_key_argument(s, "/evidence: '" + e.name + "', argument '" + argument + "', names",
                                          source.at);
    return {};
}

result<void> check_mapping(const spec& s, const std::string& tool, const governed_tool& key) {
    for (const auto& k : s.key)
        if (!k.optional && k.crs_of.empty() && !key.count(k.name))
            return fail(code::invalid_argument, "/tools/" + tool + " does not define where '" + k.name + "' comes from",
                        "map it, or declare the key argument optional");
    return {};
}

std::vector<base::problem> member_defects(const json::value& text) {
    std::vector<base::problem> found;
    const bool extends = !base::string_member(text, "extends").empty();
    find_member_defects((extends ? extension_shape() : spec_shape()).text(), text, "the spec", "", found);
    find_member_defects_in(text, "evidence", evidence_shape().text(), "the entry", found);
    if (extends) return found;
    if (const auto* key = base::find_member(text, "key"); key && key->is_object())
        for (const auto& k : key->get_object()) {
            const auto at = "/key/" + std::string{k.key()};
            find_member_defects(key_shape().text(), k.value(), at + ": the key argument", at, found);
        }
    find_member_defects_in(text, "checks", check_shape().text(), "the check", found);
    find_member_defects_in(text, "plan", *base::at_pointer(spec_shape().text(), "/properties/plan/items"), "", found);
    find_member_defects_in(text, "implies", *base::at_pointer(spec_shape().text(), "/properties/implies/items"), "",
                           found);
    return found;
}

result<spec> parse(const json::value& text) {
    if (auto ok = spec_shape().check(text, "the spec"); !ok) return tl::unexpected{ok.error()};
    spec s;
    s.domain = base::string_member(text, "domain");
    s.title = base::string_member(text, "title");
    s.question = base::string_member(text, "question");
    s.nudge = base::string_member(text, "nudge");
    s.alternative = base::string_member(text, "alternative");
    s.risk = base::string_member(text, "risk");
    const auto tools_in = [&](const char* name, std::set<std::string, std::less<>>& into) {
        if (const auto* tools = base::find_member(text, name))
            for (const auto& tool : tools->get_array()) into.emplace(tool.get_string());
    };
    tools_in("measured_by", s.measured_by);
    tools_in("compared_by", s.compared_by);
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
    if (auto ok = parse_judgement(s, text); !ok) return tl::unexpected{ok.error()};
    if (auto ok = check_references(s); !ok) return tl::unexpected{ok.error()};
    return s;
}

result<extension> parse_extension(const json::value& text) {
    if (auto ok = extension_shape().check(text, "the spec"); !ok) return tl::unexpected{ok.error()};
    auto tools = parse_tools(base::find_member(text, "tools")->get_object());
    if (!tools) return tl::unexpected{tools.error()};
    auto conditions = parse_conditions(text, "not_needed_when");
    if (!conditions) return tl::unexpected{conditions.error()};
    auto evidence = parse_all_evidence(text);
    if (!evidence) return tl::unexpected{evidence.error()};
    extension more{std::move(*tools), std::move(*conditions), std::move(*evidence), {}};
    if (const auto* judged = base::find_member(text, "judged_as"))
        for (const auto& m : judged->get_object()) {
            auto form = parse_judged_form(m.value(), "/judged_as/" + std::string{m.key()});
            if (!form) return tl::unexpected{form.error()};
            more.judged_as.emplace(m.key(), std::move(*form));
        }
    return more;
}

}  // namespace gdalmcp::reflection::spec_text
