#include "reflection/dangling_names.hpp"

#include <algorithm>

#include "base/near_names.hpp"
#include "base/pointer.hpp"
#include "reflection/answer.hpp"
#include "reflection/known_facts.hpp"
#include "reflection/placeholders.hpp"
#include "reflection/possible_values.hpp"

namespace gdalmcp::reflection {
namespace {

using base::find_member;

// "did you mean '/uri'? known: '/uri', '/layer'"
std::string suggestion(const std::vector<std::string>& known, const std::string& wanted) {
    if (known.empty()) return {};
    const auto near = base::nearest(known, wanted);
    return (near.empty() ? "" : "did you mean " + base::joined(near) + "? ") + "known: " + base::joined(known);
}

void add_members(const json::value& schema, const std::string& before, std::vector<std::string>& names) {
    const auto* properties = find_member(schema, "properties");
    if (!properties || !properties->is_object()) return;
    for (const auto& p : properties->get_object()) {
        const auto name = before + "/" + base::escape_token(p.key());
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
}

// Whether a condition that looks for `wanted` finds it in one value.
bool finds(const condition& c, const json::value& wanted, const json::value& possible) {
    condition one;
    one.about = condition::subject::key;
    one.at = "value";
    one.what = c.what == condition::test::contains ? c.what : condition::test::one_of;
    one.values = {wanted};
    const json::object key{{one.at, possible}};
    circumstances here;
    here.key = &key;
    return holds(one, here) == truth::yes;
}

class names_of_domain {
public:
    names_of_domain(const spec& s, const specs& all, std::string_view contributor, const tool_schemas& schemas,
                    std::vector<base::problem>& found)
        : spec_{s}, all_{all}, contributor_{contributor}, schemas_{schemas}, found_{found} {}

    void check() {
        for (const auto& e : spec_.evidence)
            if (is_by_contributor(e.only)) check_evidence(e);
        for (const auto& c : spec_.not_needed_when)
            if (is_by_contributor(c.tool.empty() ? tools{} : tools{c.tool})) {
                check_condition(c, "/not_needed_when", governed_tools());
                check_text(c.note, "/not_needed_when", governed_tools());
            }
        for (const auto& [tool, form] : spec_.judged_as)
            if (is_by_contributor({tool})) check_judged(tool, form);
        for (const auto& [tool, key] : spec_.tools)
            if (is_by_contributor({tool}))
                for (const auto& [name, sources] : key)
                    for (const auto& source : sources)
                        if (source.from == key_source::origin::fact)
                            check_fact(source.at, "/tools/" + tool + "/" + name);
        if (spec_.source != contributor_) return;
        const auto all = governed_tools();
        for (const auto& [name, member] : members_of_grid)
            for (const auto& source : spec_.grid.*member)
                if (source.from == key_source::origin::argument)
                    check_argument(source.at, std::string{"/grid/"} + name, all);
        check_argument(spec_.grid.copied_at, "/grid/copied/at", all);
        for (const auto& c : spec_.critical_when) check_condition(c, "/critical_when", all);
        for (const auto& [member, conditions] :
             {std::pair{"/title_when", &spec_.title_when}, {"/question_when", &spec_.question_when}})
            for (const auto& c : *conditions) {
                check_condition(c, member, all);
                check_text(c.note, member, all);
            }
        for (const auto& e : spec_.scope) {
            check_argument(e.argument, "/scope/" + e.name, all);
            check_fact(e.fact, "/scope/" + e.name);
            check_fact(e.or_fact, "/scope/" + e.name);
            for (const auto& fact : {e.fact, e.or_fact}) check_comparison(e, fact);
        }
        for (const auto& c : spec_.checks) {
            const auto at = "/checks: '" + c.name + "'";
            check_condition(c.when, at, all);
            for (const auto* text : {&c.message, &c.advice}) check_text(*text, at, all);
        }
    }

private:
    using tools = std::vector<std::string>;

    // An extension names its own tools in everything it adds.
    bool is_by_contributor(const tools& only) const {
        const auto added = only.empty() ? spec_.mapped_by.end() : spec_.mapped_by.find(only.front());
        return (added == spec_.mapped_by.end() ? spec_.source : added->second) == contributor_;
    }
    tools governed_tools() const {
        tools all;
        for (const auto& t : spec_.tools) all.push_back(t.first);
        return all;
    }

    void complain(const std::string& place, const std::string& what, std::string hint) {
        found_.push_back({base::code::invalid_argument, "the spec of domain '" + spec_.domain + "': " + place + what,
                          std::move(hint), ""});
    }

    bool may_have(const std::string& tool, const std::string& pointer) const {
        const auto* schema = schemas_.arguments(tool);
        return !schema || find_place(*schema, pointer).possible;
    }

    void check_argument(const std::string& pointer, const std::string& place, const tools& governed) {
        const auto has = [&](const std::string& tool) { return may_have(tool, pointer); };
        if (pointer.empty() || governed.empty() || std::any_of(governed.begin(), governed.end(), has)) return;
        std::vector<std::string> known;
        for (const auto& tool : governed) add_members(*schemas_.arguments(tool), "", known);
        complain(place, " names the argument '" + pointer + "', which none of the governed tools has",
                 suggestion(known, pointer));
    }

    // A fact of the host, or /evidence/<name>/….
    void check_fact(const std::string& pointer, const std::string& place) {
        constexpr std::string_view evidence = "/evidence/";
        if (!pointer.starts_with(evidence)) return check_known(pointer, place);
        const auto end = std::min(pointer.find('/', evidence.size()), pointer.size());
        const auto name = pointer.substr(evidence.size(), end - evidence.size()), member = pointer.substr(end);
        // What the host adds to every measurement.
        std::vector<std::string> known{"/name", "/tool", "/absent", "/warnings"};
        if (std::find(known.begin(), known.end(), member) != known.end()) return;
        std::string provider;
        for (const auto& e : spec_.evidence) {
            if (e.name != name) continue;
            const auto* result = schemas_.result(e.tool);
            if (!result || find_place(*result, member).possible) return;
            provider = e.tool;
            known.clear();
            add_members(*result, "/evidence/" + name, known);
        }
        if (provider.empty()) {
            std::vector<std::string> measured;
            for (const auto& e : spec_.evidence) measured.push_back(e.name);
            return complain(place, " names '" + pointer + "', and the domain has no evidence '" + name + "'",
                            suggestion(measured, name));
        }
        complain(place, " names '" + pointer + "', and the result of '" + provider + "' has no such member",
                 suggestion(known, pointer));
    }

    void check_known(const std::string& pointer, const std::string& place) {
        const auto defines = [&](const asked_fact& a) {
            return pointer == a.known_by || pointer == a.known_by + "_why";
        };
        if (pointer.empty() || find_place(known_facts(), pointer).possible ||
            std::any_of(spec_.asks.begin(), spec_.asks.end(), defines))
            return;
        // The names beside the first part of the pointer that is none.
        std::size_t end = 0;
        while (find_place(known_facts(), pointer.substr(0, pointer.find('/', end + 1))).possible)
            end = pointer.find('/', end + 1);
        std::vector<std::string> known;
        add_members(*find_place(known_facts(), pointer.substr(0, end)).schema, pointer.substr(0, end), known);
        complain(place, " names the fact '" + pointer + "', which there is not",
                 suggestion(known, pointer.substr(0, pointer.find('/', end + 1))));
    }

    // nullptr: not known, or there is no such fact, which is reported elsewhere.
    const json::value* schema_of_fact(const std::string& pointer) const {
        for (const auto& e : spec_.evidence) {
            const auto before = "/evidence/" + e.name + "/";
            const auto* result = pointer.starts_with(before) ? schemas_.result(e.tool) : nullptr;
            if (result) return find_place(*result, pointer.substr(before.size() - 1)).schema;
        }
        return pointer.empty() ? nullptr : find_place(known_facts(), pointer).schema;
    }

    // A scope's comparison of a fact of another type never finds a difference.
    void check_comparison(const scope_entry& e, const std::string& fact) {
        using comparison = scope_entry::comparison;
        const auto* schema = schema_of_fact(fact);
        const auto type = schema ? base::string_member(*schema, "type") : std::string_view{};
        if (type.empty() || e.how == comparison::same) return;
        if (e.how != comparison::grow) return check_number(*schema, "/scope/" + e.name + " compares", fact);
        const auto* items = find_member(*schema, "items");
        const auto item = items ? base::string_member(*items, "type") : std::string_view{};
        const auto* least = find_member(*schema, "minItems");
        if (type != "array" || (!item.empty() && item != "number") || (least && *least != 4))
            complain("/scope/" + e.name + ": `grow` compares boxes, and '" + fact + "' is none", "",
                     "name a fact such as '/input/bounds_wgs84', or use `same`");
    }

    void check_number(const json::value& schema, const std::string& place, const std::string& fact) {
        const auto type = base::string_member(schema, "type");
        if (type.empty() || type == "number" || type == "integer") return;
        const auto* items = find_member(schema, "items");
        const bool numbers = items && base::string_member(*items, "type") == "number";
        complain(
            place + " '" + fact + "' as a number, and it is " +
                (type == "array"     ? "a list"
                 : type == "boolean" ? "true or false"
                 : type == "object"  ? "an object"
                                     : "a text"),
            "", numbers ? "name one of its numbers, such as '" + fact + "/0'" : "name a number, or use `same` or `is`");
    }

    // A test that no value of the fact passes or fails.
    void check_test(const condition& c, const std::string& place) {
        const auto* schema = schema_of_fact(c.at);
        if (!schema) return;
        if (c.what == condition::test::above || c.what == condition::test::below)
            return check_number(*schema, place + " compares", c.at);
        check_type(c, place, base::string_member(*schema, "type"));
        auto possible = values_of({true, true, schema});
        if (!possible) return;
        for (const auto& s : all_.all())
            for (const auto& ask : s.asks)
                if (ask.known_by == c.at) possible->insert(possible->end(), ask.one_of.begin(), ask.one_of.end());
        check_values(c, place, *possible);
    }

    // A text is never a number, a list never a word.
    void check_type(const condition& c, const std::string& place, std::string_view type) {
        const bool exact = c.what == condition::test::one_of || c.what == condition::test::not_one_of;
        if (!exact) return;
        for (const auto& wanted : c.values)
            if ((type == "string" && !wanted.is_string()) || (type == "boolean" && !wanted.is_bool()) ||
                ((type == "number" || type == "integer") && !wanted.is_number()) || type == "array" || type == "object")
                complain(place + " compares '" + c.at + "' with " + base::write_json(wanted) + ", which it never is",
                         "", type == "array" ? "use `contains`, or name one of its members" : "");
    }

    // What an answer states, by its place in the answer: /facts/<name>, /choice/method.
    void check_answer(const condition& c, const std::string& place) {
        constexpr std::string_view facts = "/facts/";
        std::vector<std::string> known;
        if (!c.at.starts_with(facts)) {
            if (find_place(justification_schema(), c.at).possible) return;
            add_members(justification_schema(), "", known);
            return complain(place, " names '" + c.at + "', which an answer does not have", suggestion(known, c.at));
        }
        for (const auto& ask : spec_.asks) {
            known.push_back(std::string{facts} + ask.name);
            if (known.back() != c.at) continue;
            for (const auto& wanted : c.values)
                if (wanted.is_string() &&
                    std::find(ask.one_of.begin(), ask.one_of.end(), wanted.get_string()) == ask.one_of.end())
                    complain(place, " compares '" + c.at + "' with " + base::write_json(wanted) + ", which it never is",
                             suggestion(ask.one_of, std::string{wanted.get_string()}));
            return;
        }
        complain(place, " names '" + c.at + "', which the domain does not ask for", suggestion(known, c.at));
    }

    void check_judged(const std::string& tool, const judged_form& form) {
        const auto place = "/judged_as/" + tool;
        if (!form.each.empty()) check_argument(form.each, place + "/each", {tool});
        for (const auto& [name, a] : form.arguments) {
            check_argument("/" + name, place, {form.tool});
            for (const auto& part : a.parts)
                for (const auto& source : part) check_argument(source.at, place + "/arguments/" + name, {tool});
        }
    }

    void check_evidence(const evidence_source& e) {
        tools governed;
        for (const auto& t : spec_.tools)
            if (e.speaks_of(t.first)) governed.push_back(t.first);
        for (const auto& [argument, sources] : e.arguments) {
            const auto place = "/evidence: '" + e.name + "', argument '" + argument + "',";
            const auto from_call = [](const key_source& s) {
                return s.from == key_source::origin::argument || s.from == key_source::origin::extension ||
                       s.from == key_source::origin::option;
            };
            for (const auto& s : sources)
                if (from_call(s))
                    check_argument(s.at, place, governed);
                else if (s.from == key_source::origin::fact)
                    check_fact(s.at, place);
        }
    }

    void check_condition(const condition& c, const std::string& place, tools governed) {
        if (!c.tool.empty()) std::erase_if(governed, [&](const auto& tool) { return tool != c.tool; });
        for (const auto& part : c.parts) check_condition(part, place, governed);
        if (c.about == condition::subject::fact) {
            check_fact(c.at, place);
            check_test(c, place);
        }
        if (c.about == condition::subject::answer) check_answer(c, place);
        if (c.about == condition::subject::argument) check_argument(c.at, place, governed);
        if (c.about == condition::subject::argument || c.about == condition::subject::key)
            if (const auto possible = possible_values(c, governed)) check_values(c, place, *possible);
    }

    // Every value of an argument or a key argument in calls of these tools; nullopt: not known.
    std::optional<json::array> possible_values(const condition& c, const tools& governed) const {
        json::array all;
        for (const auto& tool : governed) {
            const auto* schema = schemas_.arguments(tool);
            if (!schema) return std::nullopt;
            auto some = c.about == condition::subject::key ? values_of_key(spec_, *spec_.find_key(c.at), tool, *schema)
                                                           : values_of(find_place(*schema, c.at));
            if (!some) return std::nullopt;
            all.insert(all.end(), some->begin(), some->end());
        }
        return all;
    }

    void check_values(const condition& c, const std::string& place, const json::array& possible) {
        if (c.what != condition::test::one_of && c.what != condition::test::not_one_of &&
            c.what != condition::test::contains)
            return;
        std::vector<std::string> known;
        for (const auto& v : possible)
            if (v.is_string() && std::find(known.begin(), known.end(), v.get_string()) == known.end())
                known.emplace_back(v.get_string());
        const auto is_wanted = [&](const json::value& wanted) {
            return std::any_of(possible.begin(), possible.end(),
                               [&](const json::value& v) { return finds(c, wanted, v); });
        };
        if (known.empty()) return;
        for (const auto& wanted : c.values)
            if (wanted.is_string() && !is_wanted(wanted))
                complain(place, " compares '" + c.at + "' with " + base::write_json(wanted) + ", which it never is",
                         suggestion(known, std::string{wanted.get_string()}));
    }

    // Key arguments in texts are checked when the spec is read.
    void check_text(const std::string& text, const std::string& place, const tools& governed) {
        constexpr std::string_view argument = "argument:", answer = "answer:";
        const auto names = placeholders_of(text).value();
        condition stated;
        for (const auto& name : names)
            if (name.starts_with(argument)) {
                check_argument(name.substr(argument.size()), place, governed);
            } else if (name.starts_with(answer)) {
                stated.at = name.substr(answer.size());
                check_answer(stated, place);
            } else if (name.starts_with('/')) {
                check_fact(name, place);
            }
    }

    const spec& spec_;
    const specs& all_;
    const std::string_view contributor_;
    const tool_schemas& schemas_;
    std::vector<base::problem>& found_;
};

}  // namespace

std::vector<base::problem> dangling_names(const specs& all, std::string_view contributor, const tool_schemas& schemas) {
    std::vector<base::problem> found;
    for (const auto& s : all.all()) names_of_domain{s, all, contributor, schemas, found}.check();
    return found;
}

}  // namespace gdalmcp::reflection
