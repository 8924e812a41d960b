// The conditions of a spec: statements over the call's arguments, its normalised key, the facts of its
// inputs, and the answer given.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::reflection {

namespace json = boost::json;

struct condition {
    enum class subject { argument, fact, key, answer, all, any, none };
    enum class test { present, absent, one_of, not_one_of, contains, ends_with, above, below, equals_key };

    subject about = subject::argument;
    std::string at;    // JSON Pointer (argument, fact, answer) or the name of a key argument
    std::string tool;  // holds for this tool only; empty = for every tool of the spec
    test what = test::present;
    std::vector<json::value> values;  // the values to compare with; text compares ignoring ASCII case
    std::string equals;               // equals_key: the name of the key argument to compare with, in its normal form
    std::vector<condition> parts;     // all, any, none (of them holds)
    std::string note;                 // reported in the receipt if this condition decides
};

// unknown = the facts are not read (yet), or could not be.
enum class truth { no, yes, unknown };

struct circumstances {
    std::string_view tool;
    const json::value* arguments = nullptr;
    // Of a call that is judged as another tool's: what was called. Conditions that name this tool see these arguments.
    std::string_view called_tool = {};
    const json::value* called_arguments = nullptr;
    const json::value* facts = nullptr;   // nullptr = not read
    const json::object* key = nullptr;    // normalised key arguments
    const json::value* answer = nullptr;  // nullptr = there is none
    // The normal form of a value taken as key argument `name`; a problem if it has none.
    std::function<base::result<json::value>(std::string_view name, const json::value& given)> normalise;
    // A text with arguments named as in the call, where it is judged as another tool's; empty: as it is.
    std::function<std::string(std::string)> as_called;
};

truth holds(const condition& c, const circumstances& here);

// Reads one condition of a spec; `at` names its place in error messages.
base::result<condition> parse_condition(const json::value& text, const std::string& at);

// null, "", [] and {} all count as absent.
bool is_absent(const json::value* v);

}  // namespace gdalmcp::reflection
