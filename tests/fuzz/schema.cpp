// A schema in the first line, an instance in each of the others. What a tool may offer can be checked, everything the
// same way every time and as JSON Schema says; text is read as what the schema wants once and for all, and so are
// defaults filled in.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/pointer.hpp"
#include "base/schema.hpp"
#include "base/schema_lint.hpp"
#include "base/text.hpp"
#include "catalog/lint.hpp"
#include "promise.hpp"

namespace {

using namespace gdalmcp;
using base::find_member;
using fuzz::must;
namespace json = base::json;

// JSON Schema by the book, for the keywords that need no other library.
bool is_of_type(const json::value& v, std::string_view type) {
    if (type == "integer") return v.is_int64() || v.is_uint64() || (v.is_double() && std::trunc(v.get_double()) == v);
    return (type == "object" && v.is_object()) || (type == "array" && v.is_array()) ||
           (type == "string" && v.is_string()) || (type == "number" && v.is_number()) ||
           (type == "boolean" && v.is_bool()) || (type == "null" && v.is_null());
}

bool is_within(const json::value& limit, std::string_view keyword, const json::value& v) {
    const auto bound = limit.to_number<double>();
    if (v.is_number()) {
        const auto n = v.to_number<double>();
        if (keyword == "minimum") return n >= bound;
        if (keyword == "maximum") return n <= bound;
        if (keyword == "exclusiveMinimum") return n > bound;
        if (keyword == "exclusiveMaximum") return n < bound;
    }
    const auto size = [&](std::string_view of) -> double {
        if (of == "Items" && v.is_array()) return static_cast<double>(v.get_array().size());
        if (of == "Properties" && v.is_object()) return static_cast<double>(v.get_object().size());
        if (of == "Length" && v.is_string()) return static_cast<double>(base::count_characters(v.get_string()));
        return bound;
    }(keyword.substr(3));
    return keyword.starts_with("min") ? size >= bound : size <= bound;
}

// To the validator a number beyond 64 bits with a sign is none, and beyond 2^53 its comparisons round.
bool is_exact(const json::value& v) { return !v.is_number() || std::abs(v.to_number<double>()) < 9007199254740992.0; }

// Nothing: a keyword is not among those, or a number not exact.
std::optional<bool> holds(const json::value& schema, const json::value& v);

std::optional<bool> all_hold(const json::value& schemas, const json::value& v, bool is_object) {
    bool all = true;
    if (is_object && v.is_object())
        for (const auto& m : v.get_object())
            if (const auto* s = find_member(schemas, m.key())) {
                const auto one = holds(*s, m.value());
                if (!one) return std::nullopt;
                all = all && *one;
            }
    if (!is_object && v.is_array())
        for (const auto& e : v.get_array()) {
            const auto one = holds(schemas, e);
            if (!one) return std::nullopt;
            all = all && *one;
        }
    return all;
}

std::optional<bool> keyword_holds(std::string_view keyword, const json::value& wanted, const json::value& v) {
    if (keyword == "title" || keyword == "description" || keyword == "default" || keyword == "examples") return true;
    if (keyword == "type" && wanted.is_string()) return is_of_type(v, wanted.get_string());
    if (keyword == "const") return v == wanted;
    if (keyword == "enum" && wanted.is_array()) {
        const auto& all = wanted.get_array();
        return std::find(all.begin(), all.end(), v) != all.end();
    }
    if (keyword == "required" && wanted.is_array()) {
        for (const auto& name : wanted.get_array())
            if (name.is_string() && v.is_object() && !v.get_object().contains(name.get_string())) return false;
        return true;
    }
    if (keyword == "multipleOf" && v.is_number() && wanted.is_number())
        return std::abs(std::remainder(v.to_number<double>(), wanted.to_number<double>())) <=
               std::numeric_limits<double>::epsilon();
    if (keyword == "properties") return all_hold(wanted, v, true);
    if (keyword == "items") return all_hold(wanted, v, false);
    if (wanted.is_number() && (keyword.find("inimum") != keyword.npos || keyword.find("aximum") != keyword.npos ||
                               keyword.starts_with("min") || keyword.starts_with("max")))
        return is_within(wanted, keyword, v);
    return std::nullopt;
}

std::optional<bool> holds(const json::value& schema, const json::value& v) {
    bool all = true;
    if (!is_exact(v)) return std::nullopt;
    for (const auto& m : schema.as_object()) {
        if (!is_exact(m.value())) return std::nullopt;
        const auto one = keyword_holds(m.key(), m.value(), v);
        if (!one) return std::nullopt;
        all = all && *one;
    }
    return all;
}

constexpr std::string_view not_checked = "cannot be checked: ";

void check(const base::schema& s, const json::value& instance) {
    const auto checked = s.check(instance);
    const auto again = s.check(instance);
    must(checked.has_value() == again.has_value());
    if (checked) return;
    const auto& e = checked.error();
    must(!e.message.empty() && e.message == again.error().message && base::is_utf8(e.message));
    must(e.at.empty() || base::at_pointer(instance, e.at.substr(0, e.at.rfind('/'))));
    if (!e.message.starts_with(not_checked))
        if (const auto expected = holds(s.text(), instance)) must(!*expected);
}

void prepare(const base::schema& s, json::value instance) {
    const bool fits = s.check(instance).has_value();
    if (fits)
        if (const auto expected = holds(s.text(), instance)) must(*expected);
    s.reify(instance);
    check(s, instance);
    if (fits) must(s.check(instance).has_value());
    auto again = instance;
    s.reify(again);
    must(again == instance);

    const auto given = instance;
    s.fill_defaults(instance);
    auto filled = instance;
    s.fill_defaults(filled);
    must(filled == instance);
    if (const auto* members = given.if_object())
        for (const auto& m : *members) must(find_member(instance, m.key()));
}

// Whether the arguments of a tool may have this schema.
bool may_be_offered(const json::value& schema) {
    const json::value tool(json::object{{"name", "t"}, {"description", "A tool."}, {"input_schema", schema}});
    const auto findings = catalog::lint_tool(tool);
    for (const auto& f : findings) must(!f.message.empty() && base::at_pointer(tool, f.at));
    return findings.empty();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    auto text = fuzz::text_of(bytes, size);
    const auto next = [&] {
        const auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        return base::parse_json(line);
    };
    const auto wanted = next();
    if (!wanted) return 0;
    const auto findings = base::lint_schema(*wanted);
    for (const auto& f : findings) must(!f.message.empty() && base::at_pointer(*wanted, f.at));
    const auto s = base::schema::compile(*wanted);
    must(fuzz::answered(s) == findings.empty());
    const bool offered = may_be_offered(*wanted);
    must(s || !offered);
    if (!s) return 0;
    while (!text.empty()) {
        const auto instance = next();
        if (!instance) continue;
        check(*s, *instance);
        if (const auto ok = s->check(*instance); offered && !ok) must(!ok.error().message.starts_with(not_checked));
        prepare(*s, *instance);
    }
    return 0;
}
