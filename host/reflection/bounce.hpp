// The bounce: the refusal of a call, with everything needed to continue.
#pragma once
#include <string>

#include "reflection/gate.hpp"

namespace gdalmcp::reflection {

struct refusal {
    std::string text;   // content[0], at most 1000 bytes, and 400 for each further domain
    json::object body;  // content[1], at most 2200 bytes a domain beside the caller's own arguments
};

// REQUIRES: !v.runs()
refusal bounce(const verdict& v, const call& c);

// The question of this ruling with everything known about it; an entry of a refusal's "missing" is its short form.
json::object missing_entry(const ruling& r, const call& c);

// The call again, with a skeleton `justification` for every blocked domain: {tool, arguments}.
json::object retry_of(const verdict& v, const call& c);

}  // namespace gdalmcp::reflection
