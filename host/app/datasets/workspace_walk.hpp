// The files of the workspaces that may be datasets, found without opening any.
#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "runner/cancellation.hpp"
#include "workspace/roots.hpp"

namespace gdalmcp::app {

struct found_file {
    std::filesystem::path workspace;  // the root it lies in
    std::filesystem::path path;       // absolute; the target of a link inside the workspaces
    std::filesystem::path shown;      // relative to the workspace
    std::uintmax_t size_bytes = 0;    // of the file alone
    std::chrono::system_clock::time_point modified;
    std::vector<std::string> sidecars;  // names of its sidecar files
    std::string state;                  // changes with the file and with its neighbours of the same stem
};

struct walk_limits {
    std::size_t entries = 100'000;
    int depth = 32;
    std::chrono::milliseconds time{2000};
};

struct walk {
    std::vector<found_file> files;  // by workspace and path
    std::string stopped;            // why the walk ended early; empty: it is complete
    std::size_t not_utf8 = 0;       // files left out because their name is not UTF-8
};

// Every File Geodatabase and every readable regular file below `subpath` of every workspace whose name `may_be_dataset`
// accepts. Left out: files that belong to another such file (sidecars, provenance), the host's own folders, links that
// lead outside, hidden files and folders unless asked for. Linked folders are not entered: inside the workspaces they
// are found where they are. Errors: no workspace has such a folder, or it leads outside.
base::result<walk> walk_workspaces(const workspace::roots& roots, const std::string& subpath, bool include_hidden,
                                   const std::function<bool(const std::filesystem::path&)>& may_be_dataset,
                                   const runner::cancellation& cancel, walk_limits limits = {});

}  // namespace gdalmcp::app
