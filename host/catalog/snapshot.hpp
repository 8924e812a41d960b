// The catalogue: which tools, prompts and specs there are, as of one moment.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/tool.hpp"

namespace gdalmcp::catalog {

// A bundle that is not used, and why. It takes no other bundle down.
struct quarantined {
    std::filesystem::path path;
    std::string id;  // empty where the manifest could not be read that far
    std::string reason;
};

// Immutable; a call keeps the snapshot it began with.
class snapshot {
public:
    const std::vector<std::shared_ptr<const bundle>>& bundles() const { return bundles_; }
    const std::vector<std::shared_ptr<const tool>>& tools() const { return tools_; }  // by bundle, as the manifest has
    const std::vector<quarantined>& quarantine() const { return quarantine_; }
    const tool* find(std::string_view tool_name) const;  // nullptr: no such tool

private:
    friend std::shared_ptr<const snapshot> load(const std::vector<std::filesystem::path>& search_path,
                                                const std::vector<std::string>& reserved_tools);
    void add(const std::filesystem::path& folder, const std::vector<std::string>& reserved_tools);
    std::vector<std::shared_ptr<const bundle>> bundles_;
    std::vector<std::shared_ptr<const tool>> tools_;
    std::map<std::string, std::shared_ptr<const tool>, std::less<>> by_name_;
    std::vector<quarantined> quarantine_;
};

// Every `*.bundle` folder with a manifest.json in the given directories, directories in order, folders by name. What
// comes later never shadows what came earlier: a second id or tool name quarantines the later bundle. Directories that
// do not exist are skipped. `reserved_tools` are the host's own. Opens no shared object.
std::shared_ptr<const snapshot> load(const std::vector<std::filesystem::path>& search_path,
                                     const std::vector<std::string>& reserved_tools = {});

}  // namespace gdalmcp::catalog
