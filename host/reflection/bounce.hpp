// The bounce: the refusal of a call, with everything needed to continue.
#pragma once
#include <string>

#include "reflection/gate.hpp"

namespace gdalmcp::reflection {

struct refusal {
    std::string text;   // content[0], at most 1500 bytes
    json::object body;  // content[1]
};

// REQUIRES: !v.runs()
refusal bounce(const verdict& v, const call& c);

// One entry of "missing": the question of this ruling with everything needed to answer it.
json::object missing_entry(const ruling& r, const call& c);

// The call again, with a skeleton `justification` for every blocked domain: {tool, arguments}.
json::object retry_of(const verdict& v, const call& c);

}  // namespace gdalmcp::reflection
