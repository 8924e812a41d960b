#include "catalog/snapshot.hpp"

#include <algorithm>
#include <set>

#include "catalog/manifest.hpp"

namespace gdalmcp::catalog {
namespace {

namespace fs = std::filesystem;

// The bundles of one directory, by name. A bundle is complete when its manifest is there.
std::vector<fs::path> bundles_in(const fs::path& directory, std::error_code& error) {
    std::vector<fs::path> found;
    fs::directory_iterator entry{directory, error};
    for (; !error && entry != fs::directory_iterator{}; entry.increment(error)) {
        const auto name = entry->path().filename().string();
        std::error_code ignored;
        if (name.front() != '.' && entry->path().extension() == ".bundle" &&
            fs::symlink_status(entry->path() / "manifest.json", ignored).type() != fs::file_type::not_found)
            found.push_back(entry->path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace

const tool* snapshot::find(std::string_view tool_name) const {
    const auto found = by_name_.find(tool_name);
    return found == by_name_.end() ? nullptr : found->second.get();
}

void snapshot::add(const fs::path& folder, const std::vector<std::string>& reserved_tools) {
    auto read = read_manifest(folder);
    if (!read) {
        quarantine_.push_back({folder, std::move(read.error().id), std::move(read.error().reason)});
        return;
    }
    const auto& id = read->bundle->id;
    const auto refuse = [&](std::string reason) { quarantine_.push_back({folder, id, std::move(reason)}); };
    for (const auto& b : bundles_)
        if (b->id == id) return refuse("bundle id '" + id + "' is taken by " + b->folder.string());
    for (const auto& t : read->tools) {
        if (const auto* earlier = find(t->name))
            return refuse("tool '" + t->name + "' is already offered by bundle '" + earlier->bundle->id + "' in " +
                          earlier->bundle->folder.string());
        if (std::find(reserved_tools.begin(), reserved_tools.end(), t->name) != reserved_tools.end())
            return refuse("tool '" + t->name + "' is one of the host's own");
    }
    bundles_.push_back(read->bundle);
    for (const auto& t : read->tools) {
        tools_.push_back(t);
        by_name_.emplace(t->name, t);
    }
}

std::shared_ptr<const snapshot> load(const std::vector<fs::path>& search_path,
                                     const std::vector<std::string>& reserved_tools) {
    auto catalogue = std::make_shared<snapshot>();
    std::set<fs::path> seen;  // a folder reached twice is no clash with itself
    for (const auto& directory : search_path) {
        std::error_code error;
        if (fs::status(directory, error).type() == fs::file_type::not_found) continue;
        error.clear();
        const auto found = bundles_in(directory, error);
        if (error) catalogue->quarantine_.push_back({directory, "", "cannot list the directory: " + error.message()});
        for (const auto& folder : found) {
            const auto canonical = fs::canonical(folder, error);
            if (error || seen.insert(canonical).second) catalogue->add(folder, reserved_tools);
        }
    }
    return catalogue;
}

}  // namespace gdalmcp::catalog
