// The gate's facts about a call's inputs: read by a confined probe, completed by statements about the datasets.
#pragma once
#include "app/call/call_plan.hpp"

namespace gdalmcp::app {

// The facts of every input, each with `path` (as given) and `state` (see file_state); an input given as a geometry also
// has its digest.
base::result<json::value> facts_of_inputs(const call_context& c, const planned_call& p,
                                          const dataset_facts::digest_of& digest_of);

// The fact `made_by` of an input (see lineage.hpp); nothing if no step of this program's is recorded behind it.
std::optional<json::object> history_of(const call_context& c, const workspace::input& in);

// Of each input that goes back to a step made for display or preview, or in spite of a conflict: why not to measure on
// it.
std::vector<std::string> not_made_for_measuring(const call_context& c, const planned_call& p);

// Of each input whose cells were brought to another grid: which changes between it and another may come from that.
std::vector<std::string> moved_to_another_grid(const call_context& c, const planned_call& p);

// Changes when the file, a sidecar that is no index, or a source of a VRT does (workspace::content_state), short enough
// for a record.
std::string file_state(const std::filesystem::path& file);

}  // namespace gdalmcp::app
