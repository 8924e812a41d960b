// Reasons on their way from one workspace to another: records as they are stored, or portable capsules that other
// programs read, too.
#pragma once
#include <memory>
#include <string>

#include "base/json.hpp"
#include "reflection/crs.hpp"
#include "reflection/record.hpp"
#include "reflection/specs.hpp"

namespace gdalmcp::reflection {

// The full form of a reason: {domain: "<domain>_justification", intent{description, context?}, assumptions{known,
// uncertain, dependencies}, candidate_methods{considered, rejected[{method, reason}]}, selected_method{name, rationale,
// tradeoffs}, epistemic_status{confidence_level, residual_uncertainty_sources, conditions_for_revisit}}, and in `_meta`
// the members that restore the record: prompt_args, prompt_hash, chosen_by, tool_name, parents, timestamp.
json::object capsule_of(const record& r);

// A record or a capsule from elsewhere, checked like a new answer, its keys recomputed. A capsule without
// `_meta.prompt_args` is accepted if the choice is the whole key. `now` is the default timestamp. Errors: an unknown
// domain; a record whose keys, digest or answer do not fit; a capsule that answered another wording of the question.
base::result<record> read_exchanged(const json::value& given, const std::shared_ptr<const specs>& asked,
                                    const crs_lookup& crs, const std::string& now);

}  // namespace gdalmcp::reflection
