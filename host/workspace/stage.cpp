#include "workspace/stage.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "workspace/file_system.hpp"
#include "workspace/rename.hpp"
#include "workspace/sidecars.hpp"

namespace gdalmcp::workspace {
namespace {

namespace fs = std::filesystem;

base::result<void> flush(const fs::path& p) {
    const int fd = ::open(p.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const bool ok = fd >= 0 && ::fsync(fd) == 0;
    const int error = errno;
    if (fd >= 0) ::close(fd);
    if (ok) return {};
    return tl::unexpected{file_system_problem(error, "writing " + p.string() + " to disk", p.parent_path())};
}

// Old sidecars would be read with the new file: they go aside, unless new ones take their place.
base::result<void> set_aside_old_sidecars(const fs::path& target, const std::vector<fs::path>& written,
                                          const fs::path& aside, renames& moved) {
    for (const auto& old : possible_sidecars(target)) {
        struct stat s {};
        const bool renewed = std::any_of(written.begin(), written.end(),
                                         [&](const fs::path& w) { return w.filename() == old.filename(); });
        if (renewed || ::lstat(old.c_str(), &s) != 0 || !S_ISREG(s.st_mode)) continue;
        if (auto ok = moved.move(old, aside / old.filename()); !ok) return ok;
    }
    return {};
}

}  // namespace

base::result<std::vector<fs::path>> written_files(const candidate& c) {
    const auto wrong = [&](const std::string& what) {
        return base::fail(base::code::verification_failed,
                          "the tool left " + what + " where " + c.file.filename().string() + " was to be written",
                          "report this to the author of the tool");
    };
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator entry{c.folder, error}; !error && entry != fs::directory_iterator{};
         entry.increment(error)) {
        const auto name = entry->path().filename().string();
        struct stat s {};
        if (::lstat(entry->path().c_str(), &s) != 0 || !S_ISREG(s.st_mode) || s.st_nlink != 1)
            return wrong("'" + name + "', which is no plain file,");
        if (name != c.file.filename() && !may_accompany(c.file, name))
            return wrong("'" + name + "', which does not belong to the output,");
        files.push_back(entry->path());
    }
    if (error) return base::fail(base::code::io, "cannot list " + c.folder.string() + ": " + error.message());
    std::sort(files.begin(), files.end());
    const auto primary = std::find(files.begin(), files.end(), c.file);
    if (primary == files.end()) return wrong("nothing");
    std::rotate(files.begin(), primary, primary + 1);
    return files;
}

base::result<stage> stages::beside(const fs::path& target, bool overwrite) {
    const auto folder = target.parent_path();
    {
        const std::lock_guard lock{guard_};
        if (swept_.insert(folder).second) sweep(folder);
    }
    auto own = temporary_folder::make(new_temporary_name(folder), true);
    if (!own) return tl::unexpected{std::move(own.error())};
    // The tool may write in a folder of its own, so that the lock is out of its reach.
    const auto out = own->path() / "out";
    if (::mkdir(out.c_str(), 0700) != 0)
        return tl::unexpected{file_system_problem(errno, "making the folder " + out.string(), own->path())};
    stage s;
    s.candidates_.push_back({out, out / target.filename(), free_bytes(folder), false});
    s.folders_.push_back(std::move(*own));
    s.target_ = target;
    s.overwrite_ = overwrite;
    return s;
}

base::result<std::vector<fs::path>> stage::publish(std::size_t chosen) {
    auto files = written_files(candidates_.at(chosen));
    if (!files) return files;
    for (const auto& f : *files)
        if (auto ok = flush(f); !ok) return tl::unexpected{std::move(ok.error())};
    const auto folder = target_.parent_path();
    renames moved;
    if (overwrite_)
        if (auto ok = set_aside_old_sidecars(target_, *files, folders_.at(chosen).path(), moved); !ok)
            return tl::unexpected{std::move(ok.error())};
    std::vector<fs::path> published;
    for (auto f = files->rbegin(); f != files->rend(); ++f) {  // the primary, first in the list, is moved last
        const auto to = folder / f->filename();
        // A provenance record without its dataset is nobody's: the dataset was deleted by hand.
        const bool may_replace = overwrite_ || to == provenance_path(target_);
        auto ok = may_replace ? moved.replace(*f, to) : moved.move(*f, to);
        if (!ok) return tl::unexpected{std::move(ok.error())};
        published.insert(published.begin(), to);
    }
    if (auto ok = flush(folder); !ok) return tl::unexpected{std::move(ok.error())};
    moved.commit();
    folders_.clear();
    candidates_.clear();
    return published;
}

}  // namespace gdalmcp::workspace
