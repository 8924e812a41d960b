#include "workspace/near_names.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

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

// Levenshtein distance.
std::size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        auto diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const auto substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, substituted}));
        }
    }
    return row.back();
}

}  // namespace

std::vector<std::string> nearest(const std::vector<std::string>& known, const std::string& wanted) {
    const auto lower = base::lower_ascii(wanted);
    const auto stem = fs::path{lower}.stem().string();
    std::vector<std::pair<std::size_t, std::string>> near;
    for (const auto& name : known) {
        const auto candidate = base::lower_ascii(name);
        const auto off = fs::path{candidate}.stem() == stem ? 1 : distance(candidate, lower);
        if (off <= 2 && off < lower.size()) near.emplace_back(off, name);
    }
    std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, near.size()); ++i) names.push_back(std::move(near[i].second));
    return names;
}

std::vector<std::string> near_names(const fs::path& folder, const std::string& wanted) {
    return nearest(files_in(folder), wanted);
}

std::vector<std::string> some_files(const fs::path& folder, std::size_t count) {
    auto names = files_in(folder);
    names.resize(std::min(names.size(), count));
    return names;
}

std::string joined(const std::vector<std::string>& names) {
    std::string list;
    for (const auto& n : names) list += (list.empty() ? "'" : ", '") + n + "'";
    return list;
}

}  // namespace gdalmcp::workspace
