#include "worker/inputs.hpp"

#include <cpl_conv.h>
#include <gdal_priv.h>
#include <sys/stat.h>
#include <gdalmcp/gdal_crs.hpp>

#include <cstring>
#include <fstream>
#include <memory>
#include <set>

namespace gdalmcp::worker {

namespace fs = std::filesystem;
using base::fail;
using base::result;
namespace code = base::code;

namespace {

constexpr std::size_t max_files = 20000;  // of one input; a VRT over more tiles than that is opened piecewise

struct closer {
    void operator()(GDALDataset* d) const { GDALClose(d); }
};
using dataset = std::unique_ptr<GDALDataset, closer>;

unsigned flags_of(const std::string& role) {
    if (role == "input-raster") return GDAL_OF_RASTER;
    if (role == "input-vector") return GDAL_OF_VECTOR;
    return GDAL_OF_RASTER | GDAL_OF_VECTOR;
}

std::string reason() {
    const std::string why = CPLGetLastErrorMsg();
    CPLErrorReset();
    return why.empty() ? "its format is not recognised" : why;
}

bool lies_in(const fs::path& p, const std::vector<fs::path>& roots) {
    for (const auto& root : roots) {
        const auto [r, end] = std::mismatch(root.begin(), root.end(), p.begin(), p.end());
        if (r == root.end() || (std::next(r) == root.end() && r->empty())) return true;
    }
    return false;
}

// ---- SQLite --------------------------------------------------------------------------------------------------------

struct sqlite_header {
    bool is_sqlite = false, write_ahead = false;
};

sqlite_header look_at(const fs::path& p) {
    std::ifstream file{p, std::ios::binary};
    char head[20] = {};
    file.read(head, sizeof head);
    // https://www.sqlite.org/fileformat2.html: magic, then at offset 18 and 19 the write and read version, 2 = WAL
    return {file.gcount() == sizeof head && std::memcmp(head, "SQLite format 3", 16) == 0,
            head[18] == 2 || head[19] == 2};
}

fs::path beside(const fs::path& p, const char* suffix) {
    auto q = p;
    q += suffix;
    return q;
}

std::uintmax_t size_of(const fs::path& p) {
    std::error_code ec;
    const auto n = fs::file_size(p, ec);
    return ec ? 0 : n;
}

bool same_state(const struct stat& a, const struct stat& b) {
    return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

// SQLite opened in a folder it may not write to reads the main file only: rows that are still in the -wal, or a
// half-done transaction that the -journal would roll back, would silently be wrong. So the call works on a private copy
// of the set.
result<fs::path> copy_with_journal(const fs::path& p, const fs::path& scratch) {
    const auto folder = scratch / ("input-" + std::to_string(std::hash<std::string>{}(p.string())));
    std::error_code ec;
    fs::create_directories(folder, ec);
    for (const char* suffix : {"", "-wal", "-journal"}) {
        const auto from = beside(p, suffix);
        struct stat before {
        }, after{};
        if (::stat(from.c_str(), &before) != 0) continue;
        // Not fs::copy_file: it sets the copy's mode, which the system call filter refuses.
        if (CPLCopyFile(beside(folder / p.filename(), suffix).c_str(), from.c_str()) != 0)
            return fail(code::io,
                        "cannot copy " + from.string() +
                            ", which belongs to a GeoPackage or SQLite file with "
                            "a -wal or -journal: " +
                            CPLGetLastErrorMsg(),
                        "let the program that writes it finish, or copy the data into a new file");
        if (::stat(from.c_str(), &after) != 0 || !same_state(before, after))
            return fail(code::io, p.string() + " is being written by another program right now",
                        "call again when it is done");
    }
    return folder / p.filename();
}

// ---- the files of a dataset ----------------------------------------------------------------------------------------

class collector {
public:
    collector(const fs::path& named, const std::vector<fs::path>& roots) : named_{named}, roots_{roots} {}

    result<void> add_files_of(GDALDataset& d) {
        const std::unique_ptr<char*, decltype(&CSLDestroy)> list{d.GetFileList(), &CSLDestroy};
        for (char** f = list.get(); f && *f; ++f)
            if (auto ok = add(*f); !ok) return ok;
        return {};
    }

    // A file named by the dataset: checked, kept, and opened in turn, since it may name others (a VRT of VRTs).
    result<void> add(const std::string& name) {
        if (name.compare(0, 4, "/vsi") == 0)
            return fail(code::denied, named_.string() + " refers to " + name + ", which is not a plain file",
                        "remote and virtual file systems are off; copy the data into a workspace");
        if (name.find("://") != std::string::npos)
            return fail(code::denied, named_.string() + " refers to " + name + ", which is remote",
                        "copy the data into a workspace");
        std::error_code ec;
        const auto path = fs::canonical(name, ec);
        if (ec) return {};  // named but not there: GDAL reports it when it matters
        if (!lies_in(path, roots_))
            return fail(code::denied,
                        named_.string() + " refers to " + path.string() + ", which lies outside the workspaces",
                        "add that folder with --workspace, or copy the file into a workspace");
        if (!seen_.insert(path).second) return {};
        if (seen_.size() > max_files)
            return fail(code::exhausted,
                        named_.string() + " refers to more than " + std::to_string(max_files) + " files");
        for (const char* suffix : {"-wal", "-shm", "-journal", ".aux.xml"})
            if (const auto sidecar = beside(path, suffix); fs::exists(sidecar, ec))
                seen_.insert(fs::canonical(sidecar, ec));
        if (path == named_ || fs::is_directory(path, ec)) return {};
        CPLPushErrorHandler(CPLQuietErrorHandler);
        const dataset inner{GDALDataset::Open(path.c_str(), GDAL_OF_RASTER | GDAL_OF_VECTOR)};
        CPLPopErrorHandler();
        CPLErrorReset();
        return inner ? add_files_of(*inner) : result<void>{};
    }

    std::vector<fs::path> files() const { return {seen_.begin(), seen_.end()}; }

private:
    const fs::path& named_;
    const std::vector<fs::path>& roots_;
    std::set<fs::path> seen_;
};

std::uint64_t uncompressed(GDALDataset& d) {
    std::uint64_t bytes = 0;
    for (int b = 1; b <= d.GetRasterCount(); ++b)
        bytes += static_cast<std::uint64_t>(d.GetRasterXSize()) * static_cast<std::uint64_t>(d.GetRasterYSize()) *
                 static_cast<std::uint64_t>(GDALGetDataTypeSizeBytes(d.GetRasterBand(b)->GetRasterDataType()));
    return bytes;
}

// Of the raster, or of the first layer.
std::string crs_of(GDALDataset& d) {
    const auto* srs = d.GetRasterCount() > 0  ? d.GetSpatialRef()
                      : d.GetLayerCount() > 0 ? d.GetLayer(0)->GetSpatialRef()
                                              : nullptr;
    return srs ? gdal::crs_text(*srs) : std::string{};
}

// The dataset's name with its file part replaced: "NETCDF:\"/a.nc\":t" stays a subdataset name.
std::string renamed(const input& i, const fs::path& file) {
    auto name = i.dataset;
    if (const auto at = name.find(i.path.string()); at != std::string::npos)
        name.replace(at, i.path.string().size(), file.string());
    return name;
}

// Decides whether the call must work on a private copy of a SQLite file, and makes it.
result<fs::path> file_to_open(const fs::path& path, const fs::path& scratch) {
    const auto sqlite = look_at(path);
    const bool pending = size_of(beside(path, "-wal")) > 0 || size_of(beside(path, "-journal")) > 0;
    if (!sqlite.is_sqlite || (!pending && !sqlite.write_ahead)) return path;
    return copy_with_journal(path, scratch);
}

}  // namespace

result<opened_input> open_input(const input& i, const std::vector<fs::path>& roots, const fs::path& scratch,
                                bool want_crs) {
    const auto file = file_to_open(i.path, scratch);
    if (!file) return tl::unexpected{file.error()};
    opened_input out;
    out.dataset = renamed(i, *file);
    CPLErrorReset();
    const dataset d{GDALDataset::Open(out.dataset.c_str(), flags_of(i.role) | GDAL_OF_VERBOSE_ERROR)};
    if (!d) {
        const char* kind = i.role == "input-raster"   ? "a raster"
                           : i.role == "input-vector" ? "a vector dataset"
                                                      : "a dataset";
        return fail(
            code::io, "cannot open " + i.path.string() + " as " + kind + ": " + reason(),
            size_of(i.path) == 0 ? "the file is empty" : "check that the file is complete and of a format GDAL reads",
            i.at);
    }
    auto readable = roots;
    readable.push_back(scratch);
    collector files{*file, readable};
    auto ok = files.add(file->string());
    if (ok) ok = files.add_files_of(*d);
    if (!ok) {
        ok.error().at = i.at;
        return tl::unexpected{ok.error()};
    }
    out.files = files.files();
    if (want_crs) out.crs = crs_of(*d);
    out.uncompressed_bytes = uncompressed(*d);
    if (out.uncompressed_bytes == 0)
        for (const auto& f : out.files) out.uncompressed_bytes += size_of(f);
    return out;
}

}  // namespace gdalmcp::worker
