// gdal_output.hpp — writing a dataset: how a file is created, which properties of its source it keeps, and how it is
// closed.
//
//   raster_output out{call[output].path, on, GDT_Float32, 1};  // on: its grid
//   out.nodata(-9999);
//   out.band(1).RasterIO(GF_Write, …);
//   out.close();
//   call.expect(output, expected_raster(on, 1, "Float32"));
//
// A file that is not closed is not a result: only close() reports errors of writing the last blocks. When a call fails
// or is cancelled on the way, the host removes what was written.
#pragma once
#include <map>

#include "gdal_grid.hpp"
#include "gdal_programs.hpp"
#include "gdal_raster_format.hpp"

namespace gdalmcp_datasets {

// Writes what is still in memory and closes the file. Fails the call when the file could not be completed.
void close(gdalmcp::gdal::dataset_ptr written, const std::string& path);

// Fails the call when a raster would have more cells than one call writes. name: "the mosaic"; hint: how to make it
// smaller.
void require_size(double columns, double rows, const std::string& name, const std::string& hint);

// Metadata of a band's values, besides its nodata value.
struct kept_meaning {
    bool scale = true;    // scale and offset
    bool palette = true;  // colour table
    bool classes = true;  // category names and colour interpretation
    bool unit = true;
};

// The label (see band_label) always; `keep` selects the rest.
void copy_meaning(GDALRasterBand& from, GDALRasterBand& to, const kept_meaning& keep = {});

// A raster on a grid of its own, cell by cell. By the driver of the path's extension; a GeoTIFF has tiles.
class raster_output {
public:
    // more: creation options beside plain_options(). Fails the call when no driver creates such files, or GDAL cannot.
    raster_output(const std::string& path, const grid& on, GDALDataType type, int bands,
                  const std::vector<std::string>& more = {});

    GDALDataset& dataset() const { return *file_; }
    GDALRasterBand& band(int number) const { return *file_->GetRasterBand(number); }
    void nodata(double value);  // of all bands: a GeoTIFF has one for all
    void mask();                // one for all bands, inside the file
    void tag(const std::map<std::string, std::string>& tags);
    void tag_as(GDALDataset& source) const;  // its dates, names and the like
    void close();
    // For a file read after writing: complete on disk, and still open.
    gdalmcp::gdal::dataset_ptr flushed();

private:
    std::string path_;
    gdalmcp::gdal::dataset_ptr file_;
};

// How a finished raster is copied into a format.
struct copy_terms {
    std::vector<std::string> options{};  // of the driver
    bool strict = false;                 // fail if the format cannot hold the data, instead of warning
    double from = 0, to = 1;             // part of the call's progress
    std::string hint{};                  // hint on failure; DEFAULT: by the kind of failure
};

// Writes `source` to `path` and closes it. Fails the call with GDAL's first error: later ones, such as a truncated
// file, only follow from it.
void copy_raster(gdalmcp::call& call, GDALDataset& source, const std::string& path, GDALDriver& driver,
                 const copy_terms& terms);

// An empty vector dataset or table. driver: GDAL's name. Everything up to close_vector() is one transaction where the
// format has them: each feature on its own would be synced to disk.
gdalmcp::gdal::dataset_ptr create_vector(const std::string& path, const char* driver, CSLConstList options = nullptr);
void close_vector(gdalmcp::gdal::dataset_ptr written, const std::string& path);

// A layer without geometries. `keeps_text`: a .csv has its types beside it (.csvt), without which codes such as 37001
// would be read as numbers.
OGRLayer& create_table(GDALDataset& file, const std::string& path, const char* name, bool keeps_text);

}  // namespace gdalmcp_datasets
