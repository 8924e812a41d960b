#include "workspace/rename.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/log.hpp"
#include "base/open_folder.hpp"
#include "workspace/file_system.hpp"

namespace gdalmcp::workspace {
namespace {

namespace fs = std::filesystem;

// Two paths by the descriptors of their folders: a user who may write beside an output must not redirect it by
// replacing a folder with a link.
class two_places {
public:
    two_places(const fs::path& from, const fs::path& to)
        : from_folder{base::open_folder(from.parent_path())},
          to_folder{from_folder < 0 ? -1 : base::open_folder(to.parent_path())},
          from_name{from.filename()},
          to_name{to.filename()} {}
    two_places(const two_places&) = delete;
    two_places& operator=(const two_places&) = delete;
    ~two_places() {
        const int error = errno;
        for (const int fd : {from_folder, to_folder})
            if (fd >= 0) ::close(fd);
        errno = error;
    }
    bool are_there() const { return to_folder >= 0; }

    const int from_folder, to_folder;
    const fs::path from_name, to_name;
};

int rename_with(const fs::path& from, const fs::path& to, unsigned flags) {
    const two_places p{from, to};
    if (!p.are_there()) return errno;
    return ::renameat2(p.from_folder, p.from_name.c_str(), p.to_folder, p.to_name.c_str(), flags) == 0 ? 0 : errno;
}

int link_to(const fs::path& from, const fs::path& to) {
    const two_places p{from, to};
    if (!p.are_there()) return errno;
    return ::linkat(p.from_folder, p.from_name.c_str(), p.to_folder, p.to_name.c_str(), 0) == 0 ? 0 : errno;
}

int rename_to_new(const fs::path& from, const fs::path& to) {
    const int error = rename_with(from, to, RENAME_NOREPLACE);
    return error == EINVAL ? link_and_unlink(from, to) : error;
}

// Where the file system cannot swap two names, the old file gets a second one before it is replaced.
int swap_by_link(const fs::path& from, const fs::path& to) {
    auto aside = from;
    aside += ".old";
    if (const int error = link_to(to, aside)) return error;
    if (const int error = rename_with(from, to, 0)) {
        ::unlink(aside.c_str());
        return error;
    }
    return rename_with(aside, from, 0);
}

int exchange(const fs::path& from, const fs::path& to) {
    const int error = rename_with(from, to, RENAME_EXCHANGE);
    return error == EINVAL ? swap_by_link(from, to) : error;
}

}  // namespace

int link_and_unlink(const fs::path& from, const fs::path& to) {
    if (const int error = link_to(from, to)) return error;
    return ::unlink(from.c_str()) == 0 ? 0 : errno;
}

base::result<void> renames::move(const fs::path& from, const fs::path& to) {
    const int error = rename_to_new(from, to);
    if (error == EEXIST)
        return base::fail(base::code::exists, to.string() + " exists already",
                          "choose another name, or set overwrite to true to replace it");
    if (error != 0)
        return tl::unexpected{
            file_system_problem(error, "moving " + from.string() + " to " + to.string(), to.parent_path())};
    done_.push_back({from, to, false});
    return {};
}

base::result<void> renames::replace(const fs::path& from, const fs::path& to) {
    struct stat s {};
    if (::lstat(to.c_str(), &s) != 0) return move(from, to);
    if (!S_ISREG(s.st_mode))
        return base::fail(base::code::exists, to.string() + " is not a regular file, so it is not replaced",
                          "choose another name");
    if (const int error = exchange(from, to))
        return tl::unexpected{
            file_system_problem(error, "replacing " + to.string() + " by " + from.string(), to.parent_path())};
    done_.push_back({from, to, true});
    return {};
}

renames::~renames() {
    for (auto done = done_.rbegin(); done != done_.rend(); ++done) {
        const int error = done->swapped ? exchange(done->from, done->to) : rename_to_new(done->to, done->from);
        if (error != 0)
            base::log(
                base::log_level::error,
                file_system_problem(error, "moving " + done->to.string() + " back", done->to.parent_path()).message);
    }
}

}  // namespace gdalmcp::workspace
