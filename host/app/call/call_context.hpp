// The inputs of every step of a call.
#pragma once
#include <memory>

#include "app/call/client.hpp"
#include "app/call/confined_work.hpp"
#include "app/call/dataset_facts.hpp"
#include "app/call/measurements.hpp"
#include "app/call/outcome.hpp"
#include "app/call/review.hpp"
#include "app/call/scratch_folders.hpp"
#include "app/call/tool_set.hpp"
#include "workspace/results.hpp"
#include "workspace/roots.hpp"
#include "workspace/stage.hpp"

namespace gdalmcp::app {

// The parts of a host that calls use; all outlive the calls and are thread-safe.
struct call_services {
    const workspace::roots& roots;
    workspace::results& results;
    workspace::stages& stages;
    scratch_folders& scratch;
    confined_work& work;
    dataset_facts& stated;
    measurements& measured;
    second_looks& looks;
    reflection::store& reasons;
};

struct call_context {
    call_services host;
    std::shared_ptr<const tool_set> tools;  // at the beginning of the call
    const runner::cancellation& cancel;
    const runner::call_events& events;
    const client& asker;
};

}  // namespace gdalmcp::app
