// Staging of outputs: written to a hidden folder, then published whole or not at all.
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

// A file that records a stage in some folder and its owner, while this object lives.
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

// The candidate folders of one output; the worker picks one by its estimate of the size.
//   auto s = stages.beside(target, overwrite);
//   … the tool writes s->candidates()[0].file, it is verified …
//   s->leave_only(0, files);
//   s->publish(0, inputs);  // or destroy it: nothing remains
class stage {
public:
    const std::vector<candidate>& candidates() const { return candidates_; }

    // Removes all but these files from candidate `chosen`, and returns the names of the removed ones. Errors: as of
    // written_files().
    base::result<std::vector<std::string>> leave_only(std::size_t chosen, const std::set<std::string>& names);

    struct published {
        std::vector<std::filesystem::path> files;  // existing now, primary first
        std::vector<std::string> warnings;         // the file moved aside from the record's place
    };

    // Moves the files of candidate `chosen` to their target: everything fsynced, sidecars first, primary last; with
    // overwrite the old files are swapped out and kept until the new ones are in place. Errors leave the target's
    // folder as it was: `exists` if the target has appeared meanwhile, `exhausted` when the file system is full,
    // verification_failed for files that do not belong to the output, invalid_argument where one would replace a file
    // of an input. REQUIRES: a stage from stages::beside.
    base::result<published> publish(std::size_t chosen, const input_files& inputs);

private:
    friend class stages;
    friend class results;
    std::vector<candidate> candidates_;
    std::unique_ptr<stage_note> note_;       // destroyed after the folder it names
    std::vector<temporary_folder> folders_;  // one per candidate
    std::filesystem::path target_;           // empty for managed results
    std::string id_;                         // of the future managed result
    bool overwrite_ = false;
};

// Makes stages, and sweeps dead ones in each folder before its first output.
class stages {
public:
    // notes: where stages are recorded for the next host; none: nowhere.
    explicit stages(std::optional<base::own_folder> notes = {}, background* later = nullptr)
        : notes_{std::move(notes)}, later_{later} {}
    base::result<stage> beside(const std::filesystem::path& target, bool overwrite);

    // Sweeps the recorded stages of dead hosts in folders that `may_write` accepts, and so completes their
    // publications.
    void sweep_noted(const std::function<bool(const std::filesystem::path&)>& may_write) const;

private:
    std::unique_ptr<stage_note> note(const std::filesystem::path& folder) const;

    const std::optional<base::own_folder> notes_;
    background* const later_;  // for trees too large to remove at once
    std::mutex guard_;
    std::set<std::filesystem::path> swept_;
};

// The files in a stage's folder, primary first: regular, with one name, called after the primary ("dem.tif",
// "dem.tif.aux.xml", "dem.tfw"). Errors: the primary is missing or something else lies there.
base::result<std::vector<std::filesystem::path>> written_files(const candidate& c);

}  // namespace gdalmcp::workspace
