// gdal_marking.hpp — how cells of a result without data are distinguished from data.
#pragma once
#include <gdalmcp/gdal_blocks.hpp>

#include <limits>

#include "datasets/gdal_grid.hpp"
#include "datasets/gdal_raster_source.hpp"

namespace gdalmcp_raster {

using namespace gdalmcp_datasets;

enum class marking { none, nodata, alpha, mask };

const char* name_of(marking m);

// The nodata value of a band; none where its type cannot hold the value (-9999 of bytes), which then marks nothing.
std::optional<double> nodata_of(GDALRasterBand& band);

// Both absent, or equal, or both NaN.
bool same_value(const std::optional<double>& a, const std::optional<double>& b);

// A value among the cells with data of a part of a band.
struct met_value {
    std::int64_t count = 0;                                             // cells that have it
    double low = std::numeric_limits<double>::infinity(), high = -low;  // of all that are finite
    bool within(double value) const { return low < value && value < high; }
};
met_value meet(GDALRasterBand& band, double value, const gdalmcp::gdal::window& part);

// Whether `resampling` may make the value, their nodata value, of the cells with data of a part of some band: GDAL then
// takes such a cell for one without data, or gives it another value. False for those that are never measured.
bool may_make(GDALDataset& source, double value, const std::string& resampling, const gdalmcp::gdal::window& part);

// A value of `type` that no valid cell of the bands has and that `resampling` (our name) cannot make of them, to be the
// nodata value of a resampled copy. NaN for floating point; the customary values first. None is free: empty.
// Interpolation stays within the range of the values; cubic and Lanczos overshoot it by less than their margin here.
// by_overviews: the copy may be made of overviews, where there are some.
std::optional<double> unused_value(GDALDataset& source, GDALDataType type, const std::string& resampling,
                                   bool by_overviews = true);

}  // namespace gdalmcp_raster
