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
#include "workspace/background.hpp"
#include "workspace/file_system.hpp"
#include "workspace/publication.hpp"
#include "workspace/tree_removal.hpp"

namespace gdalmcp::workspace {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = ".gdal-mcp-";
constexpr time_t time_to_lock = 60;    // seconds after which a folder without a written lock counts as dead
constexpr int removed_at_once = 1000;  // entries; a folder with more is removed in the background

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

// Whether the maker of `folder` has died. The pid of a maker in another container is meaningless here, but it holds its
// flock; without working flock, pid and start time decide. known_dead: the maker is known to be dead from another
// source.
bool is_abandoned(const fs::path& folder, bool known_dead) {
    struct stat s {};
    if (::lstat(folder.c_str(), &s) != 0 || !S_ISDIR(s.st_mode) || s.st_uid != ::geteuid()) return false;
    const bool old = ::time(nullptr) - s.st_mtime > time_to_lock;
    const auto lock = folder / "lock";
    const int fd = ::open(lock.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return errno == ENOENT && (old || known_dead);
    const bool held = ::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    std::array<char, 64> text{};
    const bool regular = ::fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
    const auto n = regular && !held ? ::read(fd, text.data(), text.size()) : 0;
    ::close(fd);
    if (held || !regular) return false;
    std::string maker{text.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
    maker.resize(std::min(maker.find('\n'), maker.size()));
    if (maker.find(' ') == std::string::npos) return old || known_dead;
    return !is_running(maker);
}

// The lock of a marked folder goes last: until then another host can tell that its maker is dead. False: `go_on`
// stopped it.
bool remove(const fs::path& folder, const std::function<bool()>& go_on) {
    const auto gone = [&](const fs::path& tree) {
        const auto done = remove_tree(tree, go_on);
        if (!done) base::log(base::log_level::warning, done.error().message);
        return !done || *done;
    };
    std::error_code ec;
    for (fs::directory_iterator it{folder, ec}, end; !ec && it != end; it.increment(ec))
        if (it->is_directory(ec) && !it->is_symlink(ec) && !gone(it->path())) return false;
    return gone(folder);
}

// A tree too large to remove at once is left to the background thread, if there is one. `lock` is held until the folder
// is gone; if this process ends before, the next host sweeps it.
void remove_or_defer(const fs::path& folder, int lock, background* later) {
    const auto unlock = [lock] {
        if (lock >= 0) ::close(lock);
    };
    int left = removed_at_once;
    if (remove(folder, [&] { return !later || left-- > 0; }) || !later) return unlock();
    later->post([folder, unlock](const background::go_on& in_time) {
        remove(folder, in_time);
        unlock();
    });
}

// A pending publication from there is completed first.
void sweep_one(const fs::path& folder, background* later) {
    if (const auto ok = publication::finish(folder); !ok)
        return base::log(base::log_level::error,
                         folder.string() + " stays, with the output of a host that died: " + ok.error().message);
    base::log(base::log_level::info, "removing " + folder.string() + ", left behind by another host");
    remove_or_defer(folder, -1, later);
}

bool is_temporary_name(const std::string& name) {
    return name.starts_with(prefix) && is_random_id(std::string_view{name}.substr(prefix.size()));
}

}  // namespace

base::result<temporary_folder> temporary_folder::make(const fs::path& path, bool marked, background* later) {
    const auto failed = [&](const char* doing) {
        return tl::unexpected{file_system_problem(errno, doing + path.string(), path.parent_path())};
    };
    if (::mkdir(path.c_str(), 0700) != 0) return failed("making the folder ");
    temporary_folder folder{path, later};
    if (!marked) return folder;
    folder.lock_ = ::open((path / "lock").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (folder.lock_ < 0) return failed("writing a lock in ");
    if (::flock(folder.lock_, LOCK_EX) != 0)
        base::log(base::log_level::debug, "no flock in " + path.string() + "; pid and start time are used instead");
    const auto text = this_process() + "\n";
    const auto written = ::write(folder.lock_, text.data(), text.size());
    if (written != static_cast<ssize_t>(text.size())) {
        if (written >= 0) errno = ENOSPC;
        return failed("writing a lock in ");
    }
    return folder;
}

temporary_folder::temporary_folder(temporary_folder&& other) noexcept
    : path_{std::exchange(other.path_, {})}, later_{other.later_}, lock_{std::exchange(other.lock_, -1)} {}

temporary_folder& temporary_folder::operator=(temporary_folder&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(later_, other.later_);
    std::swap(lock_, other.lock_);
    return *this;
}

temporary_folder::~temporary_folder() {
    if (!path_.empty()) remove_or_defer(path_, lock_, later_);
}

void sweep(const fs::path& parent, background* later) {
    std::vector<fs::path> abandoned;
    std::error_code error;
    for (fs::directory_iterator entry{parent, error}; !error && entry != fs::directory_iterator{};
         entry.increment(error)) {
        if (is_temporary_name(entry->path().filename().string()) && is_abandoned(entry->path(), false))
            abandoned.push_back(entry->path());
    }
    for (const auto& folder : abandoned) sweep_one(folder, later);
}

void sweep_of_dead_host(const fs::path& folder, background* later) {
    if (is_temporary_name(folder.filename().string()) && is_abandoned(folder, true)) sweep_one(folder, later);
}

std::string this_process() {
    const auto pid = std::to_string(::getpid());
    return pid + " " + start_time_of(pid);
}

bool is_running(const std::string& process) {
    const auto blank = process.find(' ');
    return blank != std::string::npos && start_time_of(process.substr(0, blank)) == process.substr(blank + 1);
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
