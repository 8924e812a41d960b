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
#include <utility>

#include "runner/descriptor_passing.hpp"
#include "runner/exit_report.hpp"

namespace gdalmcp::worker {

using runner::descriptor;

namespace {

// In the child: closes all descriptors of the zygote and of its siblings except 0..2 and those all calls share, waits
// for the three of its request, and answers it. Its printed output goes to the host.
[[noreturn]] void become_child(const descriptor& request, int control, const sigset_t& mask, pid_t zygote,
                               int kept_below, const child_program& program) {
    std::array<char, 16> name{};
    ::prctl(PR_GET_NAME, name.data());
    ::prctl(PR_SET_NAME, "gdal-mcp-next");  // tells whoever lists processes that no call runs here
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != zygote) ::_exit(1);  // it died before the line above
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    // The zygote's own stdin would be shared: its locks and flags outlive the child.
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0) ::_exit(1);
    // The control socket is not needed here; the others came after it.
    if (::dup2(request.get(), control) < 0) ::_exit(1);
    const auto close_from = [](int first) { ::close_range(static_cast<unsigned>(first), ~0u, 0); };
    close_from(kept_below);
    if (!program.begin()) ::_exit(1);
    auto r = runner::receive_descriptors(control, 3);
    if (r.descriptors.empty()) ::_exit(0);  // no longer wanted
    if (::send(control, "", 1, MSG_NOSIGNAL) != 1) ::_exit(1);
    ::prctl(PR_SET_NAME, name.data());
    for (const int standard : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(r.descriptors[2].get(), standard);
    ::dup2(r.descriptors[0].get(), control);
    const int watch = ::fcntl(r.descriptors[1].get(), F_DUPFD_CLOEXEC, kept_below);
    r.descriptors.clear();
    ::dup2(watch, kept_below);
    close_from(kept_below + 1);
    ::_exit(program.serve(control, descriptor{kept_below}));
}

class child_supervisor {
public:
    child_supervisor(int control, int kept_below, const child_program& program, const preparation& prepare)
        : control_{control}, kept_below_{kept_below}, program_{program}, prepare_{prepare}, self_{::getpid()} {
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
            const bool idle = to_prepare_.empty() && children_.empty() && !next_.waits() && !fork_failed_;
            const int ready = ::poll(fds.data(), fds.size(), idle ? 0 : to_prepare_.empty() ? -1 : pause_ms);
            if (ready == 0 && idle) fork_failed_ = !fork_next();
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
        const auto& call = r.descriptors[0];
        auto& watch = r.descriptors[1];
        const auto& print = r.descriptors[2];
        for (int attempt = 0; attempt < 2; ++attempt) {
            fork_failed_ = !next_.waits() && !fork_next();
            if (fork_failed_) return true;  // all three close: the host reports it
            const auto child = std::exchange(next_, {});
            const bool begun = runner::send_descriptors(child.request.get(), {call.get(), watch.get(), print.get()}) &&
                               child.has_taken_call() && runner::send_descriptors(watch.get(), {child.pidfd.get()});
            if (begun) {
                children_.emplace(child.pid, std::move(watch));
                return true;
            }
            ::kill(child.pid, SIGKILL);  // it was killed or stopped while it waited: the call gets another
        }
        return true;
    }

    // A child that waits for its request; it ends when `request` closes.
    struct waiting_child {
        pid_t pid = -1;
        descriptor pidfd, request;
        bool waits() const { return pid > 0; }
        // Whether the call has begun; false for a process that has ended or does not run within a second.
        bool has_taken_call() const {
            constexpr int longest_ms = 1000;
            std::array<pollfd, 2> fds{{{request.get(), POLLIN, 0}, {pidfd.get(), POLLIN, 0}}};
            while (::poll(fds.data(), fds.size(), longest_ms) < 0 && errno == EINTR) {}
            char sign = 0;
            return ::recv(request.get(), &sign, 1, MSG_DONTWAIT) == 1;
        }
    };

    bool fork_next() {
        std::array<int, 2> ends{};
        if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return false;
        descriptor request{ends[0]};
        const descriptor of_child{ends[1]};
        const pid_t pid = ::_Fork();  // keeps connections to PROJ's database, see proj_database.hpp
        if (pid == 0) become_child(of_child, control_, mask_, self_, kept_below_, program_);
        if (pid < 0) return false;
        descriptor pidfd{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
        if (pidfd) next_ = {pid, std::move(pidfd), std::move(request)};
        return next_.waits();
    }

    void reap() {
        signalfd_siginfo ignored{};
        while (::read(signals_.get(), &ignored, sizeof ignored) > 0) {}
        for (;;) {
            int status = 0;
            rusage used{};
            const pid_t pid = ::wait4(-1, &status, WNOHANG, &used);
            if (pid <= 0) return;
            if (pid == next_.pid) {
                next_ = {};
                fork_failed_ = true;
            }
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
        next_ = {};  // it was forked before
    }

    int end() {
        for (const auto& [pid, watch] : children_) ::kill(pid, SIGKILL);
        return 0;
    }

    int control_, kept_below_;
    const child_program& program_;
    const preparation& prepare_;
    pid_t self_;
    sigset_t mask_{};
    descriptor signals_;
    waiting_child next_;
    bool fork_failed_ = false;  // or the child ended before its call; not tried again before the next request
    std::map<pid_t, descriptor> children_;
    std::deque<std::string> to_prepare_;
};

}  // namespace

int serve_zygote(int control, int kept_below, const child_program& program, const preparation& prepare) {
    return child_supervisor{control, kept_below, program, prepare}.run();
}

}  // namespace gdalmcp::worker
