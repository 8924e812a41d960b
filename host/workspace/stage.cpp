#include "workspace/stage.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <sstream>

#include "workspace/file_system.hpp"
#include "workspace/new_file.hpp"
#include "workspace/publication.hpp"
#include "workspace/sidecars.hpp"

namespace gdalmcp::workspace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_note = 8192;

// Old sidecars would be read with the new file: they are moved aside, unless new ones replace them; an index with the
// record of how it was made.
void set_aside_old_sidecars(const fs::path& target, const std::vector<fs::path>& written, const fs::path& aside,
                            publication& planned) {
    const auto is_file = [](const fs::path& p) {
        struct stat s {};
        return ::lstat(p.c_str(), &s) == 0 && S_ISREG(s.st_mode);
    };
    for (const auto& old : possible_sidecars(target)) {
        const bool renewed = std::any_of(written.begin(), written.end(),
                                         [&](const fs::path& w) { return w.filename() == old.filename(); });
        if (renewed || !is_file(old) || !other_owner(old, target).empty()) continue;
        planned.move(old, aside / old.filename());
        if (const auto record = provenance_path(old); is_file(record)) planned.move(record, aside / record.filename());
    }
}

// A link or a folder in the record's place must not prevent the output. It is kept under a free name.
void clear_record_path(const fs::path& record, publication& planned, std::vector<std::string>& warnings) {
    struct stat s {};
    if (::lstat(record.c_str(), &s) != 0 || S_ISREG(s.st_mode)) return;
    auto aside = record;
    aside += aside_mark + random_id();
    planned.move(record, aside);
    const char* kind = S_ISLNK(s.st_mode) ? "a symbolic link" : S_ISDIR(s.st_mode) ? "a folder" : "no regular file";
    warnings.push_back(record.string() + " was " + kind + ", not a record; it was moved to " +
                       aside.filename().string());
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
            return wrong("'" + name + "', which is not a plain file,");
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
        if (swept_.insert(folder).second) sweep(folder, later_);
    }
    const auto place = new_temporary_name(folder);
    stage s;
    s.note_ = note(place);
    auto own = temporary_folder::make(place, true, later_);
    if (!own) return tl::unexpected{std::move(own.error())};
    // The tool may write in a folder of its own, so that the lock is out of its reach.
    const auto out = own->path() / "out";
    if (::mkdir(out.c_str(), 0700) != 0)
        return tl::unexpected{file_system_problem(errno, "making the folder " + out.string(), own->path())};
    s.candidates_.push_back({out, out / target.filename(), free_bytes(folder), false});
    s.folders_.push_back(std::move(*own));
    s.target_ = target;
    s.overwrite_ = overwrite;
    return s;
}

// Without it the stage of a host that died is swept when the next output goes to its folder, or from the top of a
// workspace.
std::unique_ptr<stage_note> stages::note(const fs::path& folder) const {
    if (!notes_ || !notes_->make()) return nullptr;
    const auto name = folder.filename().string();
    const int fd = notes_->open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (fd < 0) return nullptr;
    const auto text = this_process() + "\n" + folder.string() + "\n";
    const bool whole = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::close(fd);
    auto n = std::make_unique<stage_note>(*notes_, name);
    return whole ? std::move(n) : nullptr;
}

void stages::sweep_noted(const std::function<bool(const fs::path&)>& may_write) const {
    if (!notes_) return;
    for (const auto& name : notes_->names()) {
        const auto text = notes_->read(name, max_note);
        if (!text) continue;
        std::istringstream lines{*text};
        std::string process, folder;
        const bool whole = std::getline(lines, process) && std::getline(lines, folder) && !lines.eof();
        if (whole && is_running(process)) continue;
        if (whole && fs::path{folder}.filename() == name && may_write(fs::path{folder}.parent_path()))
            sweep_of_dead_host(folder, later_);
        static_cast<void>(notes_->remove(name));
    }
}

base::result<std::vector<std::string>> stage::leave_only(std::size_t chosen, const std::set<std::string>& names) {
    const auto files = written_files(candidates_.at(chosen));
    if (!files) return tl::unexpected{files.error()};
    std::vector<std::string> gone;
    for (const auto& f : *files) {
        if (names.count(f.filename().string())) continue;
        if (::unlink(f.c_str()) != 0)
            return tl::unexpected{file_system_problem(errno, "removing " + f.string(), f.parent_path())};
        gone.push_back(f.filename().string());
    }
    return gone;
}

base::result<stage::published> stage::publish(std::size_t chosen, const input_files& inputs) {
    const auto files = written_files(candidates_.at(chosen));
    if (!files) return tl::unexpected{files.error()};
    const auto folder = target_.parent_path();
    std::vector<fs::path> replaced;
    for (const auto& f : *files) replaced.push_back(folder / f.filename());
    if (overwrite_)
        for (auto& old : possible_sidecars(target_)) replaced.push_back(std::move(old));
    if (auto ok = inputs.spared_by(target_, replaced); !ok) return tl::unexpected{std::move(ok.error())};
    std::error_code ec;
    for (const auto& f : *files)
        if (const auto to = folder / f.filename(); to != target_ && fs::exists(to, ec) && !fs::exists(target_, ec))
            if (const auto owner = other_owner(to, target_); !owner.empty())
                return base::fail(base::code::exists,
                                  to.string() + " belongs to " + owner.string() + ", and would be replaced",
                                  "choose another name");
    if (auto ok = make_like_new(*files); !ok) return tl::unexpected{std::move(ok.error())};
    for (const auto& f : *files)
        if (auto ok = flush(f); !ok) return tl::unexpected{std::move(ok.error())};
    published done;
    publication planned{folders_.at(chosen).path()};
    if (overwrite_) set_aside_old_sidecars(target_, *files, folders_.at(chosen).path(), planned);
    for (auto f = files->rbegin(); f != files->rend(); ++f) {  // the primary, first in the list, is moved last
        const auto to = folder / f->filename();
        // A provenance record without its dataset may be replaced: the dataset was deleted by hand.
        const bool is_record = to == provenance_path(target_);
        if (is_record) clear_record_path(to, planned, done.warnings);
        if (overwrite_ || is_record)
            planned.replace(*f, to);
        else
            planned.move(*f, to);
        done.files.insert(done.files.begin(), to);
    }
    if (auto ok = planned.carry_out(); !ok) return tl::unexpected{std::move(ok.error())};
    folders_.clear();
    candidates_.clear();
    return done;
}

}  // namespace gdalmcp::workspace
