#include "catalog/lint.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/near_names.hpp"
#include "base/pointer.hpp"
#include "base/schema.hpp"
#include "base/schema_lint.hpp"
#include "base/text.hpp"
#include "catalog/subschemas.hpp"
#include "catalog/tool.hpp"

namespace gdalmcp::catalog {
namespace {

using base::find_member;
using base::string_member;

class findings {
public:
    void add(std::string at, std::string message, std::string hint) {
        list.push_back({base::code::quarantined, std::move(message), std::move(hint), std::move(at)});
    }
    std::vector<base::problem> list;
};

// The parser reads a number beyond 63 bits as unsigned, which the validator rejects as a number.
bool is_count(const json::value& v) { return v.is_int64() && v.get_int64() >= 0; }
bool is_schema_list(const json::value& v) {
    return v.is_array() && !v.get_array().empty() &&
           std::all_of(v.get_array().begin(), v.get_array().end(), [](const json::value& b) { return b.is_object(); });
}
bool is_name_list(const json::value& v) {
    return v.is_array() &&
           std::all_of(v.get_array().begin(), v.get_array().end(), [](const json::value& n) { return n.is_string(); });
}
bool is_type(const json::value& v) {
    constexpr std::string_view types[] = {"object", "array", "string", "number", "integer", "boolean", "null"};
    return v.is_string() && std::find(std::begin(types), std::end(types), v.get_string()) != std::end(types);
}

struct keyword_value {
    const char* wanted;
    bool (*fits)(const json::value&);
};

// The required type of a keyword's value, which the validator does not check.
const keyword_value* value_of(std::string_view keyword) {
    static const keyword_value number{"a number", [](const json::value& v) { return v.is_number(); }};
    static const keyword_value count{"a non-negative integer below 2^63", is_count};
    static const keyword_value flag{"true or false", [](const json::value& v) { return v.is_bool(); }};
    static const keyword_value text{"a string", [](const json::value& v) { return v.is_string(); }};
    static const keyword_value schemas{"a list of schemas, not empty", is_schema_list};
    static const std::map<std::string_view, keyword_value> table = {
        {"type", {"object, array, string, number, integer, boolean or null", is_type}},
        {"properties", {"an object", [](const json::value& v) { return v.is_object(); }}},
        {"items", {"a schema", [](const json::value& v) { return v.is_object(); }}},
        {"additionalProperties",
         {"true, false or a schema", [](const json::value& v) { return v.is_bool() || v.is_object(); }}},
        {"required", {"a list of names", is_name_list}},
        {"enum", {"a list, not empty", [](const json::value& v) { return v.is_array() && !v.get_array().empty(); }}},
        {"minimum", number},
        {"maximum", number},
        {"exclusiveMinimum", number},
        {"exclusiveMaximum", number},
        {"minItems", count},
        {"maxItems", count},
        {"minLength", count},
        {"maxLength", count},
        {"minProperties", count},
        {"maxProperties", count},
        {"uniqueItems", flag},
        {"anyOf", schemas},
        {"oneOf", schemas},
        {"allOf", schemas},
        {"title", text},
        {"description", text},
        {"format", text}};
    const auto found = table.find(keyword);
    return found == table.end() ? nullptr : &found->second;
}

void lint_values(const json::value& node, const std::string& at, findings& found) {
    const auto* o = node.if_object();
    if (!o) return;
    for (const auto& m : *o)
        if (const auto* v = value_of(m.key()); v && !v->fits(m.value()))
            found.add(at + "/" + base::escape_token(m.key()),
                      "'" + std::string{m.key()} + "' is " + base::write_json(m.value()) + "; it must be " + v->wanted,
                      "correct the schema");
}

// The argument or member that a place in a schema belongs to.
std::string subject_of(std::string_view at) {
    constexpr std::string_view step = "/properties/";
    const auto last = at.rfind(step);
    if (last == std::string_view::npos) return "the schema";
    const auto name = at.substr(last + step.size());
    return "'" + std::string{name.substr(0, name.find('/'))} + "'";
}

// Callers may change case and separators, so a word that another word folds to must stand for the same value.
void lint_synonyms(const json::value& node, const std::string& at, findings& found) {
    const auto* synonyms = find_member(node, base::synonyms_keyword);
    if (!synonyms) return;
    const auto place = at + "/" + std::string{base::synonyms_keyword};
    const auto* values = find_member(node, "enum");
    const auto all = values && values->is_array() ? values->get_array() : json::array{};
    const auto named = [&](const json::value& v) { return std::find(all.begin(), all.end(), v) != all.end(); };
    const auto* words = synonyms->if_object();
    if (!words || !std::all_of(words->begin(), words->end(), [&](const auto& w) { return named(w.value()); }))
        return found.add(place,
                         std::string{base::synonyms_keyword} + " is " + base::write_json(*synonyms) +
                             "; it must be an object of other words for values of the enum beside it",
                         "write {\"uint8\": \"Byte\"} beside an enum that has Byte");
    struct meaning {
        std::string word;  // "the value 'a'"
        const json::value* value;
    };
    std::map<std::string, meaning> taken;  // by folded spelling
    for (const auto& v : all)
        if (v.is_string()) taken.emplace(base::folded(v.get_string()), meaning{"the value " + base::write_json(v), &v});
    for (const auto& w : *words) {
        const auto synonym = "the synonym '" + std::string{w.key()} + "'";
        const auto meant = meaning{synonym + " for " + base::write_json(w.value()), &w.value()};
        const auto [earlier, is_first] = taken.emplace(base::folded(w.key()), meant);
        if (!is_first && *earlier->second.value != w.value())
            found.add(place, meant.word + " differs from " + earlier->second.word + " in case or separators only",
                      "leave one of the two out");
    }
}

// Limits that nothing can satisfy.
void lint_bounds(const json::value& node, const std::string& at, findings& found) {
    struct limits {
        const char *least, *most;
        bool equal;  // both may be the same number
    };
    constexpr limits pairs[] = {{"minimum", "maximum", true},
                                {"minimum", "exclusiveMaximum", false},
                                {"exclusiveMinimum", "maximum", false},
                                {"exclusiveMinimum", "exclusiveMaximum", false},
                                {"minLength", "maxLength", true},
                                {"minItems", "maxItems", true},
                                {"minProperties", "maxProperties", true}};
    for (const auto& p : pairs) {
        const auto *least = find_member(node, p.least), *most = find_member(node, p.most);
        if (!least || !most || !least->is_number() || !most->is_number()) continue;
        const auto low = least->to_number<double>(), high = most->to_number<double>();
        if (low < high || (p.equal && low == high)) continue;
        found.add(at + "/" + p.least,
                  std::string{"'"} + p.least + "' of " + subject_of(at) + " is " + base::write_json(*least) + " and '" +
                      p.most + "' is " + base::write_json(*most) + ", so no value fits",
                  "correct one of the two");
    }
}

// A branch of anyOf and the like, which has no type of its own, may require a member that is declared around it.
void lint_required(const json::value& node, const std::string& at, findings& found) {
    const auto *properties = find_member(node, "properties"), *required = find_member(node, "required");
    if (string_member(node, "type") != "object" || !properties || !properties->is_object()) return;
    if (!required || !is_name_list(*required)) return;
    for (const auto& name : required->get_array())
        if (!find_member(*properties, name.get_string()))
            found.add(at + "/required",
                      "'" + std::string{name.get_string()} + "' is required, but there is no property of this name",
                      "correct the name, or declare the property");
}

// One schema without those below it: each property described, its own role known, its synonyms and limits consistent.
void lint_node(const json::value& node, const std::string& at, findings& found) {
    if (const auto* role = find_member(node, "x-gdalmcp")) {
        const auto& known = known_roles();
        const auto named = string_member(node, "x-gdalmcp");
        const bool of_result = named == uri_of_output_role && at.starts_with("/output_schema/");
        if (!of_result && std::find(known.begin(), known.end(), named) == known.end())
            found.add(at + "/x-gdalmcp", "x-gdalmcp is " + base::write_json(*role) + ", an unknown role",
                      "use one of input-raster, input-vector, input-any, output-raster, …");
    }
    lint_synonyms(node, at, found);
    lint_bounds(node, at, found);
    lint_required(node, at, found);
    if (const auto* properties = find_member(node, "properties"); properties && properties->is_object())
        for (const auto& p : properties->get_object())
            if (string_member(p.value(), "description").empty())
                found.add(at + "/properties/" + base::escape_token(p.key()),
                          "property '" + std::string{p.key()} + "' has no description",
                          "say what it means, its unit, range and default");
}

// RFC 9110, section 5.6.2.
bool is_token(std::string_view s) {
    return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
    });
}

