// Trusted code that runs before any plugin: opens each input once, finds every file that belongs to it, and checks that
// all of them lie where this call may read. Granting the named file alone would be silently wrong: a nodata value in
// .aux.xml would be ignored, a shapefile would lose its attributes, a GeoPackage the rows still in its -wal.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.hpp"

class GDALDataset;

namespace gdalmcp::worker {

struct input {
    std::string at;              // JSON Pointer of the argument
    std::filesystem::path path;  // the file, canonical
    std::string dataset;         // what GDAL is to open: the path, or a subdataset name around it
    std::string role;            // input-raster, input-vector, input-any
};

struct opened_input {
    std::string dataset;  // what the plugin is given; in scratch for SQLite with a journal, /vsizip/… in an archive
    std::vector<std::filesystem::path> files;    // everything to be readable, the path itself included
    std::vector<std::filesystem::path> folders;  // whose names are to be readable: drivers look for parts there
    std::vector<std::string> warnings;           // what belongs to it and cannot be read
    std::string crs;                             // for the record: AUTHORITY:CODE or WKT 2, "" = none
    std::uint64_t uncompressed_bytes = 0;        // of a raster: width x height x bands x bytes; of a vector: its files
};

// roots: canonical folders this call may read. scratch: where copies go.
// Errors: io (not a dataset GDAL can open), denied (a file it refers to lies outside, or is remote).
// want_crs: fill in `crs`, which takes PROJ some milliseconds in a fresh process.
base::result<opened_input> open_input(const input& i, const std::vector<std::filesystem::path>& roots,
                                      const std::filesystem::path& scratch, bool want_crs);

// Has GDAL open what it opens when it is first asked about bands and layers, so that a file_trace sees it.
void touch(GDALDataset& d);

}  // namespace gdalmcp::worker
