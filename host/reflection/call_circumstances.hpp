// What the conditions of a spec see of a call.
#pragma once
#include "reflection/gate.hpp"

namespace gdalmcp::reflection {

// Before the facts are known; `s` and `c` outlive the result.
circumstances around(const spec& s, const call& c);
// With the ruling's key and facts.
circumstances around(const ruling& r, const call& c);

// The first condition that holds; `open` is true if another one might hold once the facts are known.
const condition* first_that_holds(const std::vector<condition>& conditions, const circumstances& here, bool& open);

// What the spec's title_when calls the choice: "data type Int16 (dtype)"; empty: what it calls every choice.
std::string own_title(const spec& s, const circumstances& here);

// The question in one line: that of the spec's question_when, else the spec's.
std::string question_line(const spec& s, const circumstances& here);

}  // namespace gdalmcp::reflection
