#include "base/waiting.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/descriptor.hpp"

namespace gdalmcp::base {

bool is_ready_by(const end_time& end, int descriptor) {
    using clock = std::chrono::steady_clock;
    for (;;) {
        std::chrono::milliseconds left{-1};
        if (end) left = std::chrono::ceil<std::chrono::milliseconds>(*end - clock::now());
        if (end && left.count() <= 0) return false;
        pollfd wanted{descriptor, POLLIN, 0};
        const int n = ::poll(&wanted, 1, static_cast<int>(left.count()));
        if (n >= 0 || errno != EINTR) return n > 0;
    }
}

bool exits_by(const end_time& end, pid_t process) {
    const descriptor pidfd{static_cast<int>(::syscall(SYS_pidfd_open, process, 0))};
    return !pidfd || is_ready_by(end, pidfd.get());
}

}  // namespace gdalmcp::base
