#include "worker/zygote.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <map>

#include "runner/descriptor_passing.hpp"
#include "runner/exit_report.hpp"

namespace gdalmcp::worker {

using runner::descriptor;

namespace {

// In the child: closes all descriptors of the zygote and of its siblings except 0..2 and the two sockets. Its printed
// output goes to the host.
[[noreturn]] void become_child(int control, const descriptor& call, const descriptor& watch, const descriptor& print,
                               const sigset_t& mask, pid_t zygote, int kept_below, const child_program& serve_child) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != zygote) ::_exit(1);  // it died before the line above
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    for (const int standard : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(print.get(), standard);
    // The zygote's own stdin would be shared: its locks and flags outlive the child.
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0) ::_exit(1);
    // The control socket is not needed here; the others came after it.
    ::dup2(call.get(), control);
    const int kept = ::fcntl(watch.get(), F_DUPFD_CLOEXEC, kept_below);
    ::dup2(kept, kept_below);
    ::close_range(static_cast<unsigned>(kept_below) + 1, ~0u, 0);
    ::_exit(serve_child(control, descriptor{kept_below}));
}

class child_supervisor {
public:
    child_supervisor(int control, int kept_below, const child_program& serve_child, const preparation& prepare)
        : control_{control}, kept_below_{kept_below}, serve_child_{serve_child}, prepare_{prepare}, self_{::getpid()} {
        sigset_t chld;
        sigemptyset(&chld);
        sigaddset(&chld, SIGCHLD);
        auto blocked = chld;
        sigaddset(&blocked, SIGTERM);  // from now on it ends when the host closes the control socket
        ::sigprocmask(SIG_BLOCK, &blocked, &mask_);
        signals_ = descriptor{::signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK)};
    }

    int run() {
        for (;;) {
            std::array<pollfd, 2> fds{{{control_, POLLIN, 0}, {signals_.get(), POLLIN, 0}}};
            // A call often uses several processes in turn; none should wait for a preparation.
            constexpr int pause_ms = 20;
            const int ready = ::poll(fds.data(), fds.size(), to_prepare_.empty() ? -1 : pause_ms);
            if (ready < 0 && errno != EINTR) return 1;
            if (ready == 0 && !to_prepare_.empty()) prepare_one();
            if (ready <= 0) continue;
            if (fds[1].revents) reap();
            if (fds[0].revents && !serve_one()) return end();
        }
    }

private:
    bool serve_one() {
        auto r = runner::receive_descriptors(control_, 3);
        if (r.end_of_stream) return false;
        if (!r.text.empty()) to_prepare_.push_back(std::move(r.text));
        if (r.descriptors.empty()) return true;  // not a request; the host sees its sockets closed
        const pid_t pid = ::_Fork();             // keeps connections to PROJ's database, see proj_database.hpp
        if (pid == 0)
            become_child(control_, r.descriptors[0], r.descriptors[1], r.descriptors[2], mask_, self_, kept_below_,
                         serve_child_);
        if (pid < 0) return true;  // both sockets close: the host reports it
        const descriptor pidfd{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
        if (!pidfd || !runner::send_descriptors(r.descriptors[1].get(), {pidfd.get()})) ::kill(pid, SIGKILL);
        children_.emplace(pid, std::move(r.descriptors[1]));
        return true;
    }

    void reap() {
        signalfd_siginfo ignored{};
        while (::read(signals_.get(), &ignored, sizeof ignored) > 0) {}
        for (;;) {
            int status = 0;
            rusage used{};
            const pid_t pid = ::wait4(-1, &status, WNOHANG, &used);
            if (pid <= 0) return;
            const auto found = children_.find(pid);
            if (found == children_.end()) continue;
            const runner::exit_report report{status, used.ru_maxrss};
            ::send(found->second.get(), &report, sizeof report, MSG_NOSIGNAL);
            children_.erase(found);
        }
    }

    void prepare_one() {
        prepare_(to_prepare_.front());
        to_prepare_.pop_front();
    }

    int end() {
        for (const auto& [pid, watch] : children_) ::kill(pid, SIGKILL);
        return 0;
    }

    int control_, kept_below_;
    const child_program& serve_child_;
    const preparation& prepare_;
    pid_t self_;
    sigset_t mask_{};
    descriptor signals_;
    std::map<pid_t, descriptor> children_;
    std::deque<std::string> to_prepare_;
};

}  // namespace

int serve_zygote(int control, int kept_below, const child_program& serve_child, const preparation& prepare) {
    return child_supervisor{control, kept_below, serve_child, prepare}.run();
}

}  // namespace gdalmcp::worker
