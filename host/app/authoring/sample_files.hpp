// Small sample datasets, written as text, and a check that a tool left them unchanged.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/problem.hpp"

namespace gdalmcp::app {

// Everything lies in EPSG:4326 between 13.000 and 13.012 degrees east, 52.000 and 52.012 degrees north.
namespace sample {
// 12 x 12 cells, a slope with one pit, metres; the same in three bands, once, twice and three times as high.
inline constexpr const char* rasters[] = {"dem.asc", "bands.dat"};
// Polygons, points and lines with a name and a value; the same as three layers of one dataset.
inline constexpr const char* vectors[] = {"zones.geojson", "points.geojson", "lines.geojson", "layers.vrt"};
// Missing, empty, cut off, of one cell, without a value, text under the name of an image; and the like for vectors.
inline constexpr const char* odd_rasters[] = {"missing.tif", "empty.tif", "text.tif",
                                              "cut.asc",     "one.asc",   "nodata.asc"};
inline constexpr const char* odd_vectors[] = {"missing.gpkg", "empty.gpkg",   "text.gpkg",     "cut.geojson",
                                              "none.geojson", "null.geojson", "bowtie.geojson"};
inline constexpr const char* own = "own";  // the folder with copies of the author's
}  // namespace sample

// The datasets tools are called with, relative to the folder of the sample files; the first of each kind is the usual
// one.
struct sample_datasets {
    std::vector<std::string> rasters{std::begin(sample::rasters), std::end(sample::rasters)};
    std::vector<std::string> vectors{std::begin(sample::vectors), std::end(sample::vectors)};
};

class sample_files {
public:
    // Writes them into `folder`, which must exist, and copies of the files in `own`, unless it is empty. Errors: these
    // files exceed 1 GiB together.
    static base::result<sample_files> write(std::filesystem::path folder, const std::filesystem::path& own);

    const std::filesystem::path& folder() const { return folder_; }

    // The copies of the files directly in `own` that may be datasets: all but sidecars of others. Relative, sorted.
    std::vector<std::string> own_candidates() const;

    // The differences from the files as written: "dem.asc.aux.xml was added", "dem.asc was changed". Folders of the
    // host itself (.gdal-mcp-*) are left out.
    std::vector<std::string> differences() const;

    base::result<void> restore();  // writes changed and removed files again, removes added ones

private:
    struct state {
        std::uintmax_t size = 0;
        std::int64_t modified = 0;  // ns
        std::uint64_t inode = 0;
        bool operator==(const state&) const = default;
    };
    explicit sample_files(std::filesystem::path folder) : folder_{std::move(folder)} {}
    std::map<std::string, state> present() const;  // by path relative to folder_
    base::result<void> find(const std::filesystem::path& own);
    base::result<void> write_one(const std::string& name) const;
    std::filesystem::path folder_;
    std::map<std::string, std::filesystem::path> copied_;  // from where, by path relative to folder_
    std::map<std::string, state> written_;
};

}  // namespace gdalmcp::app
