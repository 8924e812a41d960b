// gdalmcp/gdal_open_functions.hpp — what gdal_open.hpp declares. Included by it.
#pragma once
#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdal_priv.h>
#include <ogrsf_frmts.h>
#include <gdalmcp/gdal_signed_bytes.hpp>
#include <gdalmcp/gdal_table_reading.hpp>

#include <string>
#include <vector>

#ifdef GDALMCP_SEPARATE_OPEN
#define GDALMCP_SEPARABLE
#else
#define GDALMCP_SEPARABLE inline
#endif

namespace gdalmcp::gdal {

namespace detail {

inline bool is_csv(const std::string& path) {
    // Also in an archive of one file: /vsigzip//a/b.csv.gz.
    const bool packed = EQUAL(CPLGetExtension(path.c_str()), "gz");
    const std::string name = packed ? CPLGetBasename(path.c_str()) : path;
    for (const char* extension : {"csv", "tsv", "psv"})
        if (EQUAL(CPLGetExtension(name.c_str()), extension)) return true;
    return STARTS_WITH_CI(path.c_str(), "CSV:");
}

inline bool is_geopackage(const std::string& path) { return EQUAL(CPLGetExtension(path.c_str()), "gpkg"); }

// A file in memory that is removed with this.
struct memory_file {
    std::string path;
    ~memory_file() {
        if (!path.empty()) VSIUnlink(path.c_str());
    }
};

}  // namespace detail

// Files that GDAL reads with this one though the dataset does not list them: the types and the CRS of a CSV file.
GDALMCP_SEPARABLE std::vector<std::string> unlisted_siblings(const std::string& path);

// What SQL a caller gives to a dataset: filters and queries, or none. Without, a GeoPackage is opened without
// SpatiaLite, whose hundreds of functions take half the time of opening it; one whose views or generated columns may
// call them is opened again with them.
enum class sql { none, any };

// A GeoTIFF without compression: its blocks come from the system's file cache as fast as from GDAL's.
inline bool is_plain_tiff(GDALDataset& d) {
    return d.GetDriver() && EQUAL(d.GetDriver()->GetDescription(), "GTiff") &&
           !d.GetMetadataItem("COMPRESSION", "IMAGE_STRUCTURE");
}

// GDALDataset::Open with these options; GDAL_OF_* flags. nullptr if it cannot be opened; GDAL's last error has the
// reason. For callers that need only files and layers: all columns of a table are text here.
GDALMCP_SEPARABLE dataset_ptr open_untyped(const std::string& path, unsigned flags, sql given = sql::none,
                                           const table_reading& how = {});

// The same with types and CRS. Reads a table once; other datasets cost nothing more.
// `how`: of a text table, where a caller knows it.
GDALMCP_SEPARABLE dataset_ptr open_dataset(const std::string& path, unsigned flags, sql given = sql::none,
                                           const table_reading& how = {});

// For a layer of open_dataset() that is used: warns of what was found in it, once, and gives the fields of a GeoPackage
// the types of their values, where those are not what it declares; its first million rows are read for that.
GDALMCP_SEPARABLE void take_layer(GDALDataset& d, OGRLayer& layer);

// One line on the types and CRS open_dataset() derived for a layer that declares none; empty for all others.
GDALMCP_SEPARABLE std::string recognised(OGRLayer& layer);

}  // namespace gdalmcp::gdal
