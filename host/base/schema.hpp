// The subset of JSON Schema that clients accept and the host enforces.
#pragma once
#include <memory>
#include <string_view>

#include "base/json.hpp"

namespace gdalmcp::base {

// Beside an `enum`: synonyms of its values, {"uint8": "Byte"}. Accepted from callers, never shown to them.
constexpr std::string_view synonyms_keyword = "x-gdalmcp-synonyms";

// Validates instances and prepares arguments. Immutable, cheap to copy, safe from any thread.
//   auto s = schema::compile(tool_schema);
//   s->reify(args);                    // "[1,2]" -> [1,2] where the schema wants an array
//   if (auto ok = s->check(args); !ok) …;
//   s->fill_defaults(args);
class schema {
public:
    // Errors: the first of lint_schema's findings. The validator is made at the first check; a keyword whose value is
    // of the wrong type is found then.
    static result<schema> compile(const json::value& text);
    // A schema that the program itself holds. Throws tl::bad_expected_access if it is none.
    static schema constant(const char* json);

    // The first violation, as invalid_argument with `at` set to the JSON Pointer of the offending member and a message
    // that names the value and what was expected; `whole` names the instance itself in the message.
    result<void> check(const json::value& instance, std::string_view whole = "the arguments") const;

    // Clients send arrays, objects, numbers and booleans as JSON text; where the schema wants such a type and the
    // instance holds a string that parses to it, the string is replaced. Strings stay strings where the schema allows a
    // string. A word that is not in the `enum` of its place, but one of its synonyms (above) or a value of it in other
    // case or with other separators (- _ blank), becomes that value. Values with the role of a CRS are spelled by
    // crs_spelling. An optional member that is null is removed: clients that fill in every member mean by it that they
    // leave it out. (1.0 is already an integer: parse_json makes it one.)
    void reify(json::value& instance) const;

    // Adds the members that are missing and have a `default`, at any depth of `properties`.
    void fill_defaults(json::value& instance) const;

    const json::value& text() const;

private:
    struct parts;
    explicit schema(std::shared_ptr<const parts> p) : parts_{std::move(p)} {}
    // Of an instance that is at `base` in another.
    result<void> check_part(const json::value& instance, std::string_view whole, const std::string& base) const;
    std::shared_ptr<const parts> parts_;
};

}  // namespace gdalmcp::base
