#include "catalog/watch.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <string>
#include <utility>

namespace gdalmcp::catalog {

namespace fs = std::filesystem;

namespace {
// A file counts when it is complete, a folder when it comes, goes or may be entered by others.
constexpr std::uint32_t changes =
    IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;
}  // namespace

watch::watch(const std::vector<fs::path>& search_path) : fd_{::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)} {
    for (const auto& directory : search_path) search_path_.push_back(fs::absolute(directory));
    follow();
}

watch::~watch() {
    if (fd_ >= 0) ::close(fd_);
}

void watch::add(const fs::path& folder, const std::string& only) {
    const int id = ::inotify_add_watch(fd_, folder.c_str(), changes | IN_ONLYDIR);
    if (id < 0) return;  // absent, gone already, or out of watches: the next change above reports it
    // A folder that is watched for itself and for a name in it is watched for every name.
    const auto [found, fresh] = watched_.emplace(id, only);
    if (!fresh && found->second != only) found->second.clear();
}

// For the nearest folder above a directory that is not there.
void watch::add_above(const fs::path& directory) {
    std::error_code ec;
    auto below = directory;
    while (below.has_relative_path()) {
        const auto above = below.parent_path();
        if (!fs::is_directory(above, ec)) {
            below = above;
            continue;
        }
        add(above, below.filename().string());
        // Created between lookup and watch: checked again from below.
        if (below == directory || !fs::is_directory(below, ec)) return;
        below = directory;
    }
}

void watch::follow() {
    if (fd_ < 0) return;
    const auto before = std::exchange(watched_, {});
    for (const auto& directory : search_path_) {
        std::error_code ec;
        if (!fs::is_directory(directory, ec)) add_above(directory);
        if (!fs::is_directory(directory, ec)) continue;
        add(directory);
        for (fs::directory_iterator bundle{directory, ec}, end; !ec && bundle != end; bundle.increment(ec)) {
            if (bundle->path().extension() != ".bundle") continue;
            add(bundle->path());
            for (const char* part : {"lib", "prompts", "reflection", "methodology", "resources"})
                add(bundle->path() / part);
        }
    }
    // A watch would follow a moved folder to its new place.
    for (const auto& [id, only] : before)
        if (!watched_.count(id)) ::inotify_rm_watch(fd_, id);
}

bool watch::drain() {
    alignas(inotify_event) std::array<char, 16384> block;
    bool concerned = false;
    for (ssize_t n = 0; (n = ::read(fd_, block.data(), block.size())) > 0;)
        for (const char* at = block.data(); at < block.data() + n;) {
            const auto* e = reinterpret_cast<const inotify_event*>(at);
            at += sizeof(inotify_event) + e->len;
            if (e->mask & IN_IGNORED) {
                watched_.erase(e->wd);
                continue;
            }
            const auto found = watched_.find(e->wd);
            const bool other = found != watched_.end() && !found->second.empty() && e->len &&
                               found->second != static_cast<const char*>(e->name);
            concerned = concerned || !other;  // an overflow (IN_Q_OVERFLOW) has no watch and counts
        }
    if (concerned) follow();
    return concerned;
}

}  // namespace gdalmcp::catalog
