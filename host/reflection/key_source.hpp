// Where a value of the spec comes from in a call: a key argument, an argument of an evidence provider, a cell size.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace gdalmcp::reflection {

namespace json = boost::json;

struct key_source {
    enum class origin { argument, extension, option, fact, key, literal };
    origin from = origin::argument;
    std::string at;      // JSON Pointer (argument, extension, option, fact), or the name of a key argument
    std::string option;  // origin::option: NAME in ["NAME=VALUE", …] or {"NAME": VALUE}
    json::value value;   // origin::literal
};

// What is known about the inputs; asked for at most once per decision by whoever provides it.
using facts_lookup = std::function<base::result<json::value>()>;

// One source, or a list of which the first present one counts. Errors name `at`.
base::result<std::vector<key_source>> parse_sources(const json::value& text, const std::string& at);

// What one source gives, null when nothing. A problem only when facts are needed and cannot be had.
base::result<json::value> taken(const key_source& source, const json::value& arguments, const facts_lookup& facts,
                                const json::object* key = nullptr);

}  // namespace gdalmcp::reflection
