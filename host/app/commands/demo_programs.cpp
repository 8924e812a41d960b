#include "app/commands/demo_programs.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "app/commands/child_program.hpp"

namespace gdalmcp::app {

std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

demo_server::demo_server(const std::string& workspace) {
    auto in = new_pipe(), out = new_pipe();
    pid_ = start_program({this_program(), "--workspace", workspace, "--log-level", "error"}, in.read, out.write)
               .value_or(0);
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

}  // namespace gdalmcp::app
