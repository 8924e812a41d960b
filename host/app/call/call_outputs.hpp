// What a tool has written: opened again without its code, then put in its place: beside the target with a record of how
// it was made, or among the managed results.
#pragma once
#include "app/call/call_run.hpp"

namespace gdalmcp::app {

// Fills in each output's report, and leaves in its stage only what belongs to it.
base::result<void> verify_outputs(const call_context& c, const planned_call& p, finished_run& run, call_notes& notes);

// REQUIRES: verified outputs.
base::result<void> publish_outputs(const call_context& c, const planned_call& p, finished_run& run, call_notes& notes);

}  // namespace gdalmcp::app
