#include "workspace/temporary_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <vector>

#include "base/log.hpp"
#include "workspace/file_system.hpp"

namespace gdalmcp::workspace {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = ".gdal-mcp-";
constexpr time_t time_to_lock = 60;  // s, after which a folder without a written lock counts as dead

// Field 22 of /proc/<pid>/stat, clock ticks since boot: a pid alone may have been given to another process since.
// Empty: no such process.
std::string start_time_of(const std::string& pid) {
    std::ifstream file{"/proc/" + pid + "/stat"};
    std::string text;
    std::getline(file, text);
    auto at = text.rfind(')');  // the command name before it may hold blanks
    for (int field = 2; field < 22 && at != std::string::npos; ++field) at = text.find(' ', at + 1);
    return at == std::string::npos ? std::string{} : text.substr(at + 1, text.find(' ', at + 1) - at - 1);
}

// Whoever made `folder` is gone. A maker in another container has a pid we cannot judge, but holds its flock; where
// flock does not work, pid and start time decide.
bool is_abandoned(const fs::path& folder) {
    struct stat s {};
    if (::lstat(folder.c_str(), &s) != 0 || !S_ISDIR(s.st_mode) || s.st_uid != ::geteuid()) return false;
    const bool old = ::time(nullptr) - s.st_mtime > time_to_lock;
    const auto lock = folder / "lock";
    const int fd = ::open(lock.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return errno == ENOENT && old;
    const bool held = ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(fd);
    if (held) return false;
    std::ifstream file{lock};
    std::string pid, start;
    if (!(file >> pid >> start)) return old;
    return start_time_of(pid) != start;
}

void remove_whole(const fs::path& folder) {
    std::error_code error;
    fs::remove_all(folder, error);
    if (error) base::log(base::log_level::warning, "cannot remove " + folder.string() + ": " + error.message());
}

}  // namespace

base::result<temporary_folder> temporary_folder::make(const fs::path& path, bool marked) {
    const auto failed = [&](const char* doing) {
        return tl::unexpected{file_system_problem(errno, doing + path.string(), path.parent_path())};
    };
    if (::mkdir(path.c_str(), 0700) != 0) return failed("making the folder ");
    temporary_folder folder{path, -1};
    if (!marked) return folder;
    folder.lock_ = ::open((path / "lock").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (folder.lock_ < 0) return failed("writing a lock in ");
    if (::flock(folder.lock_, LOCK_EX) != 0)
        base::log(base::log_level::debug, "no flock in " + path.string() + "; pid and start time must do");
    const auto pid = std::to_string(::getpid());
    const auto text = pid + " " + start_time_of(pid) + "\n";
    const auto written = ::write(folder.lock_, text.data(), text.size());
    if (written != static_cast<ssize_t>(text.size())) {
        if (written >= 0) errno = ENOSPC;
        return failed("writing a lock in ");
    }
    return folder;
}

temporary_folder::temporary_folder(temporary_folder&& other) noexcept
    : path_{std::exchange(other.path_, {})}, lock_{std::exchange(other.lock_, -1)} {}

temporary_folder& temporary_folder::operator=(temporary_folder&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(lock_, other.lock_);
    return *this;
}

temporary_folder::~temporary_folder() {
    if (!path_.empty()) remove_whole(path_);
    if (lock_ >= 0) ::close(lock_);
}

void sweep(const fs::path& parent) {
    std::vector<fs::path> abandoned;
    std::error_code error;
    for (fs::directory_iterator entry{parent, error}; !error && entry != fs::directory_iterator{};
         entry.increment(error)) {
        const auto name = entry->path().filename().string();
        if (name.compare(0, prefix.size(), prefix) == 0 && is_random_id(std::string_view{name}.substr(prefix.size())) &&
            is_abandoned(entry->path()))
            abandoned.push_back(entry->path());
    }
    for (const auto& folder : abandoned) {
        base::log(base::log_level::info, "removing " + folder.string() + ", left behind by a host that died");
        remove_whole(folder);
    }
}

fs::path new_temporary_name(const fs::path& parent) { return parent / (std::string{prefix} + random_id()); }

std::string random_id() {
    std::array<unsigned char, 16> bytes{};
    // 16 bytes come whole once the kernel's generator is seeded (getrandom(2)).
    while (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {}
    constexpr char digits[] = "0123456789abcdef";
    std::string id;
    for (const auto b : bytes) id += {digits[b >> 4], digits[b & 15]};
    return id;
}

bool is_random_id(std::string_view s) {
    return s.size() == 32 && s.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace gdalmcp::workspace
