#include "catalog/search_path.hpp"

#include <string_view>

namespace gdalmcp::catalog {

std::vector<std::filesystem::path> search_path(const std::vector<std::filesystem::path>& given,
                                               const std::vector<std::filesystem::path>& installed,
                                               const std::function<std::string(const char*)>& environment) {
    auto path = given;
    const auto listed = environment("GDAL_MCP_BUNDLES");
    for (std::string_view rest = listed; !rest.empty();) {
        const auto end = std::min(rest.find(':'), rest.size());
        if (end != 0) path.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    std::filesystem::path user = environment("XDG_DATA_HOME");
    const std::filesystem::path home = environment("HOME");
    if (!user.is_absolute() && home.is_absolute()) user = home / ".local/share";
    if (user.is_absolute()) path.push_back(user / "gdal-mcp/bundles");
    path.emplace_back("/etc/gdal-mcp/bundles");
    path.insert(path.end(), installed.begin(), installed.end());
    return path;
}

base::result<void> check_given(const std::filesystem::path& folder) {
    namespace fs = std::filesystem;
    std::error_code ec;
    const auto named = "--bundles " + folder.string();
    if (!fs::is_directory(folder, ec))
        return base::fail(base::code::not_found, named + ": there is no such folder",
                          "create it, or give the folder that holds the bundles");
    if (fs::exists(folder / "manifest.json", ec))
        return base::fail(base::code::invalid_argument, named + " is a bundle itself, not a folder of bundles",
                          "give the folder that it lies in");
    return {};
}

}  // namespace gdalmcp::catalog
