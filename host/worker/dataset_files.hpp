// The files a dataset consists of: those GDAL lists, and those it opens or looks for while opening the dataset (world
// files, statistics, tables, tiles, the parts of an ArcInfo coverage).
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/problem.hpp"
#include "worker/file_trace.hpp"

class GDALDataset;

namespace gdalmcp::worker {

// The file of the same name with `suffix` appended: x.shp.aux.xml.
std::filesystem::path with_suffix(std::filesystem::path p, const char* suffix);

class dataset_files {
public:
    // named: the file or folder the call names. roots: canonical folders this call may read.
    dataset_files(const std::filesystem::path& named, const std::vector<std::filesystem::path>& roots)
        : named_{named}, roots_{roots} {}

    // Adds the files GDAL lists, each opened in turn, since a file may name others (a VRT of VRTs).
    // Errors: denied (a file lies outside the roots, or is remote), exhausted (more than 20 000 files).
    base::result<void> add_listed(GDALDataset& d);
    // Adds the files below the roots that were opened or found while opening it. A file outside is an error for a VRT,
    // which consists of the files it names, and a warning for others.
    base::result<void> add_traced(const traced_files& t, bool consists_of_others);
    base::result<void> add(const std::string& name);

    // A pipe, socket or device the dataset refers to; nothing: none.
    base::result<void> no_special(const traced_files& t) const;

    std::vector<std::filesystem::path> files() const { return {files_.begin(), files_.end()}; }
    std::vector<std::filesystem::path> folders() const { return {folders_.begin(), folders_.end()}; }
    const std::vector<std::string>& warnings() const { return warnings_; }

private:
    base::result<void> kept_by_host(const std::filesystem::path& path) const;
    base::result<void> special(const std::filesystem::path& path) const;
    base::result<void> outside(const std::filesystem::path& path) const;

    const std::filesystem::path& named_;
    const std::vector<std::filesystem::path>& roots_;
    std::set<std::filesystem::path> files_, folders_;
    std::vector<std::string> warnings_;
};

}  // namespace gdalmcp::worker
