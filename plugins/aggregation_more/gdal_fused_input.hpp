// gdal_fused_input.hpp — one raster that is brought to the grid of a fusion: opened, warped by GDAL, and counted.
#pragma once
#include <gdalmcp/gdal_kind.hpp>

#include "fused_figures.hpp"
#include "raster/gdal_warp_request.hpp"

namespace gdalmcp_aggregation_more {

using namespace gdalmcp_datasets;

struct fused_input {
    std::string path;
    gdalmcp::gdal::dataset_ptr dataset;
    grid on;
    gdalmcp::gdal::band_kind kind;
    std::string method;    // our name of the resampling; "copy" on the target grid
    bool aligned = false;  // has the target grid

    GDALRasterBand& band() const { return *dataset->GetRasterBand(1); }
    bool summed() const { return method == "sum"; }
    bool labels() const;  // its cells in the result are codes of classes
};

// Fails the call on a raster without a geotransform or CRS, with more than one band, and on scaled or complex values.
fused_input open_input(const gdalmcp::raster& raster);

// The band on the target grid, as numbers of 64 bits with NaN for cells without data; exact, never from overviews.
// REQUIRES: a method, and a grid that is not aligned.
gdalmcp::gdal::dataset_ptr warp_input(const fused_input& input, const grid& target, const std::string& scratch,
                                      gdalmcp::gdal::step& progress);

// A way between the CRSs; nullptr where they are the same. Fails the call where PROJ has none.
gdalmcp::gdal::transformation way_between(const OGRSpatialReference& from, const OGRSpatialReference& to);

// Of the cells of the input, in the part of it that the target covers. outside: share of the input's cells that it
// does not.
struct source_figures {
    fused_figures inside;
    double outside = 0;
};
source_figures figures_before(const fused_input& input, const grid& target, const std::function<void(double)>& report);

}  // namespace gdalmcp_aggregation_more
