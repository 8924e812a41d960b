// gdal-mcp-describe BUNDLE: writes BUNDLE/manifest.json from the bundle's library, prompts and specs. Part of the SDK:
// run by gdalmcp_add_bundle() on what was just built, which is trusted code.
#include <cstdio>

#include "base/file.hpp"
#include "worker/manifest.hpp"

int main(int argc, char** argv) {
    using namespace gdalmcp;
    if (argc != 2 || argv[1][0] == '-') {
        std::fputs("usage: gdal-mcp-describe BUNDLE\n", stderr);
        return 2;
    }
    const std::filesystem::path bundle{argv[1]};
    auto manifest = worker::describe_bundle(bundle);
    auto written = manifest ? base::write_file_atomically(bundle / "manifest.json", base::write_json(*manifest) + "\n")
                            : base::result<void>{tl::unexpected{manifest.error()}};
    if (written) return 0;
    std::fprintf(stderr, "gdal-mcp-describe: %s%s%s\n", written.error().message.c_str(),
                 written.error().hint.empty() ? "" : "\n  ", written.error().hint.c_str());
    return 1;
}
