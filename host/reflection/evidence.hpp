// Evidence: measured facts shown with a question. The spec names a read-only tool and where its arguments come from;
// who calls it is the application's business.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reflection/key_source.hpp"

namespace gdalmcp::reflection {

struct evidence_source {
    std::string name;               // what it is called in the question and in facts: /evidence/<name>/…
    std::string tool;               // the provider
    std::vector<std::string> only;  // the governed tools it speaks about; empty: all
    std::map<std::string, std::vector<key_source>, std::less<>> arguments;  // of the provider <- the call

    bool speaks_of(std::string_view governed_tool) const;
};

base::result<evidence_source> parse_evidence(const json::value& text, const std::string& at);

// The provider's arguments for one call; what the call does not say is left out.
json::object arguments_of(const evidence_source& e, const json::value& call_arguments, const json::value& facts,
                          const json::object& key);

// Calls a provider. Its result holds `summary`, one line with the measured numbers, and `source`, where the formula is
// from. A problem: there is no such provider, it failed, or it took too long.
using measure = std::function<base::result<json::object>(const std::string& tool, const json::object& arguments)>;

// One piece of evidence as a question shows it: {name, tool, summary, source, …} or {name, tool, absent: why}.
json::object measured(const evidence_source& e, const json::object& arguments, const measure& how);

}  // namespace gdalmcp::reflection
