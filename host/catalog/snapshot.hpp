// The catalogue: the tools, prompts and specs at one moment.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/manifest.hpp"

namespace gdalmcp::catalog {

// A bundle that is not used, and why. Other bundles are unaffected.
struct quarantined {
    std::filesystem::path path;
    std::string id;  // empty where the manifest could not be read that far
    std::string reason;
    std::vector<std::string> tools;  // its tools, as far as its manifest could be read
};

// A `*.bundle` without a manifest yet: it may still be copied.
struct incomplete {
    std::filesystem::path path;
    std::string reason;
};

struct brought_resource {
    std::shared_ptr<const resource> what;
    std::string by;  // id of the bundle
};

struct load_options {
    std::vector<std::string> reserved_tools;  // the host's own
    catalog::admission admission;
    // Makes a manifest of a bare library (x.so beside the bundles). Empty: such libraries are ignored.
    std::function<base::result<json::value>(const std::filesystem::path& library)> describe;
    // The final check of a bundle that is valid by itself. Empty: all are accepted.
    std::function<base::result<void>(const manifest&)> accept;
};

// Immutable; a call keeps the snapshot it began with.
class snapshot {
public:
    const std::vector<std::shared_ptr<const bundle>>& bundles() const { return bundles_; }
    const std::vector<std::shared_ptr<const tool>>& tools() const { return tools_; }  // on offer, as in the manifests
    const std::vector<quarantined>& quarantine() const { return quarantine_; }
    const std::vector<incomplete>& unfinished() const { return unfinished_; }
    const std::vector<brought_resource>& resources() const { return resources_; }  // of all bundles in use

    // The resource of a URI, with the values of its template; plain URIs come first.
    struct answer {
        std::shared_ptr<const resource> what;
        std::string by;  // id of the bundle
        json::object values;
    };
    std::optional<answer> find_resource(std::string_view uri) const;

    const tool* find(std::string_view tool_name) const;        // nullptr: no such tool, or its toolset is off
    const tool* find_known(std::string_view tool_name) const;  // nullptr: no such tool; its toolset may be off
    const quarantined* find_quarantined(std::string_view tool_name) const;  // whose tool it would be
    std::vector<std::shared_ptr<const tool>> switched_off() const;

private:
    friend std::shared_ptr<const snapshot> load(const std::vector<std::filesystem::path>& search_path,
                                                const load_options& options);
    void add(const std::filesystem::path& spelled, const load_options& options);
    void refuse(const std::filesystem::path& where, rejection r);
    std::vector<std::shared_ptr<const bundle>> bundles_;
    std::vector<std::shared_ptr<const tool>> tools_;
    std::vector<brought_resource> resources_;
    std::map<std::string, std::shared_ptr<const tool>, std::less<>> by_name_;  // those switched off, too
    std::vector<quarantined> quarantine_;
    std::vector<incomplete> unfinished_;
};

// Every `*.bundle` folder with a manifest.json and every bare `*.so` in the given directories; directories in order,
// names in order. A later bundle never shadows an earlier one: a second id, tool name or URI quarantines the later
// bundle, even if the earlier one is switched off. Bundles installed with the program count as first. Directories that
// do not exist are skipped. Opens no shared object that has a manifest.
std::shared_ptr<const snapshot> load(const std::vector<std::filesystem::path>& search_path,
                                     const load_options& options = {});

}  // namespace gdalmcp::catalog
