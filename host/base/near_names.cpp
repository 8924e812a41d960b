#include "base/near_names.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/text.hpp"

namespace gdalmcp::base {

namespace fs = std::filesystem;

std::size_t edit_distance(const std::string& a, const std::string& b) {
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

std::string folded(std::string_view word) {
    std::string out;
    for (const char c : lower_ascii(word))
        if (c != '-' && c != '_' && c != ' ') out += c;
    return out;
}

std::vector<std::string> nearest(const std::vector<std::string>& known, const std::string& wanted) {
    const auto lower = lower_ascii(wanted);
    const auto stem = fs::path{lower}.stem().string();
    std::vector<std::pair<std::size_t, std::string>> near;
    for (const auto& name : known) {
        const auto candidate = lower_ascii(name);
        const bool alike = fs::path{candidate}.stem() == stem || folded(candidate) == folded(lower);
        const auto off = alike ? 1 : edit_distance(candidate, lower);
        if (off <= 2 && off < lower.size()) near.emplace_back(off, name);
    }
    std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, near.size()); ++i) names.push_back(std::move(near[i].second));
    return names;
}

std::string joined(const std::vector<std::string>& names) {
    std::string list;
    for (const auto& n : names) list += (list.empty() ? "'" : ", '") + n + "'";
    return list;
}

}  // namespace gdalmcp::base
