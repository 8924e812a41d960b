#include "worker/file_trace.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>

namespace gdalmcp::worker {
namespace {

constexpr std::size_t max_traced = 100'000;

std::atomic<bool> tracing{false};
std::mutex guard;
traced_files& seen() {
    static traced_files all;
    return all;
}

std::string absolute(const char* path) {
    if (*path == '/') return path;
    char folder[PATH_MAX];
    return ::getcwd(folder, sizeof folder) ? std::string{folder} + "/" + path : std::string{path};
}

void insert(std::set<std::string>& into, const char* path) {
    if (into.size() < max_traced) into.insert(absolute(path));
}

// done: the call succeeded. Leaves errno as it is.
void note(std::set<std::string> traced_files::*where, const char* path, bool done) {
    if (!tracing.load(std::memory_order_relaxed) || !path) return;
    const int error = errno;
    if (done || error == EACCES || error == EPERM) {
        const std::lock_guard lock{guard};
        insert(done ? seen().*where : seen().refused, path);
    }
    errno = error;
}

bool is_special(int folder, const char* path) {
    struct stat s {};
    const int error = errno;
    const bool found = path && ::fstatat(folder, path, &s, 0) == 0;
    errno = error;
    if (!found || S_ISREG(s.st_mode) || S_ISDIR(s.st_mode)) return false;
    const bool device = S_ISCHR(s.st_mode) || S_ISBLK(s.st_mode);
    return !device || std::strncmp(path, "/dev/", 5) != 0;
}

// errno has the reason.
bool refuse_special(int folder, const char* path) {
    if (!is_special(folder, path)) return false;
    note(&traced_files::special, path, true);
    errno = EACCES;
    return true;
}

bool only_reads(int flags) { return (flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_TRUNC | O_PATH)); }
bool only_reads(const char* mode) { return mode && *mode == 'r' && !std::strchr(mode, '+'); }

// The function of that name in the libraries that follow the executable: libc's, or a sanitizer's in front of it.
template <class F>
F* next(const char* name) {
    return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

file_trace::file_trace() {
    const std::lock_guard lock{guard};
    seen() = {};
    tracing = true;
}

file_trace::~file_trace() { tracing = false; }

traced_files file_trace::files() const {
    const std::lock_guard lock{guard};
    return seen();
}

namespace {

// The part of p below the folder; nothing where it does not lie in it.
std::optional<std::vector<std::filesystem::path>> below(const std::filesystem::path& p,
                                                        const std::filesystem::path& folder) {
    const auto [f, rest] = std::mismatch(folder.begin(), folder.end(), p.begin(), p.end());
    if (f != folder.end() && !(std::next(f) == folder.end() && f->empty())) return std::nullopt;
    return std::vector<std::filesystem::path>(rest, p.end());
}

bool is_the_hosts(const std::filesystem::path& part) {
    return part == ".preflight" || part.string().rfind(".gdal-mcp", 0) == 0;
}

}  // namespace

bool lies_in(const std::filesystem::path& p, const std::vector<std::filesystem::path>& folders) {
    return std::any_of(folders.begin(), folders.end(), [&](const auto& f) { return below(p, f).has_value(); });
}

bool may_belong_to_input(const std::filesystem::path& p, const std::vector<std::filesystem::path>& folders) {
    return std::any_of(folders.begin(), folders.end(), [&](const auto& f) {
        const auto parts = below(p, f);
        return parts && std::none_of(parts->begin(), parts->end(), is_the_hosts);
    });
}

}  // namespace gdalmcp::worker

// The interposed functions: as libc declares them, each calls the next one of its name.

#define GDALMCP_INTERPOSED extern "C" __attribute__((visibility("default")))
namespace {
using files = gdalmcp::worker::traced_files;
using gdalmcp::worker::next;
using gdalmcp::worker::note;
using gdalmcp::worker::only_reads;
using gdalmcp::worker::refuse_special;

mode_t mode_of(int flags, va_list& more) {
    return flags & (O_CREAT | O_TMPFILE) ? static_cast<mode_t>(va_arg(more, unsigned)) : 0;
}

int opened(int fd, const char* path, int flags) {
    if (only_reads(flags)) note(flags & O_DIRECTORY ? &files::listed : &files::opened, path, fd >= 0);
    return fd;
}
FILE* opened(FILE* file, const char* path, const char* mode) {
    if (only_reads(mode)) note(&files::opened, path, file != nullptr);
    return file;
}
int looked_at(int status, const char* path) {
    if (status == 0) note(&files::found, path, true);  // refusals are recorded on open
    return status;
}
}  // namespace

#define GDALMCP_OPEN(name)                                                  \
    GDALMCP_INTERPOSED int name(const char* path, int flags, ...) {         \
        static const auto real = next<int(const char*, int, ...)>(#name);   \
        va_list more;                                                       \
        va_start(more, flags);                                              \
        const mode_t mode = mode_of(flags, more);                           \
        va_end(more);                                                       \
        if (!(flags & O_PATH) && refuse_special(AT_FDCWD, path)) return -1; \
        return opened(real(path, flags, mode), path, flags);                \
    }
GDALMCP_OPEN(open)
GDALMCP_OPEN(open64)

// Paths relative to a descriptor are not traced: nothing that reads geodata uses them.
#define GDALMCP_OPENAT(name)                                                      \
    GDALMCP_INTERPOSED int name(int folder, const char* path, int flags, ...) {   \
        static const auto real = next<int(int, const char*, int, ...)>(#name);    \
        va_list more;                                                             \
        va_start(more, flags);                                                    \
        const mode_t mode = mode_of(flags, more);                                 \
        va_end(more);                                                             \
        if (!(flags & O_PATH) && refuse_special(folder, path)) return -1;         \
        const int fd = real(folder, path, flags, mode);                           \
        return folder == AT_FDCWD || *path == '/' ? opened(fd, path, flags) : fd; \
    }
GDALMCP_OPENAT(openat)
GDALMCP_OPENAT(openat64)

#define GDALMCP_FOPEN(name)                                                    \
    GDALMCP_INTERPOSED FILE* name(const char* path, const char* mode) {        \
        static const auto real = next<FILE*(const char*, const char*)>(#name); \
        if (refuse_special(AT_FDCWD, path)) return nullptr;                    \
        return opened(real(path, mode), path, mode);                           \
    }
GDALMCP_FOPEN(fopen)
GDALMCP_FOPEN(fopen64)

GDALMCP_INTERPOSED DIR* opendir(const char* path) {
    static const auto real = next<DIR*(const char*)>("opendir");
    auto* folder = real(path);
    note(&files::listed, path, folder != nullptr);
    return folder;
}

#define GDALMCP_STAT(name, type)                                              \
    GDALMCP_INTERPOSED int name(const char* path, struct type* into) {        \
        static const auto real = next<int(const char*, struct type*)>(#name); \
        return looked_at(real(path, into), path);                             \
    }
GDALMCP_STAT(stat, stat)
GDALMCP_STAT(stat64, stat64)

GDALMCP_INTERPOSED int access(const char* path, int mode) {
    static const auto real = next<int(const char*, int)>("access");
    return looked_at(real(path, mode), path);
}
