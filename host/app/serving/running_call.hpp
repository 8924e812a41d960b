// One call at work in a slot, and whoever waits for it: first the request that brought it, later perhaps a task.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "app/calls/client.hpp"
#include "app/calls/outcome.hpp"
#include "runner/cancellation.hpp"

namespace gdalmcp::app {

// Everything here belongs to the thread of the service, but for `cancel`. The waiting side may be replaced at any time;
// what is empty is not told.
struct running_call {
    std::shared_ptr<runner::cancellation> cancel = std::make_shared<runner::cancellation>();
    std::function<void(double fraction, const std::string& what)> progress;
    std::function<void(int severity, const std::string& line)> log;
    std::function<void()> takes_long;
    std::function<void(outcome)> done;  // the last that is heard of it
};

// What is called: all that a call needs to be made again after it has asked. Shared, since arguments may be large and
// many calls may wait.
struct call_request {
    std::string tool;
    json::object arguments;
    client asker;
    bool wants_progress = false;
};

}  // namespace gdalmcp::app
