// Outputs of a tool: re-opened without the tool's code, then published: at the target with a provenance record, or
// among the managed results.
#pragma once
#include "app/call/call_run.hpp"

namespace gdalmcp::app {

// Fills in each output's report, and removes files from its stage that do not belong to it.
base::result<void> verify_outputs(const call_context& c, const planned_call& p, finished_run& run, call_notes& notes);

// REQUIRES: verified outputs.
base::result<void> publish_outputs(const call_context& c, const planned_call& p, finished_run& run, call_notes& notes);

}  // namespace gdalmcp::app
