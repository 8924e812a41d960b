// The refusal of a call in prose: what stops it, what was measured, the question, and the next step.
#pragma once
#include <string>
#include <vector>

#include "reflection/gate.hpp"

namespace gdalmcp::reflection {

// At most 1000 bytes, and 400 for each further domain. `missing`: the rulings that block, at least one. `not_repeated`:
// arguments that `retry` leaves out.
std::string refusal_text(const std::vector<const ruling*>& missing, const call& c,
                         const std::vector<std::string>& not_repeated);

}  // namespace gdalmcp::reflection
