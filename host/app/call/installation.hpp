// Locations of the program's parts: bin/ and share/gdal-mcp/ side by side, in the build tree as under an install
// prefix.
#pragma once
#include <filesystem>

#include "base/problem.hpp"

namespace gdalmcp::app {

inline constexpr const char* version = GDALMCP_VERSION;

struct installation {
    std::filesystem::path worker;            // bin/gdal-mcp-worker
    std::filesystem::path plain_worker;      // bin/gdal-mcp-worker-plain
    std::filesystem::path bundles;           // share/gdal-mcp/bundles
    std::filesystem::path reflection_specs;  // share/gdal-mcp/reflection-specs
    std::filesystem::path prompts;           // share/gdal-mcp/prompts
    std::filesystem::path bundle_template;   // share/gdal-mcp/template; need not be there
};

// Found relative to the running executable, so no environment variable is needed. Errors: a part that is not there.
base::result<installation> find_installation();

}  // namespace gdalmcp::app
