// The search path of bundles.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/problem.hpp"

namespace gdalmcp::catalog {

// In order: `given` (--bundles), $GDAL_MCP_BUNDLES (':' between folders), $XDG_DATA_HOME/gdal-mcp/bundles
// (~/.local/share by default), /etc/gdal-mcp/bundles, `installed`. `environment` returns "" for unset variables.
// Relative entries of XDG_DATA_HOME are ignored, as the XDG specification asks.
std::vector<std::filesystem::path> search_path(const std::vector<std::filesystem::path>& given,
                                               const std::vector<std::filesystem::path>& installed,
                                               const std::function<std::string(const char*)>& environment);

// Why no bundle will be found in a folder of --bundles: it does not exist, or is a bundle itself.
base::result<void> check_given(const std::filesystem::path& folder);

}  // namespace gdalmcp::catalog
