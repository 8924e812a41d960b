// The files that make up the inputs of a call, so that no output replaces one of them.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/problem.hpp"

namespace gdalmcp::workspace {

// Files are identified by device and inode: a hard link or a symbolic link to a file of an input is that file.
class input_files {
public:
    // `given`: the input as the caller spelled it. A missing file is skipped.
    void add(const std::filesystem::path& file, const std::string& given);
    // The file and the sidecars GDAL would look for beside it.
    void add_dataset(const std::filesystem::path& primary, const std::string& given);

    // Errors: invalid_argument; one of the paths that writing `target` replaces or moves away is a file of an input.
    base::result<void> spared_by(const std::filesystem::path& target,
                                 const std::vector<std::filesystem::path>& replaced) const;
    // The same before the outputs are known: for the target, its record and every possible sidecar.
    base::result<void> spared_by(const std::filesystem::path& target) const;

private:
    std::map<std::pair<dev_t, ino_t>, std::string> given_;
};

}  // namespace gdalmcp::workspace
