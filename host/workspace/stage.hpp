// Outputs take shape out of sight and appear whole, or not at all.
#pragma once
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/problem.hpp"
#include "workspace/temporary_folder.hpp"

namespace gdalmcp::workspace {

// A folder made for one output, the only place the tool may write to.
struct candidate {
    std::filesystem::path folder;
    std::filesystem::path file;  // folder / final name: a temporary name would stay as layer name in a GeoPackage
    std::uint64_t room = 0;      // bytes that may be written here
    bool in_memory = false;      // a tmpfs scratch folder; another candidate is on disk
};

// The places where one output may be written; the tool's side picks one, by its estimate of the size.
//   auto s = stages.beside(target, overwrite);
//   … the tool writes s->candidates()[0].file, it is verified …
//   s->publish(0);          // or let it go out of scope: nothing was there
class stage {
public:
    const std::vector<candidate>& candidates() const { return candidates_; }

    // Moves what was written into candidate `chosen` to its target: everything fsynced, sidecars first, primary last;
    // with overwrite the old files are swapped out and kept until the new ones are in place. Returns the files that
    // are there now, primary first. Errors leave the target's folder as it was: `exists` when somebody was faster,
    // `exhausted` when the file system is full, verification_failed for files that do not belong to the output.
    // REQUIRES: a stage from stages::beside.
    base::result<std::vector<std::filesystem::path>> publish(std::size_t chosen);

private:
    friend class stages;
    friend class results;
    std::vector<candidate> candidates_;
    std::vector<temporary_folder> folders_;  // one per candidate
    std::filesystem::path target_;           // empty for managed results
    std::string id_;                         // of the managed result to be
    bool overwrite_ = false;
};

// Makes stages, and sweeps away dead ones in each folder before the first output goes there.
class stages {
public:
    base::result<stage> beside(const std::filesystem::path& target, bool overwrite);

private:
    std::mutex guard_;
    std::set<std::filesystem::path> swept_;
};

// The files in a stage's folder, primary first: regular, with one name, called after the primary ("dem.tif",
// "dem.tif.aux.xml", "dem.tfw"). Errors: the primary is missing or something else lies there.
base::result<std::vector<std::filesystem::path>> written_files(const candidate& c);

}  // namespace gdalmcp::workspace
