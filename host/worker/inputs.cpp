#include "worker/inputs.hpp"

#include <cpl_conv.h>
#include <sys/stat.h>
#include <gdalmcp/gdal_crs.hpp>
#include <gdalmcp/gdal_handover.hpp>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>

#include "base/file_identity.hpp"
#include "base/text.hpp"
#include "worker/archive.hpp"
#include "worker/cut_files.hpp"
#include "worker/dataset_files.hpp"

namespace gdalmcp::worker {

namespace fs = std::filesystem;
using base::fail;
using base::result;
namespace code = base::code;

namespace {

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

struct sqlite_header {
    bool is_sqlite = false, write_ahead = false;
};

sqlite_header read_header(const fs::path& p) {
    std::ifstream file{p, std::ios::binary};
    char head[20] = {};
    file.read(head, sizeof head);
    // https://www.sqlite.org/fileformat2.html: magic, then at offset 18 and 19 the write and read version, 2 = WAL
    return {file.gcount() == sizeof head && std::memcmp(head, "SQLite format 3", 16) == 0,
            head[18] == 2 || head[19] == 2};
}

std::uintmax_t size_of(const fs::path& p) {
    std::error_code ec;
    const auto n = fs::file_size(p, ec);
    return ec ? 0 : n;
}

// SQLite opened in a folder it may not write to reads the main file only: rows that are still in the -wal, or a
// half-done transaction that the -journal would roll back, would silently be wrong. So the call works on a private copy
// of the set.
result<fs::path> private_copy(const fs::path& p, const fs::path& scratch, std::initializer_list<const char*> suffixes) {
    const auto folder = scratch / ("input-" + std::to_string(std::hash<std::string>{}(p.string())));
    std::error_code ec;
    fs::create_directories(folder, ec);
    for (const char* suffix : suffixes) {
        const auto from = with_suffix(p, suffix);
        struct stat before {
        }, after{};
        if (::stat(from.c_str(), &before) != 0) continue;
        // Not fs::copy_file: it sets the copy's mode, which the system call filter refuses.
        if (CPLCopyFile(with_suffix(folder / p.filename(), suffix).c_str(), from.c_str()) != 0)
            return fail(code::io,
                        "cannot copy " + from.string() +
                            ", which GDAL reads only from a writable folder: " + CPLGetLastErrorMsg(),
                        "let the program that writes it finish, or copy the data into a new file");
        if (::stat(from.c_str(), &after) != 0 || base::identity_of(before) != base::identity_of(after))
            return fail(code::io, p.string() + " is being written by another program right now",
                        "call again when it is done");
    }
    return folder / p.filename();
}

std::uint64_t uncompressed(GDALDataset& d) {
    std::uint64_t bytes = 0;
    for (int b = 1; b <= d.GetRasterCount(); ++b)
        bytes += static_cast<std::uint64_t>(d.GetRasterXSize()) * static_cast<std::uint64_t>(d.GetRasterYSize()) *
                 static_cast<std::uint64_t>(GDALGetDataTypeSizeBytes(d.GetRasterBand(b)->GetRasterDataType()));
    return bytes;
}

// Of the raster, or of the first layer; nullptr when there is none.
const OGRSpatialReference* srs_of(GDALDataset& d) {
    return d.GetRasterCount() > 0  ? d.GetSpatialRef()
           : d.GetLayerCount() > 0 ? d.GetLayer(0)->GetSpatialRef()
                                   : nullptr;
}

std::string stated_code(const OGRSpatialReference& srs) {
    const char* authority = srs.GetAuthorityName(nullptr);
    const char* code = srs.GetAuthorityCode(nullptr);
    return authority && code ? std::string{authority} + ":" + code : std::string{};
}

// The dataset's name with its file part replaced: "NETCDF:\"/a.nc\":t" stays a subdataset name.
std::string renamed(const input& i, const fs::path& file) {
    auto name = i.dataset;
    if (const auto at = name.find(i.path.string()); at != std::string::npos)
        name.replace(at, i.path.string().size(), file.string());
    return name;
}

// The SOSI library opens its file for writing, and keeps an index beside it.
bool is_opened_for_writing(const fs::path& p) {
    const auto extension = base::lower_ascii(p.extension().string());
    return extension == ".sos" || extension == ".sosi";
}

// Decides whether the call must work on a private copy of a file, and makes it.
result<fs::path> file_to_open(const fs::path& path, const fs::path& scratch) {
    if (is_opened_for_writing(path)) return private_copy(path, scratch, {""});
    const auto sqlite = read_header(path);
    const bool pending = size_of(with_suffix(path, "-wal")) > 0 || size_of(with_suffix(path, "-journal")) > 0;
    if (!sqlite.is_sqlite || (!pending && !sqlite.write_ahead)) return path;
    return private_copy(path, scratch, {"", "-wal", "-journal"});
}

bool is_one_of(GDALDataset& d, std::initializer_list<const char*> drivers) {
    return std::any_of(drivers.begin(), drivers.end(),
                       [&](const char* name) { return EQUAL(d.GetDriverName(), name); });
}

// Formats whose cells are in the file that is opened.
bool holds_its_cells(GDALDataset& d) {
    return is_one_of(
        d, {"GTiff", "COG",  "PNG",       "JPEG",      "JP2OpenJPEG", "WEBP", "GIF", "BMP", "GPKG", "MBTiles", "netCDF",
            "HDF4",  "HDF5", "HDF4Image", "HDF5Image", "GRIB",        "FITS", "VRT", "WMS", "WMTS", "PDF",     "HEIF"});
}

// Some formats open the files of their cells, and of their overviews, when the first cell is read.
void touch_cells(GDALRasterBand& band) {
    constexpr int most = 4'000'000;  // cells of a block, which is decoded whole
    int width = 0, height = 0;
    band.GetBlockSize(&width, &height);
    double cell = 0;
    if (static_cast<std::int64_t>(width) * height > most) return;
    // The tool reports unreadable cells.
    if (band.RasterIO(GF_Read, 0, 0, 1, 1, &cell, 1, 1, GDT_Float64, 0, 0, nullptr) != CE_None) CPLErrorReset();
}

}  // namespace

void touch(GDALDataset& d) {
    constexpr int many = 64;  // bands or layers; further ones share the parts of the first
    const gdal::quiet silence;
    for (int b = 1; b <= std::min(d.GetRasterCount(), many); ++b) {
        auto& band = *d.GetRasterBand(b);
        band.GetMaskFlags();
        band.GetOverviewCount();
        band.GetColorTable();
        band.GetCategoryNames();
        band.GetDefaultRAT();
        if (holds_its_cells(d)) continue;
        if (!GDALDataTypeIsComplex(band.GetRasterDataType())) touch_cells(band);
        for (int i = 0; i < band.GetOverviewCount(); ++i)
            if (auto* overview = band.GetOverview(i)) touch_cells(*overview);
    }
    // Where layers are spread over the file, the first feature of one may be its last line; a database has its files
    // open.
    const bool spread = d.TestCapability(ODsCRandomLayerRead) != FALSE || is_one_of(d, {"GPKG"});
    // A seamless table opens its parts while it passes over them.
    const bool in_parts = EQUAL(d.GetDriverName(), "MapInfo File");
    for (int i = 0; i < std::min(d.GetLayerCount(), many) && !spread; ++i) {
        auto& layer = *d.GetLayer(i);
        const OGRFeatureUniquePtr first{layer.GetNextFeature()};
        layer.ResetReading();
        if (in_parts) layer.GetFeatureCount();
    }
}

namespace {

// A list of other datasets: the datasets it names are its content.
bool consists_of_others(GDALDataset& d) { return is_one_of(d, {"VRT", "OGR_VRT", "GTI"}); }

// Single-file formats.
bool holds_its_subdatasets(GDALDataset& d) {
    return is_one_of(d, {"netCDF", "HDF4", "HDF5", "GPKG", "GTiff", "Zarr", "BAG", "KEA", "GRIB"});
}

// A product of many files opens those of a subdataset when it is chosen.
result<void> add_subdatasets(GDALDataset& d, dataset_files& files) {
    constexpr int many = 64;
    const char* const* all = d.GetMetadata("SUBDATASETS");
    if (!all || holds_its_subdatasets(d)) return {};
    const gdal::quiet silence;
    for (int i = 1; i <= many; ++i) {
        const char* name = CSLFetchNameValue(all, ("SUBDATASET_" + std::to_string(i) + "_NAME").c_str());
        if (!name) break;
        const gdal::dataset_ptr inner{GDALDataset::Open(name, GDAL_OF_RASTER)};
        if (!inner) continue;
        if (auto ok = files.add_listed(*inner); !ok) return ok;
    }
    return {};
}

// A tiled asset names its tiles by a pattern; they lie below its own folder.
result<void> add_tiles(GDALDataset& d, const fs::path& file, const std::vector<fs::path>& roots, dataset_files& files) {
    const auto folder = file.parent_path();
    const bool is_root = std::find(roots.begin(), roots.end(), folder) != roots.end();
    return is_one_of(d, {"STACTA"}) && !is_root ? files.add(folder.string()) : result<void>{};
}

std::string layers_of(GDALDataset& d) {
    std::string names;
    for (int i = 0; i < std::min(d.GetLayerCount(), 5); ++i)
        names += (i ? ", '" : "'") + std::string{d.GetLayer(i)->GetName()} + "'";
    return names + (d.GetLayerCount() > 5 ? ", …" : "");
}

// The driver of a common format that many builds of GDAL lack, where this one does; else "".
std::string missing_driver(const std::string& extension) {
    constexpr std::pair<const char*, const char*> drivers[] = {{".parquet", "Parquet"}, {".geoparquet", "Parquet"},
                                                               {".arrow", "Arrow"},     {".feather", "Arrow"},
                                                               {".ecw", "ECW"},         {".sid", "MrSID"}};
    for (const auto& [known, driver] : drivers)
        if (EQUAL(extension.c_str(), known)) return GetGDALDriverManager()->GetDriverByName(driver) ? "" : driver;
    return {};
}

// Why GDAL opened nothing, with the next step: a dataset of the other kind, an empty file, a folder, a damaged file.
base::problem not_opened(const input& i, const std::string& dataset) {
    const auto why = reason();
    const auto name = i.path.string();
    if (const bool wants_raster = i.role == "input-raster"; wants_raster || i.role == "input-vector") {
        const gdal::quiet silence;
        const unsigned other = wants_raster ? GDAL_OF_VECTOR : GDAL_OF_RASTER;
        const gdal::dataset_ptr d{GDALDataset::Open(dataset.c_str(), other)};
        if (d && wants_raster && d->GetLayerCount() > 0)
            return {code::unsupported, name + " is not a raster but a vector dataset with " + layers_of(*d),
                    "use vector_info and the vector tools", i.at};
        if (d && !wants_raster && (d->GetRasterCount() > 0 || d->GetMetadata("SUBDATASETS")))
            return {code::unsupported, name + " is not a vector dataset but a raster (" + d->GetDriverName() + ")",
                    "use raster_info and the raster tools", i.at};
    }
    std::error_code ec;
    if (fs::is_directory(i.path, ec))
        return {code::io, name + " is a folder that GDAL does not open as a dataset", "name a file in it", i.at};
    const bool lost = why.find("SHAPE_RESTORE_SHX") != std::string::npos;
    if (EQUAL(i.path.extension().c_str(), ".shp") && (lost || why.find("records in .shx file") != std::string::npos)) {
        const auto index = i.path.stem().string() + ".shx";
        return {code::io,
                name + (lost ? " lacks its file " + index + ", which says where each feature is in it"
                             : ": its file " + index + ", which says where each feature is in it, is damaged"),
                (lost ? "copy " + index + " beside it; a lost one is made anew by: "
                      : "move " + index + " away and make it anew by: ") +
                    "ogrinfo --config SHAPE_RESTORE_SHX YES " + i.path.filename().string(),
                i.at};
    }
    const char* kind = i.role == "input-raster"   ? "a raster"
                       : i.role == "input-vector" ? "a vector dataset"
                                                  : "a dataset";
    const auto extension = i.path.extension();
    const auto missing = missing_driver(extension.string());
    return {
        code::io, "cannot open " + name + " as " + kind + ": " + why,
        size_of(i.path) == 0 ? "the file is empty"
        : !missing.empty()   ? "this build of GDAL has no driver for " + missing + ": write it as " +
                                 (i.role == "input-raster" ? ".tif" : ".gpkg or .csv") + " with a program that reads it"
        : extension == ".txt" || extension == ".dat" || extension == ".xls"
            ? "text tables are known by their names: rename a table to .csv, .tsv or .psv"
        : extension == ".json" ? "a .json file is read if it is whole GeoJSON, TopoJSON or ESRI JSON; write records, "
                                 "such as [{\"a\": 1}], to a .csv"
                               : "check that the file is complete and of a format GDAL reads",
        i.at};
}

// Whether GDAL says anything in this thread. Its own counter starts again with every CPLErrorReset(), GDAL's calls of
// it included.
class listener {
public:
    listener() { CPLPushErrorHandlerEx(&listener::hear, &heard_); }
    ~listener() { CPLPopErrorHandler(); }
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;

