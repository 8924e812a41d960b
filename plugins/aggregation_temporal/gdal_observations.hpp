// gdal_observations.hpp — rasters of one place at several times: opened, dated, their bands chosen, brought to common
// cells.
//
// Observations are files, each with the same bands; or the bands of a stack, of which each has a date of its own or
// which is the only raster.
#pragma once
#include <gdalmcp/gdal_blocks.hpp>

#include <optional>
#include <string>
#include <vector>

#include "datasets/gdal_grid.hpp"
#include "observation_date.hpp"

namespace gdalmcp_temporal {

using gdalmcp_datasets::grid;

struct observed_file {
    std::string path;
    gdalmcp::gdal::dataset_ptr dataset;
    gdalmcp::gdal::dataset_ptr moved;  // on the common cells, reads `dataset`; nullptr: it has just these
    grid on;                           // of `dataset`
    gdalmcp::gdal::window there;       // its cells on the common grid, which they may not fill
    GDALDataset& common() const { return moved ? *moved : *dataset; }
};

struct observation {
    std::size_t file = 0;    // of observation_set
    std::vector<int> bands;  // of the file
    std::optional<observation_date> date;
    std::string date_from;  // "file name", "time axis", …
    std::size_t given = 0;  // place in the order given, from 0
    std::string doubt;      // why there is no date, or which other one contradicts it; "" = none
};

struct observation_set {
    std::vector<observed_file> files;
    std::vector<observation> all;
    bool stack = false;                            // every observation is a band of its file
    std::string name(const observation& o) const;  // "a.tif", "band 3 of stack.nc"
    GDALRasterBand& band(const observation& o, std::size_t i) const {
        return *files[o.file].common().GetRasterBand(o.bands[i]);
    }
    // Of the file itself: what the union of extents adds to it is no data.
    GDALRasterBand& own_band(const observation& o, std::size_t i) const {
        return *files[o.file].dataset->GetRasterBand(o.bands[i]);
    }
};

struct observation_request {
    std::vector<gdalmcp::raster> rasters;
    std::optional<std::string> subdataset;
    std::optional<std::vector<std::int64_t>> bands;
    std::optional<int> quality_band;  // of each file, and not a band to aggregate
    bool dates_given = false;         // give_dates() follows: those that bands state do not count
    bool masks = false;               // one may serve several dates
};

// In the order given. Refused, naming both: a raster given twice, numbers of bands that differ, stacks among scenes, a
// date that two bands of a stack share, unless dates are given; complex numbers.
observation_set open_observations(const observation_request& asked);

// Gives the observations these dates, in their order. Refused: another number of them, and texts that are no date.
void give_dates(observation_set& set, const std::vector<std::string>& dates);

// Puts dated observations in the order of time. strict: refused are observations without a date, with contradictory
// ones, and pairs that cannot be ordered. apart: refused, too, are two of one moment.
void order_by_date(observation_set& set, bool strict, bool apart);

// Refuses observations whose bands state different units, naming two.
void require_one_unit(const observation_set& set);
// Warns where some state a unit and some none.
void warn_of_missing_unit(gdalmcp::call& call, const observation_set& set);

enum class alignment { none, united, intersection };

// Brings all files of the sets to common cells, and returns their grid. none: refused are grids that differ, naming
// them. Else the grids must be parts of one lattice of cells, and nothing is resampled. say: what is assumed about
// CRSs.
grid bring_together(const std::vector<observation_set*>& sets, alignment how,
                    const std::function<void(const std::string&)>& say);

}  // namespace gdalmcp_temporal
