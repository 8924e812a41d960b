// How many threads one call may have. RLIMIT_NPROC does not bind root and counts all that a user runs; this counts the
// call, and binds everybody.
#pragma once
#include <sys/types.h>

#include <chrono>

#include "runner/descriptor.hpp"

namespace gdalmcp::runner {

inline constexpr unsigned max_threads = 512;  // of one call

// Of one process, whose worker sends a descriptor before plugin code runs; until then it has one thread.
class thread_limit {
public:
    // How often to look where starts do not wait.
    static constexpr std::chrono::milliseconds interval{10};

    thread_limit() = default;
    // sent: where the start of each thread waits to be answered (see worker/syscall_filter.hpp), or, where there is no
    // such descriptor to be had, the process's /proc/self/task.
    explicit thread_limit(descriptor sent);

    int fd() const { return starts_.get(); }  // becomes readable when a thread waits to start; for poll
    bool timed() const { return static_cast<bool>(tasks_); }
    // Lets the thread start that waits, if one does. False, and it waits on, when the process has as many as it may.
    bool admit();
    // REQUIRES: timed().
    bool met() const;

private:
    descriptor starts_, tasks_;
};

}  // namespace gdalmcp::runner
