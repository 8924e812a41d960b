// The system calls of a confined process, beside files. It is inherited by threads and cannot be taken back.
#pragma once
#include <linux/filter.h>

#include <utility>
#include <vector>

#include "base/problem.hpp"
#include "runner/descriptor.hpp"

namespace gdalmcp::worker {

// A compiled filter. See syscall_filter.cpp for what it denies and why.
class syscall_filter {
public:
    // network: internet sockets may be opened and connected, never listened on. Takes about a millisecond, so that a
    // zygote compiles the one without it for all its children, and a call that was granted the network its own.
    static base::result<syscall_filter> compile(bool network);
    // Denied calls fail with EPERM, those that libraries do without fail with ENOSYS. Sets no_new_privs. Returns the
    // descriptor at which the start of each thread waits for runner::thread_limit; none where this kernel or the
    // supervisor of a container does not allow one; then threads start without asking.
    base::result<runner::descriptor> install() const;

private:
    explicit syscall_filter(std::vector<sock_filter> program) : program_{std::move(program)} {}
    std::vector<sock_filter> program_;
};

}  // namespace gdalmcp::worker
