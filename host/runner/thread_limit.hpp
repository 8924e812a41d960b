// Limits the threads of one call. RLIMIT_NPROC does not bind root and counts all threads of a user; this counts one
// call and binds every user.
#pragma once
#include <sys/types.h>

#include <chrono>

#include "runner/descriptor.hpp"

namespace gdalmcp::runner {

inline constexpr unsigned max_threads = 512;  // of one call

// Of one process, whose worker sends a descriptor before plugin code runs; until then it has one thread.
class thread_limit {
public:
    // Polling interval where starts do not wait for us.
    static constexpr std::chrono::milliseconds interval{10};

    thread_limit() = default;
    // sent: the descriptor on which the start of each thread waits for an answer (see worker/syscall_filter.hpp), or,
    // where the kernel has none, the process's /proc/self/task.
    explicit thread_limit(descriptor sent);

    int fd() const { return starts_.get(); }  // becomes readable when a thread waits to start; for poll
    bool timed() const { return static_cast<bool>(tasks_); }
    // Admits a waiting thread, if any. False, and the thread keeps waiting, when the process is at its limit.
    bool admit();
    // REQUIRES: timed().
    bool met() const;

private:
    descriptor starts_, tasks_;
};

}  // namespace gdalmcp::runner
