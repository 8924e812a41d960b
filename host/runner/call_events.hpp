// Events of a confined process while it runs.
#pragma once
#include <functional>
#include <string_view>

#include "base/json.hpp"
#include "runner/messages.hpp"

namespace gdalmcp::runner {

// Each may be empty. All are called from the thread that waits for the process, one at a time in the order of its
// frames, before the call's answer is known, and never after the call was told to stop. They must not block: the call
// is not watched meanwhile.
struct call_events {
    // Before plugin code runs. A problem ends the call, which then failed with it.
    std::function<base::result<void>(const prepared_run&)> prepared;
    std::function<void(double fraction, std::string_view what)> progress;
    std::function<void(int level, std::string_view text)> log;  // syslog levels, 0 (emergency) to 7 (debug)
    std::function<void()> takes_long;                           // the tool announces that this call takes long
    // Requests worker/observation.hpp and receives its frame, also after the call was told to stop.
    std::function<void(const base::json::value& frame)> observed;
    // Whether a process that runs out of time is told to stop before it is killed.
    bool patient = true;
};

}  // namespace gdalmcp::runner
