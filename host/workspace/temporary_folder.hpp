// Folders that remove themselves, and the sweep of those left by a crash.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/problem.hpp"

namespace gdalmcp::workspace {

class background;

// A folder with mode 0700 that is removed, content and all, with its object. A marked one holds the file `lock`, kept
// under flock and naming pid and start time, by which sweep() tells a live maker from a dead one. A large tree is
// removed in the background, where there is one, which must outlive the folder.
class temporary_folder {
public:
    // Errors: `exhausted` when the file system is full, else `io` or `denied`.
    static base::result<temporary_folder> make(const std::filesystem::path& path, bool marked,
                                               background* later = nullptr);
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    temporary_folder(temporary_folder&& other) noexcept;
    temporary_folder& operator=(temporary_folder&& other) noexcept;
    ~temporary_folder();
    const std::filesystem::path& path() const { return path_; }

private:
    temporary_folder(std::filesystem::path path, background* later) : path_{std::move(path)}, later_{later} {}
    std::filesystem::path path_;
    background* later_ = nullptr;
    int lock_ = -1;
};

// Removes the folders in `parent` that new_temporary_name() named, belong to this user, and whose maker is dead; large
// trees in the background, where there is one. Folders that cannot be removed stay and are logged.
void sweep(const std::filesystem::path& parent, background* later = nullptr);

// The same for one folder whose maker is known to be dead, even if its lock is not written yet.
void sweep_of_dead_host(const std::filesystem::path& folder, background* later);

std::string this_process();                   // "pid start time"
bool is_running(const std::string& process);  // of this_process(), as far as process ids can be told from here

// `<parent>/.gdal-mcp-<random id>`: a name reserved in every workspace.
std::filesystem::path new_temporary_name(const std::filesystem::path& parent);

std::string random_id();  // 128 bits from the kernel, as 32 hex digits
bool is_random_id(std::string_view s);

}  // namespace gdalmcp::workspace
