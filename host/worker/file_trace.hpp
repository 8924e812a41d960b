// Records the files this process opens, or is refused, while a trace is alive, by any library (GDAL, netCDF, HDF,
// SQLite, a plugin's own code): the worker's executable interposes the functions of libc that open files. This finds
// all parts of a dataset, which no list of sidecars can.
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace gdalmcp::worker {

// Absolute paths as passed to libc, links not resolved. Each set holds at most 100 000.
struct traced_files {
    std::set<std::string> opened;   // for reading, with success
    std::set<std::string> found;    // stat or access succeeded; folders too
    std::set<std::string> listed;   // folders whose names were read
    std::set<std::string> refused;  // existing, but not readable by this process (EACCES, EPERM)
    std::set<std::string> special;  // pipes, sockets and devices, which are never opened
};

// Independent of any trace, this process opens no pipe, socket or device by its name (EACCES), but devices
// of /dev: a pipe in the place of a world file would hold a call to its deadline.
//
// One at a time in a process; threads of the process are traced as well.
class file_trace {
public:
    file_trace();
    ~file_trace();
    file_trace(const file_trace&) = delete;
    file_trace& operator=(const file_trace&) = delete;

    traced_files files() const;  // so far
};

// Whether p is one of the folders, or below one; all without dots and links.
bool lies_in(const std::filesystem::path& p, const std::vector<std::filesystem::path>& folders);

// The same, except the host's own folders below them (.preflight, .gdal-mcp…).
bool may_belong_to_input(const std::filesystem::path& p, const std::vector<std::filesystem::path>& folders);

}  // namespace gdalmcp::worker
