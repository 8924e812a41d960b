// Scratch folders of single calls. Making and removing folders costs more than the call itself on some file systems, so
// a folder returned empty is reused.
#pragma once
#include <filesystem>
#include <mutex>
#include <optional>
#include <vector>

#include "workspace/background.hpp"
#include "workspace/temporary_folder.hpp"

namespace gdalmcp::app {

// Thread-safe. Folders removed by a cleaner of temporary files are created again.
class scratch_folders {
public:
    scratch_folders(std::filesystem::path place, workspace::background& b) : place_{std::move(place)}, background_{b} {}

    base::result<workspace::temporary_folder> take();
    void give_back(workspace::temporary_folder folder);

private:
    const std::filesystem::path place_;
    workspace::background& background_;
    std::mutex guard_;
    std::optional<workspace::temporary_folder> session_;  // the calls' folders lie in it
    std::vector<workspace::temporary_folder> spare_;
};

}  // namespace gdalmcp::app
