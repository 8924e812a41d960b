#include "runner/thread_limit.hpp"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>

namespace gdalmcp::runner {

namespace {

// /proc/PID/task has a link for itself, its parent and each thread, so st_nlink gives the count.
bool is_full(const struct stat& tasks) { return tasks.st_nlink >= 2 + max_threads; }

}  // namespace

thread_limit::thread_limit(descriptor sent) {
    struct stat s {};
    (::fstat(sent.get(), &s) == 0 && S_ISDIR(s.st_mode) ? tasks_ : starts_) = std::move(sent);
}

bool thread_limit::met() const {
    struct stat tasks {};
    return ::fstat(tasks_.get(), &tasks) == 0 && is_full(tasks);
}

bool thread_limit::admit() {
    seccomp_notif waiting{};
    if (::ioctl(starts_.get(), SECCOMP_IOCTL_NOTIF_RECV, &waiting) != 0) {
        if (errno != EINTR && errno != ENOENT) starts_.reset();  // ENOENT: the start was interrupted; it repeats
        return true;
    }
    struct stat tasks {};
    if (::stat(("/proc/" + std::to_string(waiting.pid) + "/task").c_str(), &tasks) == 0 && is_full(tasks)) return false;
    // The decision depends on no memory of the process, so there is no race.
    seccomp_notif_resp go_on{waiting.id, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    ::ioctl(starts_.get(), SECCOMP_IOCTL_NOTIF_SEND, &go_on);  // fails if the thread has ended meanwhile
    return true;
}

}  // namespace gdalmcp::runner
