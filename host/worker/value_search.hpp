// Texts among all values of a dataset, for those that worker/contents.hpp leaves out.
#pragma once
#include "base/json.hpp"
#include "runner/messages.hpp"

namespace gdalmcp::worker {

// Looks in the text fields of each of r.files, in order, for each of r.spellings; ends early when r.budget_ms runs out.
// {found: [{term: place in r.spellings, in: "layer.field", text}], at most one per term; complete: every row was read}
base::json::array search_values(const runner::request& r);

}  // namespace gdalmcp::worker
