#include "reflection/evidence.hpp"

#include <algorithm>

#include "base/pointer.hpp"
#include "base/schema.hpp"
#include "reflection/condition.hpp"

namespace gdalmcp::reflection {
namespace {

using base::fail;
using base::result;
namespace code = base::code;

constexpr const char* evidence_schema = R"({
  "type": "object", "additionalProperties": false, "required": ["name", "arguments"], "properties": {
    "name": {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,63}$"},
    "tool": {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,63}$"},
    "for": {"type": "array", "minItems": 1, "items": {"type": "string"}},
    "speaks_for_call": {"type": "boolean"},
    "if_given": {"type": "string", "pattern": "^/[^/]+"},
    "arguments": {"type": "object", "minProperties": 1}}})";

}  // namespace

const base::schema& evidence_shape() {
    static const auto shape = base::schema::compile(base::parse_json(evidence_schema).value()).value();
    return shape;
}

bool evidence_source::speaks_of(std::string_view governed_tool) const {
    return only.empty() || std::find(only.begin(), only.end(), governed_tool) != only.end();
}

bool evidence_source::applies_to(std::string_view governed_tool, const json::value& call_arguments) const {
    return speaks_of(governed_tool) && (if_given.empty() || !is_absent(base::at_pointer(call_arguments, if_given)));
}

result<evidence_source> parse_evidence(const json::value& text, const std::string& at) {
    if (auto ok = evidence_shape().check(text, "the entry"); !ok)
        return fail(code::invalid_argument, at + ": " + ok.error().message, ok.error().hint);
    evidence_source e;
    e.name = base::string_member(text, "name");
    e.tool = base::string_member(text, "tool", e.name);
    const auto* speaks = base::find_member(text, "speaks_for_call");
    e.speaks_for_call = speaks && speaks->get_bool();
    e.if_given = base::string_member(text, "if_given");
    if (const auto* only = base::find_member(text, "for"))
        for (const auto& tool : only->get_array()) e.only.emplace_back(tool.get_string());
    for (const auto& a : base::find_member(text, "arguments")->get_object()) {
        auto sources = parse_sources(a.value(), at + "/arguments/" + std::string{a.key()});
        if (!sources) return tl::unexpected{sources.error()};
        e.arguments[std::string{a.key()}] = std::move(*sources);
    }
    return e;
}

json::object arguments_of(const evidence_source& e, const json::value& call_arguments, const json::value& facts,
                          const json::object& key) {
    json::object out;
    for (const auto& [name, sources] : e.arguments)
        for (const auto& source : sources) {
            const auto v = taken(
                source, call_arguments, [&]() -> result<json::value> { return facts; }, &key);
            if (!v || is_absent(&*v)) continue;
            out.emplace(name, *v);
            break;
        }
    return out;
}

json::object measured(const evidence_source& e, const json::object& arguments, const measure& how) {
    json::object out{{"name", e.name}, {"tool", e.tool}};
    const auto answer =
        how ? how(e.tool, arguments) : result<json::object>{fail(code::unsupported, "measuring is not available here")};
    if (!answer) {
        out["absent"] = answer.error().message;
        out["error"] = answer.error().code;
        if (!answer.error().hint.empty()) out["hint"] = answer.error().hint;
        return out;
    }
    for (const auto& m : *answer)
        if (!out.contains(m.key()) && !(m.key() == "warnings" && is_absent(&m.value())))
            out.emplace(m.key(), m.value());
    return out;
}

}  // namespace gdalmcp::reflection
