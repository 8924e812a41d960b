#include "app/commands/demo_programs.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

extern char** environ;  // NOLINT

namespace gdalmcp::app {

namespace {

struct pipe_ends {
    runner::descriptor read, write;
};

pipe_ends new_pipe() {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    return {runner::descriptor{ends[0]}, runner::descriptor{ends[1]}};
}

// 0 when it could not be started. `in` and `out` become its stdin and stdout; `in` may be empty.
pid_t started(std::vector<std::string> words, const runner::descriptor& in, const runner::descriptor& out) {
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
    if (::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ) != 0) pid = 0;
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

}  // namespace

std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

demo_server::demo_server(const std::string& workspace) {
    auto in = new_pipe(), out = new_pipe();
    pid_ = started({this_program(), "--workspace", workspace, "--log-level", "error"}, in.read, out.write);
    to_ = std::move(in.write);
    if (out.read) from_.reset(::fdopen(out.read.release(), "r"));
}

demo_server::~demo_server() {
    to_.reset();
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
}

json::value demo_server::request(const char* method, json::object params) {
    if (!to_ || !from_) return nullptr;
    const json::object message{{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", std::move(params)}};
    const auto line = base::write_json(json::value(message)) + "\n";
    if (::write(to_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) return nullptr;
    char* buffer = nullptr;
    std::size_t capacity = 0;
    json::value answer(nullptr);
    for (ssize_t n = 0; (n = ::getline(&buffer, &capacity, from_.get())) > 0;) {
        auto v = base::parse_json({buffer, static_cast<std::size_t>(n)});
        const auto* id = v ? base::find_member(*v, "id") : nullptr;
        if (!id || *id != json::value(id_)) continue;  // a notification
        const auto* result = base::find_member(*v, "result");
        answer = result ? *result : *base::find_member(*v, "error");
        break;
    }
    std::free(buffer);
    return answer;
}

std::optional<std::string> output_of(std::vector<std::string> words) {
    auto out = new_pipe();
    const auto pid = started(std::move(words), {}, out.write);
    if (pid == 0) return {};
    out.write.reset();
    std::string text;
    std::array<char, 4096> piece{};
    for (ssize_t n = 0; (n = ::read(out.read.get(), piece.data(), piece.size())) > 0;)
        text.append(piece.data(), static_cast<std::size_t>(n));
    int status = 0;
    ::waitpid(pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return {};
    return text;
}

}  // namespace gdalmcp::app
