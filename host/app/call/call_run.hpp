// The run of a call: its tool in a confined process, on stages of its outputs.
#pragma once
#include <chrono>
#include <utility>
#include <vector>

#include "app/call/call_plan.hpp"
#include "workspace/input_files.hpp"
#include "workspace/provenance.hpp"

namespace gdalmcp::app {

// How long each step took.
class call_times {
public:
    void mark(const char* step) {
        const auto now = std::chrono::steady_clock::now();
        ms[step] = std::chrono::duration<double, std::milli>(now - std::exchange(since_, now)).count();
    }
    json::object ms;

private:
    std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

// The call's report so far.
struct call_notes {
    json::array receipts, warnings, checks;
    json::array outputs;  // each output's entry in the result
    bool results_changed = false;
    call_times times{};
};

// Those of the tool and of the host, each once. done: the frame after the run.
json::array warnings_of(const json::object& done, const call_notes& notes);

struct written_output {
    const workspace::output* output;
    workspace::stage place;
    std::size_t chosen = 0;  // of its candidates
    json::object report{};   // of the verification
};

struct finished_run {
    runner::prepared_run prepared;
    json::object done;  // the frame after it
    std::vector<written_output> written;
    workspace::input_files input_files;  // which the inputs are made of
    confined_work::hashing hashing;      // of these, if the call leaves a record
};
// The outputs lie in their stages, unverified. `p` must outlive the result.
base::result<finished_run> run_tool(const call_context& c, const planned_call& p, call_times& times);

// Each input with the sidecars the worker read with it.
std::vector<workspace::source> sources_of(const planned_call& p, const runner::prepared_run& prepared);

}  // namespace gdalmcp::app
