// Small datasets to try tools on, written as text, and whether a tool left them alone.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/problem.hpp"

namespace gdalmcp::app {

// Everything lies in EPSG:4326 between 13.000 and 13.012 degrees east, 52.000 and 52.012 degrees north.
namespace sample {
inline constexpr const char* raster = "dem.asc";  // 12 x 12 cells, a slope with one pit, metres
inline constexpr const char* vectors[] = {"zones.geojson", "points.geojson", "lines.geojson"};
// Missing, empty, cut off, of one cell, without a value, text under the name of an image; and the like for vectors.
inline constexpr const char* odd_rasters[] = {"missing.tif", "empty.tif", "text.tif",
                                              "cut.asc",     "one.asc",   "nodata.asc"};
inline constexpr const char* odd_vectors[] = {"missing.gpkg", "empty.gpkg",   "text.gpkg",     "cut.geojson",
                                              "none.geojson", "null.geojson", "bowtie.geojson"};
}  // namespace sample

class sample_files {
public:
    // Writes them into `folder`, which must exist.
    static base::result<sample_files> write(std::filesystem::path folder);

    const std::filesystem::path& folder() const { return folder_; }

    // What differs from what was written: "dem.asc.aux.xml is new", "dem.asc is changed". Folders of the host itself
    // (.gdal-mcp-*) are left out.
    std::vector<std::string> differences() const;

    base::result<void> restore();  // writes what was changed or removed, removes what is new

private:
    struct state {
        std::uintmax_t size = 0;
        std::int64_t modified = 0;  // ns
        std::uint64_t inode = 0;
        bool operator==(const state&) const = default;
    };
    explicit sample_files(std::filesystem::path folder) : folder_{std::move(folder)} {}
    std::map<std::string, state> present() const;  // by path relative to folder_
    std::filesystem::path folder_;
    std::map<std::string, state> written_;
};

}  // namespace gdalmcp::app