// Clients look for headers only on arguments reached by `properties`. taken: names in use by the tool, in lower case.
// by_properties: the node is such an argument.
void lint_header(const json::value& node, const std::string& at, bool by_properties, std::set<std::string>& taken,
                 findings& found) {
    const auto* value = find_member(node, header_keyword);
    if (!value) return;
    const auto complain = [&](const std::string& why, const char* hint) {
        found.add(at + "/x-mcp-header", "x-mcp-header is " + base::write_json(*value) + why, hint);
    };
    const auto type = string_member(node, "type");
    const auto* name = value->if_string();
    if (!name || !is_token(*name))
        complain(", which is not a header name", "use letters, digits and '-'");
    else if (type != "string" && type != "integer" && type != "boolean")
        complain(" on a value that is not a string, integer or boolean", "headers carry only these types");
    else if (!by_properties)
        complain(" where clients do not look for it", "put it on an argument, or on a member of an object");
    else if (!taken.insert(base::lower_ascii(*name)).second)
        complain(", which another argument already uses (case is ignored)", "give each its own header");
}

// "/input_schema" and then nothing but /properties/<name>.
bool is_reached_by_properties(std::string_view at, std::string_view root) {
    at.remove_prefix(root.size());
    constexpr std::string_view step = "/properties/";
    if (at.empty()) return false;
    while (at.substr(0, step.size()) == step) {
        at.remove_prefix(step.size());
        at.remove_prefix(std::min(at.find('/'), at.size()));
    }
    return at.empty();
}

