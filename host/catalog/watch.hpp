// Notices changes in the bundle search path or in other folders.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gdalmcp::catalog {

// By inotify(7): the directories, the bundles in them and the folders of each bundle; of a directory that is not there,
// the nearest folder above it. It does not report what changed: the caller reloads the catalogue.
//   watch w{search_path};
//   wait until w.fd() is readable; if (w.drain()) load(search_path);
// One thread at a time.
class watch {
public:
    explicit watch(const std::vector<std::filesystem::path>& search_path);
    ~watch();
    watch(const watch&) = delete;
    watch& operator=(const watch&) = delete;

    int fd() const { return fd_; }  // -1: the kernel's limit of watches is reached; changes are not noticed

    // Reads pending events; true if some may concern the catalogue. Follows folders that came or went.
    bool drain();

private:
    void follow();
    void add(const std::filesystem::path& folder, const std::string& only = {});
    void add_above(const std::filesystem::path& directory);

    std::vector<std::filesystem::path> search_path_;  // absolute
    int fd_;
    std::map<int, std::string> watched_;  // by watch descriptor: the one name that counts there; "" = every name
};

}  // namespace gdalmcp::catalog
