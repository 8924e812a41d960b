#include "worker/dataset_files.hpp"

#include <sys/stat.h>
#include <gdalmcp/gdal.hpp>

#include "worker/archive.hpp"

namespace gdalmcp::worker {

namespace fs = std::filesystem;
using base::fail;
using base::result;
namespace code = base::code;

namespace {

constexpr std::size_t max_files = 20000;  // of one input; a VRT over more tiles than that is opened piecewise

// Folders programs search for settings and libraries, independent of the dataset.
bool is_system_file(const fs::path& p) {
    for (const char* folder : {"/proc", "/sys", "/dev", "/usr", "/lib", "/etc", "/opt"})
        if (lies_in(p, {folder})) return true;
    const char* home = std::getenv("HOME");
    return home && lies_in(p, {home}) && p.lexically_relative(home).string().front() == '.';
}

}  // namespace

fs::path with_suffix(fs::path p, const char* suffix) {
    p += suffix;
    return p;
}

result<void> dataset_files::kept_by_host(const fs::path& path) const {
    return fail(code::denied, named_.string() + " refers to " + path.string() + ", in a folder reserved for the host",
                "make it name other files");
}

result<void> dataset_files::special(const fs::path& path) const {
    return fail(code::denied,
                named_.string() + " refers to " + path.string() +
                    ", which is neither a file nor a folder (a pipe, socket or device)",
                "remove it, or name other files");
}

result<void> dataset_files::no_special(const traced_files& t) const {
    return t.special.empty() ? result<void>{} : special(*t.special.begin());
}

// By the given name: the target of a link outside is not disclosed.
result<void> dataset_files::outside(const fs::path& path) const {
    return fail(code::denied, named_.string() + " refers to " + path.string() + ", which lies outside the workspaces",
                "add that folder with --workspace, or copy the file into a workspace");
}

result<void> dataset_files::add_listed(GDALDataset& d) {
    const std::unique_ptr<char*, decltype(&CSLDestroy)> list{d.GetFileList(), &CSLDestroy};
    for (char** f = list.get(); f && *f; ++f)
        if (auto ok = add(*f); !ok) return ok;
    return {};
}

result<void> dataset_files::add(const std::string& name) {
    if (name.compare(0, 8, "/vsimem/") == 0) return {};  // a part of a file, in the memory of this process
    const auto archive = archive_of(name);
    if (!archive && name.compare(0, 4, "/vsi") == 0)
        return fail(code::denied, named_.string() + " refers to " + name + ", which is not a plain file",
                    "remote and virtual file systems are off; copy the data into a workspace");
    if (!archive && name.find("://") != std::string::npos)
        return fail(code::denied, named_.string() + " refers to " + name + ", which is remote",
                    "copy the data into a workspace");
    std::error_code ec;
    const auto path = fs::canonical(archive ? *archive : fs::path{name}, ec);
    if (ec) return {};  // named but missing: GDAL reports it when it matters
    if (!lies_in(path, roots_)) return outside(archive ? *archive : fs::path{name});
    if (!may_belong_to_input(path, roots_)) return kept_by_host(path);
    if (!fs::is_regular_file(path, ec) && !fs::is_directory(path, ec)) return special(path);
    if (!files_.insert(path).second) return {};
    if (files_.size() > max_files)
        return fail(code::exhausted, named_.string() + " refers to more than " + std::to_string(max_files) + " files");
    for (const char* suffix : {"-wal", "-shm", "-journal", ".aux.xml"})
        if (const auto sidecar = with_suffix(path, suffix); fs::exists(sidecar, ec))
            files_.insert(fs::canonical(sidecar, ec));
    if (archive || path == named_ || fs::is_directory(path, ec)) return {};
    const gdal::quiet silence;
    const gdal::dataset_ptr inner{GDALDataset::Open(path.c_str(), GDAL_OF_RASTER | GDAL_OF_VECTOR)};
    return inner ? add_listed(*inner) : result<void>{};
}

result<void> dataset_files::add_traced(const traced_files& t, bool consists_of_others) {
    if (auto ok = no_special(t); !ok) return ok;
    std::error_code ec;
    for (const auto* set : {&t.opened, &t.found})
        for (const auto& name : *set) {
            const auto path = fs::canonical(name, ec);
            if (ec || !lies_in(path, roots_) || !fs::is_regular_file(path, ec)) continue;
            if (!may_belong_to_input(path, roots_)) return kept_by_host(path);
            files_.insert(path);
        }
    for (const auto& name : t.listed)
        if (const auto path = fs::canonical(name, ec); !ec && lies_in(path, roots_)) folders_.insert(path);
    for (const auto& name : t.refused) {
        const fs::path path = fs::path{name}.lexically_normal();
        if (is_system_file(path)) continue;
        const auto what = named_.string() + " refers to " + path.string() + ", which ";
        if (lies_in(path, roots_)) {
            warnings_.push_back(what + "may not be read by this user: facts of the dataset may be missing");
        } else if (consists_of_others) {
            return outside(path);
        } else {
            warnings_.push_back(what + "lies outside the workspaces: facts of the dataset may be missing");
        }
    }
    return {};
}

}  // namespace gdalmcp::worker
