// Arguments and figures that several tools of the bundle share, beside those of the bundle raster.
#pragma once
#include "datasets/gdal_output.hpp"
#include "raster/arguments.hpp"
#include "raster/gdal_block_figures.hpp"
#include "raster/gdal_cell_type.hpp"
#include "raster/gdal_marking.hpp"
#include "raster/gdal_undeclared_nodata.hpp"
#include "raster/result_figures.hpp"

namespace gdalmcp_raster_more {

using namespace gdalmcp_raster;
using gdalmcp::arg;
using gdalmcp::choice;
using gdalmcp::error;
using gdalmcp::field;
namespace gdal = gdalmcp::gdal;
namespace standard = gdalmcp::standard;

// The value that marks missing cells where a result has the data type of its source: the source's own, else NaN or an
// unused one; nullopt where all cells of a type of whole numbers have data.
inline std::optional<double> missing_value(GDALDataset& source, GDALRasterBand& band, const std::string& path) {
    if (const auto own = nodata_of(band)) return own;
    const auto type = band.GetRasterDataType();
    if (!whole_numbers(type)) return std::numeric_limits<double>::quiet_NaN();
    if (band.GetMaskFlags() & GMF_ALL_VALID) return std::nullopt;
    if (const auto spare = unused_value(source, type, "nearest", false)) return spare;
    throw gdalmcp::error{
        GDALMCP_UNSUPPORTED,
        path + " uses every value of " + dtype_name(type) + ", so none is left to mark cells without data",
        "convert it with raster_convert to a wider dtype first"};
}

// Fails the call on a band of class codes. they_are: "not heights".
inline void refuse_palette(const std::string& path, GDALRasterBand& band, const char* they_are, const char* hint) {
    if (band.GetColorTable())
        throw error{GDALMCP_INVALID_ARGUMENT, path + " has a palette: its values are class codes, " + they_are, hint};
}

}  // namespace gdalmcp_raster_more
