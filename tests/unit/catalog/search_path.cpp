#include "catalog/search_path.hpp"

#include <map>

#include "catch.hpp"

using gdalmcp::catalog::search_path;
using paths = std::vector<std::filesystem::path>;

namespace {
auto environment(std::map<std::string, std::string> variables) {
    return [variables](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::string{} : found->second;
    };
}
}  // namespace

TEST_CASE("bundles are searched: given, environment, user, system, installed") {
    CHECK(search_path({"/g"}, {"/i"}, environment({{"GDAL_MCP_BUNDLES", "/a::/b"}, {"XDG_DATA_HOME", "/x"}})) ==
          paths{"/g", "/a", "/b", "/x/gdal-mcp/bundles", "/etc/gdal-mcp/bundles", "/i"});
}

TEST_CASE("without XDG_DATA_HOME, or with a relative one, the user's bundles lie in ~/.local/share") {
    const paths expected{"/home/u/.local/share/gdal-mcp/bundles", "/etc/gdal-mcp/bundles"};
    CHECK(search_path({}, {}, environment({{"HOME", "/home/u"}})) == expected);
    CHECK(search_path({}, {}, environment({{"HOME", "/home/u"}, {"XDG_DATA_HOME", "rel"}})) == expected);
    CHECK(search_path({}, {}, environment({})) == paths{"/etc/gdal-mcp/bundles"});
}
