// The history of a workspace: every tool call as one line of the store's audit file.
#pragma once
#include <atomic>
#include <chrono>
#include <string>

#include "app/call/audit.hpp"

namespace gdalmcp::app {

// One call and its outcome.
struct call_record {
    std::string tool;
    std::string arguments;  // sha256:<hex> of their canonical JSON: identifies them without disclosing them
    std::string outcome;    // ok, the problem's code, or input_required: the client was asked first, nothing was done
    json::array outputs;    // path or URI of each
    json::array receipts;   // one per domain the gate ruled on
    std::chrono::system_clock::time_point started;
    std::chrono::duration<double, std::milli> took{0};
};

// The digest of a call's arguments, the justification left out: the retry after a question has the same.
std::string digest_of_arguments(const json::object& arguments);

// Safe from any thread.
class history {
public:
    explicit history(const base::own_folder& store);  // the audit file is <store>/audit.jsonl

    // {time, tool, arguments, outcome, outputs, receipts, ms}. An unwritable store is logged once and fails no call.
    void record(const call_record& o);

    json::array operations(std::size_t count) const;  // newest first
    json::array governed(std::size_t count) const;    // the same, only of calls the gate ruled on

    const audit& file() const { return file_; }

private:
    audit file_;
    std::atomic<bool> complained_{false};
};

}  // namespace gdalmcp::app
