// What a confined process tells while it runs.
#pragma once
#include <functional>
#include <string_view>

namespace gdalmcp::runner {

// Each may be empty. All are called from the thread that waits for the process, one after another and in the order the
// process spoke, before the call's answer is known; none after the call was told to stop. They must not block: the call
// is not watched meanwhile.
struct call_events {
    std::function<void(double fraction, std::string_view what)> progress;
    std::function<void(int level, std::string_view text)> log;  // syslog levels, 0 (emergency) to 7 (debug)
    std::function<void()> takes_long;                           // the tool knows that this call is going to take long
};

}  // namespace gdalmcp::runner
