// gdal_convert_output.hpp — input and output of raster_convert.
#pragma once
#include "gdal_convert_options.hpp"

namespace gdalmcp_raster::conversion {

// The requested bands, in their order, as a view of the source.
gdalmcp::gdal::dataset_ptr view_of(GDALDataset& source, const std::vector<int>& numbers);

// Writes the output with its overviews, from 0.3 to 0.9 of the call, and opens it again. Fails the call if the format
// changes the bands or the grid.
gdalmcp::gdal::dataset_ptr write(gdalmcp::call& call, GDALDataset& cells, GDALDriver& driver,
                                 const std::vector<std::string>& options, const pyramid& p);

}  // namespace gdalmcp_raster::conversion
