// gdal-mcp-describe BUNDLE: writes BUNDLE/manifest.json from the bundle's library, prompts, specs and resources. Part
// of the SDK: run by gdalmcp_add_bundle() on what was just built, which is trusted code.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/file.hpp"
#include "worker/manifest.hpp"

namespace {

using namespace gdalmcp;

int failure(const base::problem& p) {
    std::fprintf(stderr, "gdal-mcp-describe: %s%s%s\n", p.message.c_str(), p.hint.empty() ? "" : "\n  ",
                 p.hint.c_str());
    return 1;
}

base::problem left_early(const std::filesystem::path& bundle, int status) {
    const auto end = WIFSIGNALED(status) ? "crashed: " + std::string{::strsignal(WTERMSIG(status))} + " (signal " +
                                               std::to_string(WTERMSIG(status)) + ")"
                                         : "ended the process with exit code " + std::to_string(WEXITSTATUS(status));
    return {base::code::crashed, "the library in " + (bundle / "lib").string() + " " + end + " before it was described",
            "neither its static constructors nor gdalmcp_plugin_v1 may do that; look there", ""};
}

// Loading a library runs its code, which may end the process whatever it says of itself: so it is described in a child,
// and only what that child has said to the end counts.
base::result<base::json::object> describe_apart(const std::filesystem::path& bundle,
                                                const worker::bundle_options& options) {
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
        ::_exit(0);  // the library's destructors are no part of its description
    }
    ::close(ends[1]);
    std::string said;
    std::array<char, 4096> buffer{};
    for (ssize_t n = 0; (n = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
        said.append(buffer.data(), static_cast<std::size_t>(n));
    ::close(ends[0]);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    auto answer = base::parse_json(said);
    if (!answer) return tl::unexpected{left_early(bundle, status)};
    if (const auto* problem = base::find_member(*answer, "problem"))
        return base::fail(base::code::invalid_argument, std::string{base::string_member(*problem, "message")},
                          std::string{base::string_member(*problem, "hint")});
    return std::move(answer->at("manifest").as_object());
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
    line.add_flag("--off-by-default", off, "the toolset is offered only where an operator asks for it")->needs(toolset);
    std::vector<std::filesystem::path> carried;
    line.add_option("--carry", carried,
                    "a shared library to bring along, copied to lib/ under its SONAME; repeat for more");
    line.add_flag("--network", options.network, "the tools need the network, which an operator must grant");
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
    const auto manifest = describe_apart(bundle, options);
    if (!manifest) return failure(manifest.error());
    const auto written = base::write_file_atomically(bundle / "manifest.json", base::write_json(*manifest) + "\n");
    return written ? 0 : failure(written.error());
}
