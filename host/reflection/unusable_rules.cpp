#include "reflection/unusable_rules.hpp"

#include <algorithm>
#include <optional>

#include "base/pointer.hpp"

namespace gdalmcp::reflection {
namespace {

using base::find_member;
using base::string_member;
namespace code = base::code;

// ---- what a call can give

// Any spelling of a CRS may be one.
base::result<crs_identity> any_crs(std::string_view spelling) { return crs_identity{std::string{spelling}}; }

// Every value a call may give there, null for none; nullopt: too many to list.
std::optional<json::array> values_of(const argument_place& place) {
    if (!place.possible) return json::array{nullptr};
    if (!place.schema) return std::nullopt;
    json::array all;
    if (const auto* listed = find_member(*place.schema, "enum"); listed && listed->is_array())
        all = listed->get_array();
    else if (string_member(*place.schema, "type") == "boolean")
        all = {true, false};
    else
        return std::nullopt;
    if (!place.always) all.push_back(nullptr);
    return all;
}

// Whether the empty text, list or object, which count as absent, is a value.
bool may_be_empty(const json::value& schema) {
    const auto type = string_member(schema, "type");
    if (type == "number" || type == "integer" || type == "boolean") return false;
    for (const char* least : {"minLength", "minItems", "minProperties"})
        if (const auto* n = find_member(schema, least); n && n->is_int64() && n->get_int64() > 0) return false;
    return true;
}

// ---- keys

bool has_normal_form(const normaliser& n, const json::value& v) {
    if (is_absent(&v) || n.how == form::geometry) return !is_absent(&v);
    const auto normal = normal_form(n, v, any_crs);
    return normal && !is_absent(&*normal);
}

bool can_give(const key_source& source, const normaliser& n, const json::value& schema) {
    if (source.from == key_source::origin::literal) return has_normal_form(n, source.value);
    if (source.from == key_source::origin::fact) return true;
    const auto place = find_argument(schema, source.at);
    if (!place.possible || !place.schema || source.from != key_source::origin::argument) return place.possible;
    if (const auto all = values_of(place))
        return std::any_of(all->begin(), all->end(), [&](const json::value& v) { return has_normal_form(n, v); });
    const auto type = string_member(*place.schema, "type");
    if (type == "array") return n.list || n.how == form::geometry;
    if (type == "object") return n.how != form::number;
    if (type == "number" || type == "integer") return n.how != form::geometry;
    return type != "null";
}

std::string names_of(const json::value& schema) {
    std::string all;
    if (const auto* properties = find_member(schema, "properties"); properties && properties->is_object())
        for (const auto& p : properties->get_object()) all += (all.empty() ? "" : ", ") + std::string{p.key()};
    return all.empty() ? "the tool has no arguments" : "its arguments are " + all;
}

std::optional<base::problem> unsatisfiable_key(const spec& s, const std::string& tool, const json::value& schema) {
    const auto& mapped = s.tools.find(tool)->second;
    for (const auto& k : s.key) {
        const bool blocks = k.name == s.choice && s.policy.missing != reaction::warn;
        if (!k.crs_of.empty() || (k.optional && !blocks)) continue;
        const auto sources = mapped.find(k.name);
        if (sources != mapped.end() &&
            std::any_of(sources->second.begin(), sources->second.end(),
                        [&](const key_source& from) { return can_give(from, k.normal, schema); }))
            continue;
        return base::problem{code::invalid_argument,
                             "/tools/" + tool + "/" + k.name + ": no call of '" + tool +
                                 "' can give the key argument '" + k.name + "', so none would ever run",
                             names_of(schema), ""};
    }
    return std::nullopt;
}

// ---- checks

// Whether a condition holds in every call of one tool, by enumerating the possible calls.
class every_call {
public:
    every_call(const spec& s, const std::string& tool, const json::value& schema)
        : spec_{s}, tool_{tool}, schema_{schema} {}

    bool meets(const condition& c) {
        variables_.clear();
        collect(c);
        std::size_t cases = 1;
        for (const auto& v : variables_)
            if ((cases *= v.second.values.size()) > max_cases) return false;
        for (std::size_t i = 0; i < cases; ++i) {
            auto rest = i;
            for (auto& [name, v] : variables_) {
                v.now = rest % v.values.size();
                rest /= v.values.size();
            }
            if (!holds_now(c)) return false;
        }
        return true;
    }

private:
    static constexpr std::size_t max_cases = 4096;

    // What a part of a condition may find. `known`: these are the values themselves; else only whether there is one,
    // or, of a test of the value, whether it holds.
    struct variable {
        bool known = false;
        json::array values;
        std::size_t now = 0;
    };

    static bool is_leaf(const condition& c) { return c.parts.empty(); }
    static bool tests_presence(const condition& c) {
        return c.what == condition::test::present || c.what == condition::test::absent;
    }

    variable variable_of(const condition& c) const {
        if (c.what == condition::test::equals_key) return {false, {true, false}};
        if (c.about == condition::subject::key) {
            const auto* k = spec_.find_key(c.at);
            if (auto all = key_values(*k)) return {true, std::move(*all)};
            if (tests_presence(c) && !k->optional && k->crs_of.empty()) return {false, {true}};
        }
        if (c.about == condition::subject::argument) {
            const auto place = find_argument(schema_, c.at);
            if (auto all = values_of(place)) return {true, std::move(*all)};
            if (tests_presence(c) && place.always && place.schema && !may_be_empty(*place.schema))
                return {false, {true}};
        }
        return {false, {true, false}};
    }

