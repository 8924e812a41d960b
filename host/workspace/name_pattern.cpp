#include "workspace/name_pattern.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <set>

namespace gdalmcp::workspace {

namespace fs = std::filesystem;

namespace {

// The folder with its slash, which may be empty, and the pattern.
std::pair<std::string, std::string> parts_of(const std::string& name) {
    const auto slash = name.rfind('/');
    if (slash == std::string::npos) return {"", name};
    return {name.substr(0, slash + 1), name.substr(slash + 1)};
}

// A file that describes another one of the folder.
bool belongs_to_another(const std::string& name, const std::set<std::string>& all) {
    for (const std::string_view suffix : {".provenance.json", ".aux.xml", ".ovr", ".msk"})
        if (name.ends_with(suffix) && all.count(name.substr(0, name.size() - suffix.size())) > 0) return true;
    return false;
}

}  // namespace

bool is_pattern(const std::string& name, const roots& where) {
    return parts_of(name).second.find_first_of("*?") != std::string::npos && name.find("://") == std::string::npos &&
           !where.readable(name);
}

base::result<std::vector<std::string>> names_matching(const std::string& pattern, const roots& where) {
    const auto [folder, last] = parts_of(pattern);
    const auto listed = where.listable(folder.empty() ? "." : folder);
    if (!listed) return tl::unexpected{listed.error()};
    std::set<std::string> all;
    std::error_code ec;
    for (fs::directory_iterator it{*listed, ec}, end; !ec && it != end; it.increment(ec))
        if (std::error_code none; it->is_regular_file(none)) all.insert(it->path().filename().string());
    std::vector<std::string> names;
    for (const auto& name : all)
        if (::fnmatch(last.c_str(), name.c_str(), FNM_PERIOD) == 0 && !belongs_to_another(name, all))
            names.push_back(folder + name);
    if (names.empty())
        return base::fail(base::code::not_found, "no file matches '" + pattern + "'",
                          "its folder has " + std::to_string(all.size()) + " files; data_find searches all folders");
    return names;
}

}  // namespace gdalmcp::workspace
