#include "runner/zygote.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>

#include "base/log.hpp"
#include "base/waiting.hpp"
#include "runner/descriptor_passing.hpp"

namespace gdalmcp::runner {

using base::fail;
using base::result;
namespace code = base::code;

namespace {

struct socket_pair {
    descriptor ours, theirs;
};

base::problem no_descriptor(const std::string& what) {
    return {code::exhausted, "cannot create a " + what + ": " + std::strerror(errno),
            "close some files or raise the limit of open files", ""};
}

result<socket_pair> make_pair(int type) {
    std::array<int, 2> fds{};
    if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds.data()) != 0) return tl::unexpected{no_descriptor("socket")};
    return socket_pair{descriptor{fds[0]}, descriptor{fds[1]}};
}

}  // namespace

zygote::zygote(std::filesystem::path worker, std::vector<std::string> environment)
    : worker_{std::move(worker)}, environment_{std::move(environment)} {}

zygote::~zygote() {
    {
        const std::lock_guard lock{starting_};
        leaving_ = true;
    }
    asked_.notify_one();
    if (starter_.joinable()) starter_.join();
    end();
}

int zygote::end() {
    control_.reset();
    silent_since_.reset();
    int status = 0;
    if (pid_ <= 0) return status;
    ::kill(pid_, SIGTERM);  // effective only before it is ready, when it has no children
    if (!base::exits_by(clock::now() + std::chrono::seconds{2}, pid_)) ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
    pid_ = 0;
    return status;
}

void zygote::start_when_asked() {
    std::unique_lock lock{starting_};
    for (;;) {
        asked_.wait(lock, [&] { return leaving_ || start_; });
        if (leaving_) return;
        start_->set_value(spawn());
        start_.reset();
    }
}

// Called with mutex_ held, so one start is under way at most.
result<void> zygote::start() {
    std::future<result<void>> started;
    {
        const std::lock_guard lock{starting_};
        if (!starter_.joinable()) starter_ = std::thread{[this] { start_when_asked(); }};
        started = start_.emplace().get_future();
    }
    asked_.notify_one();
    return started.get();
}

pid_t zygote::pid() const {
    const std::lock_guard lock{mutex_};
    return pid_;
}

result<void> zygote::spawn() {
    auto pair = make_pair(SOCK_SEQPACKET);
    if (!pair) return tl::unexpected{pair.error()};
    // The worker finds its control socket as descriptor 3, stdin is /dev/null, stdout is our stderr.
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pair->theirs.get(), 3);
    posix_spawn_file_actions_addclosefrom_np(&actions, 4);
    // Signals the host blocks or ignores must reach the worker as usual.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, usual;
    sigemptyset(&none);
    sigfillset(&usual);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

    std::string program = worker_.string(), role = "zygote", parent = std::to_string(::getpid());
    std::array<char*, 4> argv{program.data(), role.data(), parent.data(), nullptr};
    std::vector<std::string> environment = environment_;
    std::vector<char*> envp;
    for (auto& e : environment) envp.push_back(e.data());
    envp.push_back(nullptr);
    pid_t pid = 0;
    const int failed = ::posix_spawn(&pid, program.c_str(), &actions, &attributes, argv.data(), envp.data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failed)
        return fail(code::crashed, "cannot start " + program + ": " + std::strerror(failed),
                    "check the installation with 'gdal-mcp doctor'");
    control_ = std::move(pair->ours);
    pid_ = pid;
    expected_crs_.clear();
    return {};
}

result<child> zygote::ask(const cancellation& cancel, clock::time_point until) {
    const auto asked = clock::now();
    auto call = make_pair(SOCK_STREAM), watch = make_pair(SOCK_SEQPACKET);
    if (!call) return tl::unexpected{call.error()};
    if (!watch) return tl::unexpected{watch.error()};
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return tl::unexpected{no_descriptor("pipe")};
    descriptor printed{pipe[0]}, print{pipe[1]};
    ::fcntl(printed.get(), F_SETFL, O_NONBLOCK);
    if (!send_descriptors(control_.get(), {call->theirs.get(), watch->theirs.get(), print.get()}))
        return fail(code::crashed, "the worker process is gone");
    call->theirs.reset();
    watch->theirs.reset();
    print.reset();
    std::array<pollfd, 2> fds{{{watch->ours.get(), POLLIN, 0}, {cancel.fd(), POLLIN, 0}}};
    while (!fds[0].revents) {
        if (cancel.requested()) return fail(code::cancelled, "the call was cancelled");
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now());
        if (left.count() <= 0) {
            if (!silent_since_) silent_since_ = asked;
            return fail(code::deadline, "the worker process does not answer",
                        "call again; one that stays silent for 30 s is replaced");
        }
        ::poll(fds.data(), fds.size(), static_cast<int>(left.count()));
    }
    silent_since_.reset();
    auto pidfd = receive_descriptors(watch->ours.get(), 1).descriptors;  // the first message on this socket
    if (pidfd.empty()) return fail(code::crashed, "the worker process did not answer");
    return child{std::move(call->ours), std::move(watch->ours), std::move(pidfd.front()), std::move(printed)};
}

void zygote::start_ahead() {
    const std::unique_lock lock{mutex_, std::try_to_lock};  // if held, another thread is starting it
    if (lock && !control_) static_cast<void>(start());
}

void zygote::expect_crs(std::string_view code) {
    constexpr std::size_t many = 64;
    // The text comes from a file and may be anything; codes are words.
    const auto plain = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == ':' || c == '.'; };
    const std::unique_lock lock{mutex_, std::try_to_lock};  // if held, the next call passes the code on
    if (!lock || !control_ || code.empty() || !std::all_of(code.begin(), code.end(), plain)) return;
    if (expected_crs_.size() < many && !expected_crs_.contains(code) && send_text(control_.get(), code))
        expected_crs_.emplace(code);
}

result<child> zygote::fork(const cancellation& cancel, std::chrono::milliseconds limit) {
    constexpr std::chrono::seconds patience{30};
    const auto until = clock::now() + limit;
    std::unique_lock lock{mutex_, std::defer_lock};
    while (!lock.try_lock_for(std::chrono::milliseconds{50})) {
        if (cancel.requested()) return fail(code::cancelled, "the call was cancelled");
        if (clock::now() >= until) return fail(code::deadline, "the worker process does not answer", "call again");
    }
    if (silent_since_ && clock::now() - *silent_since_ >= patience) {
        base::log(base::log_level::warning, "the worker process does not answer and is replaced");
        end();
    }
    // Detects a zygote that died since the last call and replaces it once; a second failure is reported to the caller.
    for (int attempt = 0;; ++attempt) {
        if (!control_)
            if (auto ok = start(); !ok) return tl::unexpected{ok.error()};
        auto made = ask(cancel, std::min(until, clock::now() + patience));
        if (made || made.error().code != code::crashed) return made;
        const int status = end();
        base::log(base::log_level::warning, "the worker process ended (wait status " + std::to_string(status) + ")");
        if (attempt == 1) {
            made.error().message = worker_.string() + " exits as soon as it is started";
            made.error().hint = "run 'gdal-mcp doctor'; its stderr has the reason";
            return made;
        }
    }
}

}  // namespace gdalmcp::runner
