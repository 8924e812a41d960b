#include "worker/archive.hpp"

#include <cpl_vsi.h>
#include <gdalmcp/gdal.hpp>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <set>
#include <vector>

#include "base/text.hpp"

namespace gdalmcp::worker {

namespace fs = std::filesystem;
using base::fail;
using base::result;
namespace code = base::code;

namespace {

constexpr std::size_t max_entries = 10'000;
constexpr std::uint64_t max_unpacked = std::uint64_t{64} << 30;  // bytes
constexpr std::size_t max_tried = 500;                           // entries opened to see whether they are datasets
constexpr const char* prefixes[] = {"/vsizip/", "/vsitar/", "/vsigzip/"};

enum class packing { none, zip, tar, gzip };

// PKWARE APPNOTE 4.3.7; POSIX ustar, "ustar" at offset 257; RFC 1952, 2.3.1
packing packing_of(const fs::path& file) {
    std::ifstream in{file, std::ios::binary};
    char head[262] = {};
    in.read(head, sizeof head);
    if (std::memcmp(head, "PK\3\4", 4) == 0 || std::memcmp(head, "PK\5\6", 4) == 0) return packing::zip;
    if (std::memcmp(head + 257, "ustar", 5) == 0) return packing::tar;
    if (std::memcmp(head, "\x1f\x8b", 2) != 0) return packing::none;
    const auto name = base::lower_ascii(file.filename().string());
    const auto ends = [&](std::string_view with) {
        return name.size() >= with.size() && name.compare(name.size() - with.size(), with.size(), with) == 0;
    };
    return ends(".tgz") || ends(".tar.gz") ? packing::tar : packing::gzip;
}

struct contents {
    std::vector<std::string> files, folders;  // inside the archive
};

result<contents> contents_of(const std::string& root, const fs::path& file) {
    const std::unique_ptr<VSIDIR, decltype(&VSICloseDir)> dir{VSIOpenDir(root.c_str(), -1, nullptr), &VSICloseDir};
    if (!dir) return fail(code::io, file.string() + " is a damaged archive", "check it with its archive program");
    contents all;
    std::uint64_t bytes = 0;
    while (const auto* entry = VSIGetNextDirEntry(dir.get())) {
        if (all.files.size() + all.folders.size() >= max_entries)
            return fail(code::exhausted, file.string() + " has more than " + std::to_string(max_entries) + " entries",
                        "unpack what is needed into a workspace");
        (VSI_ISDIR(entry->nMode) ? all.folders : all.files).emplace_back(entry->pszName);
        bytes += entry->nSize;
        if (bytes > max_unpacked)
            return fail(code::exhausted,
                        file.string() + " unpacks to more than " + std::to_string(max_unpacked >> 30) + " GiB",
                        "unpack what is needed into a workspace");
    }
    return all;
}

bool opens(const std::string& name, unsigned kinds, std::set<std::string>* parts = nullptr) {
    const gdal::dataset_ptr d{GDALDataset::Open(name.c_str(), kinds)};
    if (!d) return false;
    if ((kinds & GDAL_OF_RASTER) == 0 && d->GetLayerCount() == 0) return false;
    const std::unique_ptr<char*, decltype(&CSLDestroy)> list{d->GetFileList(), &CSLDestroy};
    for (char** f = list.get(); parts && f && *f; ++f) parts->insert(*f);
    return true;
}

// Formats that are folders are opened as such, not by one of their parts.
std::vector<std::string> candidates(const contents& all) {
    std::vector<std::string> names;
    std::set<std::string> taken;
    const auto folder_format = [](const std::string& folder) {
        const auto lower = base::lower_ascii(folder);
        return lower.size() > 4 && lower.compare(lower.size() - 4, 4, ".gdb") == 0;
    };
    for (const auto& f : all.folders)
        if (folder_format(f)) names.push_back(f);
    for (const auto& f : all.files) {
        const auto parent = fs::path{f}.parent_path().string();
        if (folder_format(parent)) continue;
        const bool coverage = base::lower_ascii(fs::path{f}.extension().string()) == ".adf";
        const auto& name = coverage ? parent : f;
        if (taken.insert(name).second) names.push_back(name);
    }
    // Tables and texts last: most belong to a dataset found earlier.
    const auto is_sidecar = [](const std::string& name) {
        static const std::set<std::string> extensions = {".dbf", ".xml", ".txt", ".prj",
                                                         ".dat", ".id",  ".map", ".json"};
        return extensions.count(base::lower_ascii(fs::path{name}.extension().string())) > 0;
    };
    std::stable_partition(names.begin(), names.end(), [&](const std::string& name) { return !is_sidecar(name); });
    return names;
}

}  // namespace

std::optional<fs::path> archive_of(const std::string& name) {
    for (const std::string prefix : prefixes) {
        if (name.compare(0, prefix.size(), prefix) != 0) continue;
        std::error_code ec;
        fs::path sofar;
        for (const auto& part : fs::path{name.substr(prefix.size())}) {
            sofar /= part;
            if (fs::is_regular_file(sofar, ec)) return sofar;
        }
    }
    return std::nullopt;
}

result<std::optional<std::string>> dataset_in_archive(const fs::path& file, unsigned kinds) {
    const auto kind = packing_of(file);
    if (kind == packing::none) return std::nullopt;
    const gdal::quiet silence;
    if (kind == packing::gzip) {
        const auto name = "/vsigzip/" + file.string();
        if (opens(name, kinds)) return name;
        return fail(code::unsupported, file.string() + " holds no dataset that GDAL opens",
                    "unpack it to see what it is");
    }
    const auto root = (kind == packing::zip ? "/vsizip/" : "/vsitar/") + file.string();
    const auto all = contents_of(root, file);
    if (!all) return tl::unexpected{all.error()};
    std::vector<std::string> found;
    std::set<std::string> parts;  // of the datasets found; not datasets themselves
    std::size_t tried = 0;
    for (const auto& inside : candidates(*all)) {
        const auto name = root + "/" + inside;
        if (parts.count(name)) continue;
        if (++tried > max_tried) break;
        if (opens(name, kinds, &parts)) found.push_back(inside);
    }
    if (found.size() == 1) return root + "/" + found.front();
    if (found.empty())
        return fail(code::unsupported,
                    file.string() + " is an archive of " + std::to_string(all->files.size()) +
                        " files, and none of them is a dataset of the kind this tool takes",
                    "inspect it with its archive program");
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 20); ++i) names += (i ? ", " : "") + found[i];
    return fail(code::invalid_argument,
                file.string() + " holds " + std::to_string(found.size()) + " datasets and none is named",
                "name one after the archive, as in \"" + file.filename().string() + "/" + found.front() +
                    "\"; it holds " + names + (found.size() > 20 ? ", …" : ""));
}

}  // namespace gdalmcp::worker
