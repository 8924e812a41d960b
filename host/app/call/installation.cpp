#include "app/call/installation.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;

base::result<installation> find_installation() {
    std::error_code ec;
    const auto program = fs::read_symlink("/proc/self/exe", ec);
    if (ec)
        return base::fail(base::code::internal, "cannot find my own executable: " + ec.message(), "is /proc mounted?");
    const auto bin = program.parent_path(), share = bin.parent_path() / "share" / "gdal-mcp";
    installation i{bin / "gdal-mcp-worker", bin / "gdal-mcp-worker-plain",
                   share / "bundles",       share / "reflection-specs",
                   share / "prompts",       share / "template"};
    for (const auto& part : {i.worker, i.plain_worker, i.bundles, i.reflection_specs, i.prompts})
        if (!fs::exists(part, ec))
            return base::fail(base::code::not_found, "the installation is incomplete: " + part.string() + " is missing",
                              "build with 'cmake --build' or install with 'cmake --install' again");
    return i;
}

}  // namespace gdalmcp::app
