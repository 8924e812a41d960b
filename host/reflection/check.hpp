// Checks of a choice against the data. Deterministic; each names the two facts that disagree.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "reflection/condition.hpp"
#include "reflection/policy.hpp"

namespace gdalmcp::base {
class schema;
}

namespace gdalmcp::reflection {

struct check {
    std::string name;
    condition when;       // holds = the choice and the data disagree
    std::string message;  // the sentence; {/input/kind} is a fact, {key:method}, {argument:/stats},
                          // {answer:/facts/use}, {percent:/…} a share
    std::string advice;   // a fitting alternative, may be empty
    check_outcome outcome = check_outcome::warn;
    std::string count;                  // JSON Pointer of the fact that says how many cells it concerns; may be empty
    std::vector<std::string> found_in;  // facts and arguments, as in the message, that name the data it is about;
                                        // empty: the input
};

const base::schema& check_shape();  // of one entry of `checks`
base::result<check> parse_check(const json::value& text, const std::string& at);

// A text with its placeholders, as those of a message, replaced; "(not known)" where there is no value.
std::string filled(std::string_view text, const circumstances& here);

// A conflict found in this call.
struct finding {
    std::string check;
    check_outcome outcome = check_outcome::warn;
    std::string text;  // "dem.tif holds class codes (it has a palette), and bilinear makes averages of them"
    std::string advice;
    json::value count = nullptr;  // of the cells it concerns
    json::array data = {};        // it is about, as the check's `found_in` names them; empty: the input
    std::string found_in = {};    // a digest of these data and of what of them is read; empty: the input
    std::string where = {};       // the same in words: "a.tif and 1 more, band [2]"
};

// The policy's outcome of a check overrides the spec's. Conditions on unreadable facts find nothing.
std::vector<finding> findings_of(const std::vector<check>& checks, const circumstances& here, const policy& p);

}  // namespace gdalmcp::reflection
