#include "app/commands/child_program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/waiting.hpp"

extern char** environ;  // NOLINT

namespace gdalmcp::app {

namespace {

using clock = std::chrono::steady_clock;

// False: the time ran out before the end of the stream.
bool read_to_end(int pipe, const base::end_time& end, std::string& text) {
    std::array<char, 4096> piece{};
    while (base::is_ready_by(end, pipe)) {
        const auto n = ::read(pipe, piece.data(), piece.size());
        if (n <= 0) return true;
        text.append(piece.data(), static_cast<std::size_t>(n));
    }
    return false;
}

}  // namespace

pipe_ends new_pipe() {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    return {base::descriptor{ends[0]}, base::descriptor{ends[1]}};
}

base::result<pid_t> start_program(std::vector<std::string> words, const base::descriptor& in,
                                  const base::descriptor& out) {
    std::vector<char*> argv;
    for (auto& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (in)
        posix_spawn_file_actions_adddup2(&actions, in.get(), STDIN_FILENO);
    else
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out.get(), STDOUT_FILENO);
    pid_t pid = 0;
    const int failed = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) return base::fail(base::code::not_found, words[0] + " does not start: " + std::strerror(failed));
    return pid;
}

base::result<std::string> output_of(std::vector<std::string> words, std::optional<std::chrono::seconds> limit) {
    const auto end = limit ? base::end_time{clock::now() + *limit} : std::nullopt;
    auto out = new_pipe();
    const auto pid = start_program(words, {}, out.write);
    if (!pid) return tl::unexpected{pid.error()};
    out.write.reset();
    std::string text;
    const bool in_time =
        read_to_end(out.read.get(), end, text) && base::exits_by(end, *pid);  // it may close stdout and run on
    if (!in_time) ::kill(*pid, SIGKILL);
    int status = 0;
    ::waitpid(*pid, &status, 0);
    if (!in_time)
        return base::fail(base::code::deadline,
                          words[0] + " did not answer within " + std::to_string(limit->count()) + " s");
    if (WIFSIGNALED(status))
        return base::fail(base::code::crashed, words[0] + " ended by signal " + std::to_string(WTERMSIG(status)));
    if (WEXITSTATUS(status) != 0)
        return base::fail(base::code::crashed, words[0] + " exited with " + std::to_string(WEXITSTATUS(status)));
    return text;
}

}  // namespace gdalmcp::app