    bool heard() const { return heard_; }

private:
    static void CPL_STDCALL hear(CPLErr level, CPLErrorNum, const char*) {
        if (level != CE_Debug) *static_cast<bool*>(CPLGetErrorHandlerUserData()) = true;
    }

    bool heard_ = false;
};

// Whether the tool may read on in what was opened: it would hear of nothing that GDAL said meanwhile, and of a list of
// datasets it opens the parts under its own confinement. A file descriptor each is as much as many inputs may take.
bool stays_open(GDALDataset& d, const listener& meanwhile) {
    constexpr int most = 8;
    static int left = 0;
    return !meanwhile.heard() && !consists_of_others(d) && ++left <= most;
}

}  // namespace

result<opened_input> open_input(const input& i, const std::vector<fs::path>& roots, const fs::path& scratch,
                                bool want_crs, bool leave) {
    const auto file = file_to_open(i.path, scratch);
    if (!file) return tl::unexpected{file.error()};
    opened_input out;
    out.dataset = renamed(i, *file);
    const file_trace trace;
    CPLErrorReset();
    const listener meanwhile;
    auto d = gdal::open_dataset(out.dataset, flags_of(i.role) | GDAL_OF_VERBOSE_ERROR);
    auto readable = roots;
    readable.push_back(scratch);
    dataset_files files{*file, readable};
    if (!d) {
        if (auto ok = files.no_special(trace.files()); !ok) {
            ok.error().at = i.at;
            return tl::unexpected{ok.error()};
        }
        auto problem = not_opened(i, out.dataset);
        auto inside = problem.code == code::io && out.dataset == file->string()
                          ? dataset_in_archive(*file, flags_of(i.role))
                          : std::optional<std::string>{};
        if (!inside) {
            inside.error().at = i.at;
            return tl::unexpected{inside.error()};
        }
        if (!*inside) return tl::unexpected{problem};
        out.dataset = **inside;
        d = gdal::open_dataset(out.dataset, flags_of(i.role));
        if (!d) return tl::unexpected{problem};
    }
    touch(*d);
    auto ok = files.add(file->string());
    if (ok) ok = files.add_listed(*d);
    if (ok) ok = add_subdatasets(*d, files);
    if (ok) ok = add_tiles(*d, *file, roots, files);
    if (ok) ok = files.add_traced(trace.files(), consists_of_others(*d));
    if (!ok) {
        ok.error().at = i.at;
        return tl::unexpected{ok.error()};
    }
    out.files = files.files();
    out.folders = files.folders();
    out.warnings = files.warnings();
    const bool unchecked_by_gdal = is_one_of(*d, {"netCDF", "ENVI", "PCIDSK"});
    if (const auto cut = unchecked_by_gdal || consists_of_others(*d) ? first_cut(out.files) : std::nullopt) {
        if (cut->damaged)
            return fail(code::io, describe(*cut) + ": values are missing, which GDAL reads as 0",
                        "get an intact copy of the file", i.at);
        out.warnings.push_back(describe(*cut) + ": cells that are missing are read as 0, or as anything");
    }
    if (const auto* srs = srs_of(*d)) {
        out.stated_crs = stated_code(*srs);
        if (want_crs) out.crs = gdal::crs_text(*srs);
    }
    out.uncompressed_bytes = uncompressed(*d);
    if (out.uncompressed_bytes == 0)
        for (const auto& f : out.files) out.uncompressed_bytes += size_of(f);
    if (leave && stays_open(*d, meanwhile)) gdal::detail::leave_open(std::move(d), out.dataset, flags_of(i.role));
    return out;
}

}  // namespace gdalmcp::worker
