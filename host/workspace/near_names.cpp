#include "workspace/near_names.hpp"

#include <algorithm>

#include "base/near_names.hpp"

namespace gdalmcp::workspace {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t at_most_looked_at = 5000;

std::vector<std::string> files_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry{folder, error};
         !error && entry != fs::directory_iterator{} && names.size() < at_most_looked_at; entry.increment(error)) {
        auto name = entry->path().filename().string();
        std::error_code ignored;
        if (name.front() != '.' && entry->is_regular_file(ignored)) names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

std::vector<std::string> near_names(const fs::path& folder, const std::string& wanted) {
    const auto all = files_in(folder);
    auto near = base::nearest(all, wanted);
    if (!near.empty()) return near;
    // Names of which one begins with the other, whatever their extensions.
    const auto stem = fs::path{wanted}.stem().string();
    constexpr std::size_t at_least = 4, at_most = 3;
    for (const auto& name : all) {
        const auto other = fs::path{name}.stem().string();
        const bool begins = other.starts_with(stem) || stem.starts_with(other);
        if (begins && std::min(stem.size(), other.size()) >= at_least && near.size() < at_most) near.push_back(name);
    }
    return near;
}

std::vector<std::string> some_files(const fs::path& folder, std::size_t count) {
    auto names = files_in(folder);
    names.resize(std::min(names.size(), count));
    return names;
}

}  // namespace gdalmcp::workspace
