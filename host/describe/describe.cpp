// gdal-mcp-describe BUNDLE: writes BUNDLE/manifest.json from the bundle's library, prompts, specs and resources, unless
// a host would refuse it. Part of the SDK: run by gdalmcp_add_bundle() on the fresh build, which is trusted code.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>

#include "base/file.hpp"
#include "base/hidden_characters.hpp"
#include "base/waiting.hpp"
#include "catalog/manifest.hpp"
#include "reflection/bundle_source.hpp"
#include "worker/manifest.hpp"

namespace {

using namespace gdalmcp;

int failure(const base::problem& p) {
    std::fprintf(stderr, "gdal-mcp-describe: %s%s%s\n", base::with_hidden_shown(p.message).c_str(),
                 p.hint.empty() ? "" : "\n  ", base::with_hidden_shown(p.hint).c_str());
    return 1;
}

base::problem left_early(const std::filesystem::path& bundle, int status) {
    const auto end = WIFSIGNALED(status) ? "crashed: " + std::string{::strsignal(WTERMSIG(status))} + " (signal " +
                                               std::to_string(WTERMSIG(status)) + ")"
                                         : "ended the process with exit code " + std::to_string(WEXITSTATUS(status));
    return {base::code::crashed, "the library in " + (bundle / "lib").string() + " " + end + " before it was described",
            "neither its static constructors nor gdalmcp_plugin_v1 may do that; look there", ""};
}

base::problem hanging(const std::filesystem::path& bundle, std::chrono::seconds limit) {
    return {base::code::deadline,
            "the library in " + (bundle / "lib").string() + " was not loaded and described within " +
                std::to_string(limit.count()) + " s",
            "a static constructor or gdalmcp_plugin_v1 hangs or takes too long; hosts wait 5 s. --timeout allows more",
            ""};
}

// The child's output up to its end; nullopt at the time limit.
std::optional<std::string> read_all(int fd, std::chrono::seconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    std::string said;
    std::array<char, 4096> buffer{};
    for (;;) {
        if (!base::is_ready_by(deadline, fd)) return std::nullopt;
        const auto n = ::read(fd, buffer.data(), buffer.size());
        if (n <= 0) return said;
        said.append(buffer.data(), static_cast<std::size_t>(n));
    }
}

// Loading a library runs its code, which may end the process or never return: so it is described in a child process,
// and only complete output counts.
base::result<base::json::object> describe_apart(const std::filesystem::path& bundle,
                                                const worker::bundle_options& options, std::chrono::seconds limit) {
    std::array<int, 2> ends{};
    const pid_t child = ::pipe2(ends.data(), O_CLOEXEC) == 0 ? ::fork() : -1;
    if (child < 0)
        return base::fail(base::code::internal, std::string{"cannot start a process: "} + std::strerror(errno));
    if (child == 0) {
        const auto m = worker::describe_bundle(bundle, options);
        const auto said = base::write_json(
            m ? base::json::value{{"manifest", *m}}
              : base::json::value{{"problem", {{"message", m.error().message}, {"hint", m.error().hint}}}});
        for (std::size_t sent = 0; sent < said.size();) {
            const auto n = ::write(ends[1], said.data() + sent, said.size() - sent);
            if (n < 0) ::_exit(1);
            sent += static_cast<std::size_t>(n);
        }
        std::fflush(stdout);
        ::_exit(0);  // the library's destructors must not run
    }
    ::close(ends[1]);
    const auto said = read_all(ends[0], limit);
    ::close(ends[0]);
    if (!said) ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (!said) return tl::unexpected{hanging(bundle, limit)};
    auto answer = base::parse_json(*said);
    if (!answer) return tl::unexpected{left_early(bundle, status)};
    if (const auto* problem = base::find_member(*answer, "problem"))
        return base::fail(base::code::invalid_argument, std::string{base::string_member(*problem, "message")},
                          std::string{base::string_member(*problem, "hint")});
    return std::move(answer->at("manifest").as_object());
}

// Checks the rules of a host that are the author's responsibility, and the names in the specs.
base::result<void> check(const std::filesystem::path& bundle, const base::json::object& manifest) {
    const auto m = catalog::read_draft(bundle, base::json::value(manifest));
    if (!m) return tl::unexpected{m.error()};
    const auto own = reflection::specs_alone(reflection::bundle_source(*m));
    if (!own) return tl::unexpected{own.error()};
    const auto defects = reflection::rule_defects(*own, m->bundle->id, *m);
    if (!defects.empty()) return tl::unexpected{defects.front()};
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App line{"Writes BUNDLE/manifest.json from the bundle's library, prompts, specs and resources.",
                  "gdal-mcp-describe"};
    std::string folder;
    worker::bundle_identity identity;
    worker::bundle_options options;
    bool off = false;
    line.add_option("BUNDLE", folder, "the bundle's folder")->required();
    auto* id = line.add_option("--id", identity.id, "of a bundle without a library: its id, in reverse DNS");
    auto* version = line.add_option("--version", identity.version, "of a bundle without a library: its version");
    auto* license = line.add_option("--license", identity.license, "of a bundle without a library: an SPDX expression");
    id->needs(version, license);
    version->needs(id);
    license->needs(id);
    auto* toolset = line.add_option("--toolset", options.toolset, "the group its tools are offered in");
    line.add_flag("--off-by-default", off, "the toolset is offered only where an operator or a client enables it")
        ->needs(toolset);
    line.add_option("--purpose", options.purpose, "what the toolset is for, in one line")->needs(toolset);
    std::vector<std::filesystem::path> carried;
    line.add_option("--carry", carried,
                    "a shared library to bring along, copied to lib/ under its SONAME; repeat for more");
    line.add_flag("--network", options.network, "the tools need the network, which an operator must grant");
    std::int64_t limit_s = 30;
    line.add_option("--timeout", limit_s, "how long the library may take to load and describe itself, in s")
        ->check(CLI::Range(1, 3600))
        ->capture_default_str();
    try {
        line.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return line.exit(e) == 0 ? 0 : 2;
    }
    if (*id) options.identity = std::move(identity);
    options.on_by_default = !off;
    const std::filesystem::path bundle{folder};
    for (const auto& library : carried)
        if (const auto ok = worker::carry(bundle, library); !ok) return failure(ok.error());
    const auto manifest = describe_apart(bundle, options, std::chrono::seconds{limit_s});
    if (!manifest) return failure(manifest.error());
    if (const auto ok = check(bundle, *manifest); !ok) return failure(ok.error());
    const auto written = base::write_file_atomically(bundle / "manifest.json", base::write_json(*manifest) + "\n");
    return written ? 0 : failure(written.error());
}
