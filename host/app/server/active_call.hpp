// One call running in a slot, and its waiter: first its request, later perhaps a task.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "app/call/client.hpp"
#include "app/call/outcome.hpp"
#include "runner/cancellation.hpp"

namespace gdalmcp::app {

class host;
class service;

// Everything here belongs to the thread of the service, but for `cancel`. The waiting side may be replaced at any time;
// empty callbacks are skipped.
struct active_call {
    std::shared_ptr<runner::cancellation> cancel = std::make_shared<runner::cancellation>();
    std::function<void(double fraction, const std::string& what)> progress;
    std::function<void(int severity, const std::string& line)> log;
    std::function<void()> takes_long;
    std::function<void(outcome)> done;  // called last
};

// Everything needed to repeat a call after it has asked. Shared, because arguments may be large and many calls may
// wait.
struct call_request {
    std::string tool;
    json::object arguments;
    client asker;
    bool wants_progress = false;
};

// Runs a tool in a slot. Its reports reach the active_call on the thread of the service, `done` last and always, also
// for a call that was cancelled, or refused because too many wait. `changed` is called before it, on the same thread,
// to notify clients of the call's changes.
// A call that continues after a question is never refused: it has waited before.
enum class turn { first, again };
std::shared_ptr<active_call> start_call(service& s, host& h, std::shared_ptr<const call_request> q, turn which,
                                        std::function<void(const outcome& o, const active_call& by)> changed);

}  // namespace gdalmcp::app
