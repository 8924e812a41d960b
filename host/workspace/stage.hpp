// Outputs take shape out of sight and appear whole, or not at all.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/own_folder.hpp"
#include "base/problem.hpp"
#include "workspace/input_files.hpp"
#include "workspace/temporary_folder.hpp"

namespace gdalmcp::workspace {

// A folder made for one output, the only place the tool may write to.
struct candidate {
    std::filesystem::path folder;
    std::filesystem::path file;  // folder / final name: a temporary name would stay as layer name in a GeoPackage
    std::uint64_t room = 0;      // bytes that may be written here
    bool in_memory = false;      // a tmpfs scratch folder; another candidate is on disk
};

// A file that says, as long as this lives, that there is a stage in some folder, and whose it is.
class stage_note {
public:
    stage_note(base::own_folder notes, std::string name) : notes_{std::move(notes)}, name_{std::move(name)} {}
    stage_note(const stage_note&) = delete;
    stage_note& operator=(const stage_note&) = delete;
    ~stage_note() { static_cast<void>(notes_.remove(name_)); }

private:
    base::own_folder notes_;
    std::string name_;
};

// The places where one output may be written; the tool's side picks one, by its estimate of the size.
//   auto s = stages.beside(target, overwrite);
//   … the tool writes s->candidates()[0].file, it is verified …
//   s->leave_only(0, files);
//   s->publish(0, inputs);  // or let it go out of scope: nothing was there
class stage {
public:
    const std::vector<candidate>& candidates() const { return candidates_; }

    // Removes what was written into candidate `chosen` but these files, and returns the names of what went. Errors: as
    // of written_files().
    base::result<std::vector<std::string>> leave_only(std::size_t chosen, const std::set<std::string>& names);

    struct published {
        std::vector<std::filesystem::path> files;  // that are there now, primary first
        std::vector<std::string> warnings;         // what stood in the place of the record and was moved aside
    };

    // Moves what was written into candidate `chosen` to its target: everything fsynced, sidecars first, primary last;
    // with overwrite the old files are swapped out and kept until the new ones are in place. Errors leave the target's
    // folder as it was: `exists` when somebody was faster, `exhausted` when the file system is full,
    // verification_failed for files that do not belong to the output, invalid_argument where one would replace a file
    // of an input.
    // REQUIRES: a stage from stages::beside.
    base::result<published> publish(std::size_t chosen, const input_files& inputs);

private:
    friend class stages;
    friend class results;
    std::vector<candidate> candidates_;
    std::unique_ptr<stage_note> note_;       // goes after the folder it speaks of
    std::vector<temporary_folder> folders_;  // one per candidate
    std::filesystem::path target_;           // empty for managed results
    std::string id_;                         // of the managed result to be
    bool overwrite_ = false;
};

// Makes stages, and sweeps away dead ones in each folder before the first output goes there.
class stages {
public:
    // notes: where it stands which stages there are, for the host after this one; none: nowhere.
    explicit stages(std::optional<base::own_folder> notes = {}, background* later = nullptr)
        : notes_{std::move(notes)}, later_{later} {}
    base::result<stage> beside(const std::filesystem::path& target, bool overwrite);

    // Sweeps the stages of hosts that died, wherever they are, and so finishes what those were publishing; those in
    // folders that `may_write` takes.
    void sweep_noted(const std::function<bool(const std::filesystem::path&)>& may_write) const;

private:
    std::unique_ptr<stage_note> note(const std::filesystem::path& folder) const;

    const std::optional<base::own_folder> notes_;
    background* const later_;  // for what is too much to remove at once
    std::mutex guard_;
    std::set<std::filesystem::path> swept_;
};

// The files in a stage's folder, primary first: regular, with one name, called after the primary ("dem.tif",
// "dem.tif.aux.xml", "dem.tfw"). Errors: the primary is missing or something else lies there.
base::result<std::vector<std::filesystem::path>> written_files(const candidate& c);

}  // namespace gdalmcp::workspace
