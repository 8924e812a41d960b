#include "runner/zygote.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/log.hpp"
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
    return {code::exhausted, "cannot make a " + what + ": " + std::strerror(errno),
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
    control_.reset();
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
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
    return {};
}

result<child> zygote::ask() {
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
    auto pidfd = receive_descriptors(watch->ours.get(), 1).descriptors;  // the first thing said there
    if (pidfd.empty()) return fail(code::crashed, "the worker process did not answer");
    return child{std::move(call->ours), std::move(watch->ours), std::move(pidfd.front()), std::move(printed)};
}

result<child> zygote::fork() {
    const std::lock_guard lock{mutex_};
    // A zygote that died since the last call is noticed here and replaced once; a second failure is the caller's news.
    for (int attempt = 0;; ++attempt) {
        if (!control_)
            if (auto ok = start(); !ok) return tl::unexpected{ok.error()};
        auto made = ask();
        if (made || made.error().code != code::crashed) return made;
        control_.reset();
        int status = 0;
        if (pid_ > 0) ::waitpid(pid_, &status, 0);
        pid_ = 0;
        base::log(base::log_level::warning, "the worker process ended (wait status " + std::to_string(status) + ")");
        if (attempt == 1) {
            made.error().message = worker_.string() + " ends as soon as it is started";
            made.error().hint = "run 'gdal-mcp doctor'; its stderr says why";
            return made;
        }
    }
}

}  // namespace gdalmcp::runner
