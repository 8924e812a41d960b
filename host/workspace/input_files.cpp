#include "workspace/input_files.hpp"

#include <sys/stat.h>

#include "workspace/sidecars.hpp"

namespace gdalmcp::workspace {

namespace fs = std::filesystem;

void input_files::add(const fs::path& file, const std::string& given) {
    struct stat s {};
    if (::stat(file.c_str(), &s) == 0 && !S_ISDIR(s.st_mode)) given_.emplace(std::pair{s.st_dev, s.st_ino}, given);
}

void input_files::add_dataset(const fs::path& primary, const std::string& given) {
    add(primary, given);
    for (const auto& sidecar : possible_sidecars(primary)) add(sidecar, given);
}

base::result<void> input_files::spared_by(const fs::path& target, const std::vector<fs::path>& replaced) const {
    for (const auto& path : replaced) {
        struct stat s {};
        if (::stat(path.c_str(), &s) != 0) continue;
        const auto found = given_.find({s.st_dev, s.st_ino});
        if (found == given_.end()) continue;
        return base::fail(base::code::invalid_argument,
                          (path == target ? path.string() + " is"
                                          : "writing " + target.string() + " would replace " + path.string() + ",") +
                              " a file of the input '" + found->second + "'; inputs are never overwritten",
                          "give the output another name");
    }
    return {};
}

base::result<void> input_files::spared_by(const fs::path& target) const {
    auto replaced = possible_sidecars(target);
    replaced.insert(replaced.begin(), {target, provenance_path(target)});
    return spared_by(target, replaced);
}

}  // namespace gdalmcp::workspace
