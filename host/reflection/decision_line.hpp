// A decision of the gate as one line of the log.
#pragma once
#include <string>

#include "reflection/gate.hpp"

namespace gdalmcp::reflection {

// "crs_datum: proceed, hit, sha256:…: reason of 2026-01-02, …": the decision; whether a reason was found (hit, miss,
// stale, foreign record, not looked up); the key; why.
std::string decision_line(const ruling& r);

}  // namespace gdalmcp::reflection
