// Checks: does the choice fit the data? Deterministic; each names the two facts that disagree.
#pragma once
#include <string>
#include <vector>

#include "base/json.hpp"
#include "reflection/condition.hpp"
#include "reflection/policy.hpp"

namespace gdalmcp::reflection {

struct check {
    std::string name;
    condition when;       // holds = the choice and the data disagree
    std::string message;  // the sentence; {/input/kind} is a fact, {key:method}, {argument:/stats},
                          // {answer:/facts/use}, {percent:/…} a share
    std::string advice;   // what would fit, may be empty
    check_outcome outcome = check_outcome::warn;
};

base::result<check> parse_check(const json::value& text, const std::string& at);

// A conflict found in this call.
struct finding {
    std::string check;
    check_outcome outcome = check_outcome::warn;
    std::string text;  // "dem.tif holds class codes (it has a palette), and bilinear makes averages of them"
    std::string advice;
};

// The policy's word about a check counts before the spec's. Conditions on facts nobody could read find nothing.
std::vector<finding> findings_of(const std::vector<check>& checks, const circumstances& here, const policy& p);

}  // namespace gdalmcp::reflection
