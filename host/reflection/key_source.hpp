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

// The known facts about the inputs; the provider is called at most once per decision.
using facts_lookup = std::function<base::result<json::value>()>;

// One source, or a list of which the first present one counts. Errors name `at`.
base::result<std::vector<key_source>> parse_sources(const json::value& text, const std::string& at);

// The value of one source, null if there is none. A problem only if facts are needed and unavailable.
base::result<json::value> taken(const key_source& source, const json::value& arguments, const facts_lookup& facts,
                                const json::object* key = nullptr);

}  // namespace gdalmcp::reflection
