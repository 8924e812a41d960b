// gdal_format_trial.hpp — which facts of a raster a format keeps, found by writing a corner of it.
#pragma once
#include "gdal_recoding.hpp"

namespace gdalmcp_raster {

struct format_trial {
    std::vector<std::string> dropped;  // as by lost_facts()
    std::string refusal;               // GDAL's reason, where the driver writes nothing
    // Per band the nodata value that the driver declares where the raster has neither one nor a mask.
    std::vector<std::optional<double>> added_nodata{};
};

// Writes up to 64 x 64 cells, recoded, with the driver's `options`, to `path`, and reads them back. Changes that the
// recoding asks for, of the data type or by applying a scale, are not facts dropped; a palette that it leaves behind
// is.
format_trial try_format(GDALDataset& source, const recoding& r, GDALDriver& driver,
                        const std::vector<std::string>& options, const std::string& path);

}  // namespace gdalmcp_raster
