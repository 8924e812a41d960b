// gdal-mcp-describe BUNDLE: writes BUNDLE/manifest.json from the bundle's library, prompts, specs and resources. Part
// of the SDK: run by gdalmcp_add_bundle() on what was just built, which is trusted code.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/file.hpp"
#include "worker/manifest.hpp"

namespace {

using namespace gdalmcp;

int failure(const base::problem& p) {
    std::fprintf(stderr, "gdal-mcp-describe: %s%s%s\n", p.message.c_str(), p.hint.empty() ? "" : "\n  ",
                 p.hint.c_str());
    return 1;
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
    const auto manifest = worker::describe_bundle(bundle, options);
    if (!manifest) return failure(manifest.error());
    const auto written = base::write_file_atomically(bundle / "manifest.json", base::write_json(*manifest) + "\n");
    return written ? 0 : failure(written.error());
}
