// The bounce: the refusal of a call, with everything needed to continue.
#pragma once
#include <string>

#include "reflection/gate.hpp"

namespace gdalmcp::reflection {

struct refusal {
    std::string text;   // content[0], at most 1000 bytes, and 400 for each further domain
    json::object body;  // content[1], at most 2200 bytes a domain beside the caller's own arguments, of which
                        // those of more than 1000 bytes are not repeated
};

// REQUIRES: !v.runs()
refusal bounce(const verdict& v, const call& c);

// The call again for preflight: {tool, arguments}.
json::object retry_of(const verdict& v, const call& c);

}  // namespace gdalmcp::reflection
