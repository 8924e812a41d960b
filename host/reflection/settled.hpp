// Choices that need no reason: there is no other, or none that would change the result.
#pragma once
#include "reflection/judge.hpp"

namespace gdalmcp::reflection {

// Of a ruling whose reason is missing: only_option or immaterial, with the notes that say why.
void settle_without_reason(ruling& r, const inquiry& q);

}  // namespace gdalmcp::reflection
