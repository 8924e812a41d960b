// gdal_band_label.hpp — the name of a band with its place on the other axes of the data: date, depth, pressure level.
#pragma once
#include <gdal_priv.h>

#include <string>

namespace gdalmcp_datasets {

// The band's description; of netCDF the coordinates of its further dimensions ("time 1999-01-15, level 850 hPa"); of
// slices of Zarr arrays the same, and of GRIB the valid time after the description. "" if the band has none of them.
std::string band_label(GDALRasterBand& band);

}  // namespace gdalmcp_datasets
