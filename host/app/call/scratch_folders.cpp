#include "app/call/scratch_folders.hpp"

#include <unistd.h>

#include "workspace/results.hpp"

namespace gdalmcp::app {

namespace fs = std::filesystem;
using base::result;

result<workspace::temporary_folder> scratch_folders::take() {
    const auto is_there = [](const workspace::temporary_folder& f) { return ::access(f.path().c_str(), W_OK) == 0; };
    const std::lock_guard lock{guard_};
    if (session_ && !is_there(*session_)) {
        spare_.clear();
        session_.reset();
    }
    while (!spare_.empty()) {
        auto folder = std::move(spare_.back());
        spare_.pop_back();
        if (is_there(folder)) return folder;
    }
    if (!session_) {
        auto made = workspace::make_scratch(place_, &background_);
        if (!made) return tl::unexpected{made.error()};
        session_ = std::move(*made);
    }
    return workspace::temporary_folder::make(session_->path() / workspace::random_id(), false, &background_);
}

void scratch_folders::give_back(workspace::temporary_folder folder) {
    std::error_code ec;
    if (!fs::is_empty(folder.path(), ec) || ec) return;  // removed with its object
    const std::lock_guard lock{guard_};
    spare_.push_back(std::move(folder));
}

}  // namespace gdalmcp::app
