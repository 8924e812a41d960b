// Evidence: measured facts shown with a question. The spec names a read-only tool and the sources of its arguments; the
// application calls it.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reflection/key_source.hpp"

namespace gdalmcp::base {
class schema;
}

namespace gdalmcp::reflection {

struct evidence_source {
    std::string name;               // its name in the question and in facts: /evidence/<name>/…
    std::string tool;               // the provider
    std::vector<std::string> only;  // the governed tools it applies to; empty: all
    std::string if_given;           // pointer of an argument without which a call is not measured; empty: none
    std::map<std::string, std::vector<key_source>, std::less<>> arguments;  // of the provider <- the call
    bool speaks_for_call = false;  // the provider reads its arguments as the tool does, so what it refuses would fail

    bool speaks_of(std::string_view governed_tool) const;
    bool applies_to(std::string_view governed_tool, const json::value& call_arguments) const;
};

const base::schema& evidence_shape();  // of one entry of `evidence`
base::result<evidence_source> parse_evidence(const json::value& text, const std::string& at);

// The provider's arguments for one call; values the call lacks are left out.
json::object arguments_of(const evidence_source& e, const json::value& call_arguments, const json::value& facts,
                          const json::object& key);

// Calls a provider. Its result holds `summary`, one line with the measured numbers, and `source`, the reference of the
// formula. A problem: the provider is unknown, failed, or timed out.
using measure = std::function<base::result<json::object>(const std::string& tool, const json::object& arguments)>;

// One piece of evidence as a question shows it: {name, tool, summary, source, …} or {name, tool, absent: why, error,
// hint?}, where `error` is a code.
json::object measured(const evidence_source& e, const json::object& arguments, const measure& how);

}  // namespace gdalmcp::reflection