// The host fills such a member in, so it is text, and there is an output.
void lint_output_uris(const json::value& result, const std::string& at, bool writes, findings& found) {
    const auto* properties = find_member(result, "properties");
    if (!properties || !properties->is_object()) return;
    for (const auto& p : properties->get_object()) {
        if (string_member(p.value(), "x-gdalmcp") != uri_of_output_role) continue;
        const auto place = at + "/properties/" + base::escape_token(p.key());
        if (!writes)
            found.add(place, "'" + std::string{p.key()} + "' is the URI of the output, and no argument is an output",
                      "declare the output argument, or leave the role out");
        if (string_member(p.value(), "type") != "string")
            found.add(place, "'" + std::string{p.key()} + "' is the URI of the output, but not of type string",
                      "correct the type");
    }
}

void refuse_property(const json::value& schema, std::string_view name, const std::string& at, findings& found) {
    const auto* properties = find_member(schema, "properties");
    if (properties && find_member(*properties, name))
        found.add(at + "/properties/" + std::string{name}, "'" + std::string{name} + "' is reserved by the host",
                  "give the member another name");
}

}  // namespace

const std::vector<std::string_view>& known_roles() {
    static const std::vector<std::string_view> roles = {"input-raster",  "input-vector", "input-any",  "output-raster",
                                                        "output-vector", "output-table", "output-any", "crs",
                                                        "output-crs",    "geometry"};
    return roles;
}

bool is_output_role(std::string_view role) { return role.substr(0, 7) == "output-" && role != "output-crs"; }

bool is_tool_name(std::string_view name) {
    const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
    return !name.empty() && name.size() <= 64 && lower(name.front()) &&
           std::all_of(name.begin(), name.end(),
                       [&](char c) { return lower(c) || (c >= '0' && c <= '9') || c == '_'; });
}

std::size_t count_outputs(const json::value& input_schema) {
    std::size_t outputs = 0;
    for_each_subschema(input_schema, "", [&](const json::value& node, const std::string&) {
        outputs += is_output_role(string_member(node, "x-gdalmcp")) ? 1 : 0;
    });
    return outputs;
}

std::vector<base::problem> lint_tool(const json::value& text) {
    findings found;
    if (!is_tool_name(string_member(text, "name")))
        found.add("/name", "tool name " + base::write_json(text.at("name")) + " is not usable",
                  "use [a-z][a-z0-9_]{0,63}");
    const auto length = base::count_characters(string_member(text, "description"));
    if (length == 0 || length > max_description)
        found.add("/description",
                  "the description has " + std::to_string(length) + " characters; 1 to " +
                      std::to_string(max_description) + " are allowed",
                  "put the rule first; details belong to the arguments");
    for (const char* member : {"input_schema", "output_schema"}) {
        const auto* schema = find_member(text, member);
        if (!schema) continue;
        const std::string at = std::string{"/"} + member;
        for (auto& p : base::lint_schema(*schema)) found.add(at + p.at, std::move(p.message), std::move(p.hint));
        const bool is_input = std::string_view{member} == "input_schema";
        std::set<std::string> headers;
        for_each_subschema(*schema, at, [&](const json::value& node, const std::string& here) {
            lint_values(node, here, found);
            lint_node(node, here, found);
            lint_header(node, here, is_input && is_reached_by_properties(here, at), headers, found);
        });
        if (is_input) {
            refuse_property(*schema, justification_argument, at, found);
            if (const auto outputs = count_outputs(*schema); outputs > 1)
                found.add(at, std::to_string(outputs) + " arguments are outputs; a tool has one",
                          "several files make one result: write them beside the primary one");
        } else {
            for (const auto name : host_members) refuse_property(*schema, name, at, found);
            const auto* arguments = find_member(text, "input_schema");
            lint_output_uris(*schema, at, arguments && count_outputs(*arguments) != 0, found);
        }
    }
    return std::move(found.list);
}

}  // namespace gdalmcp::catalog