    std::optional<json::array> key_values(const key_argument& k) const {
        const auto& mapped = spec_.tools.find(tool_)->second;
        const auto sources = mapped.find(k.name);
        if (sources == mapped.end() || sources->second.size() != 1 || k.normal.how == form::geometry)
            return std::nullopt;
        const auto& source = sources->second.front();
        std::optional<json::array> given;
        if (source.from == key_source::origin::literal) given = json::array{source.value};
        if (source.from == key_source::origin::argument) given = values_of(find_argument(schema_, source.at));
        if (!given || k.normal.how == form::crs) return std::nullopt;
        json::array all;
        for (const auto& v : *given)
            if (const auto normal = normal_form(k.normal, v, any_crs); normal && (k.optional || !is_absent(&v)))
                all.push_back(*normal);
        return all;
    }

    // Presence tests of one value share a variable; other tests of unknown values get their own.
    std::string name_of(const condition& c) const {
        auto name = std::to_string(static_cast<int>(c.about)) + c.at;
        const bool shared = c.about == condition::subject::argument || c.about == condition::subject::key;
        if (const auto v = variable_of(c); v.known) return name;
        if (tests_presence(c) && (shared || c.about == condition::subject::answer)) return name + " present";
        return name + " " + std::to_string(reinterpret_cast<std::uintptr_t>(&c));
    }

    void collect(const condition& c) {
        if (is_leaf(c)) variables_.emplace(name_of(c), variable_of(c));
        for (const auto& part : c.parts) collect(part);
    }

    bool holds_now(const condition& c) const {
        if (!c.tool.empty() && c.tool != tool_) return false;
        const auto part_holds = [this](const condition& part) { return holds_now(part); };
        if (c.about == condition::subject::all) return std::all_of(c.parts.begin(), c.parts.end(), part_holds);
        if (c.about == condition::subject::any) return std::any_of(c.parts.begin(), c.parts.end(), part_holds);
        if (c.about == condition::subject::none) return std::none_of(c.parts.begin(), c.parts.end(), part_holds);
        const auto& v = variables_.at(name_of(c));
        if (v.values.empty()) return true;  // unreachable for calls
        const auto& value = v.values[v.now];
        if (!v.known) return value.get_bool() == (c.what != condition::test::absent);
        circumstances here;
        here.tool = tool_;
        json::value arguments(json::object{});
        json::object key;
        if (c.about == condition::subject::key)
            key[c.at] = value;
        else
            base::put_at_pointer(arguments, c.at, value);
        here.arguments = &arguments;
        here.key = &key;
        return holds(c, here) == truth::yes;
    }

    const spec& spec_;
    const std::string& tool_;
    const json::value& schema_;
    std::map<std::string, variable> variables_;
};

// A call that needs no reason is not refused either.
bool may_excuse(const spec& s, const std::string& tool) {
    return std::any_of(s.not_needed_when.begin(), s.not_needed_when.end(),
                       [&](const condition& c) { return c.tool.empty() || c.tool == tool; });
}

std::optional<base::problem> refusal_of_everything(const spec& s, const std::string& tool, const json::value& schema) {
    if (may_excuse(s, tool)) return std::nullopt;
    for (const auto& c : s.checks) {
        const auto own = s.policy.checks.find(c.name);
        if ((own == s.policy.checks.end() ? c.outcome : own->second) != check_outcome::refuse) continue;
        if (every_call{s, tool, schema}.meets(c.when))
            return base::problem{code::invalid_argument,
                                 "/checks: '" + c.name + "' refuses every call of '" + tool + "'",
                                 "say in `when` which calls are wrong; `ask` and `warn` let a call run", ""};
    }
    return std::nullopt;
}

std::optional<base::problem> defect_of(const spec& s, const std::string& tool, const argument_schemas& schemas) {
    const auto* schema = schemas(tool);
    if (!schema)
        return base::problem{code::not_found, "/tools/" + tool + ": no bundle has a tool '" + tool + "'",
                             "correct the name, or install the bundle that has it", ""};
    if (auto wrong = unsatisfiable_key(s, tool, *schema)) return wrong;
    return refusal_of_everything(s, tool, *schema);
}

}  // namespace

std::map<std::string, base::problem, std::less<>> unusable_rules(const specs& all, const argument_schemas& schemas) {
    std::map<std::string, base::problem, std::less<>> found;
    for (const auto& s : all.all())
        for (const auto& [tool, key] : s.tools) {
            const auto extended = s.mapped_by.find(tool);
            const auto& by = extended == s.mapped_by.end() ? s.source : extended->second;
            if (found.contains(by)) continue;
            if (auto wrong = defect_of(s, tool, schemas)) {
                wrong->message = "the spec of domain '" + s.domain + "': " + wrong->message;
                found.emplace(by, std::move(*wrong));
            }
        }
    return found;
}

}  // namespace gdalmcp::reflection
