// Notices that something changed where bundles are looked for.
#pragma once
#include <filesystem>
#include <map>
#include <vector>

namespace gdalmcp::catalog {

// By inotify(7): the directories, the bundles in them and the folders of each bundle; of a directory that is not there,
// the nearest folder above it. What changed is not told: whoever asks loads the catalogue again.
//   watch w{search_path};
//   wait until w.fd() is readable; if (w.drain()) load(search_path);
// One thread at a time.
class watch {
public:
    explicit watch(std::vector<std::filesystem::path> search_path);
    ~watch();
    watch(const watch&) = delete;
    watch& operator=(const watch&) = delete;

    int fd() const { return fd_; }  // -1: the kernel gives no more watches; changes are not noticed

    // Takes what is to be read; true when some of it may concern the catalogue. Follows folders that came or went.
    bool drain();

private:
    void follow();
    void add(const std::filesystem::path& folder, const std::string& only = {});

    const std::vector<std::filesystem::path> search_path_;
    int fd_;
    struct watched {
        std::filesystem::path folder;
        std::string only;  // the one name that counts here; "" = every name
    };
    std::map<int, watched> watched_;  // by watch descriptor
};

}  // namespace gdalmcp::catalog
