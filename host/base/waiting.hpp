// Waiting for descriptors and processes until a point in time, however many signals arrive meanwhile. (A relative sleep
// restarted after each signal may never end: the kernel's timer slack is added at every start.)
#pragma once
#include <sys/types.h>

#include <chrono>
#include <optional>

namespace gdalmcp::base {

using end_time = std::optional<std::chrono::steady_clock::time_point>;  // none: for ever

// Whether a descriptor becomes readable, or its other end closes, in time; false if the time has passed.
bool is_ready_by(const end_time& end, int descriptor);

// Whether a child of this process exits in time; it stays to be reaped.
bool exits_by(const end_time& end, pid_t process);

}  // namespace gdalmcp::base
