// gdal_band_label.hpp — the name of a band with its place on the other axes of the data: date, depth, pressure level.
#pragma once
#include <gdal_priv.h>

#include <string>
#include <vector>

namespace gdalmcp_datasets {

// The band's description; of netCDF the coordinates of its further dimensions ("time 1999-01-15, level 850 hPa"); of
// slices of Zarr arrays the same, and of GRIB the valid time after the description. "" if the band has none of them.
std::string band_label(GDALRasterBand& band);

// Bands of a raster, in the order in which they meet those of another.
struct bands_in_order {
    std::string path;
    GDALDataset& raster;
    std::vector<int> numbers;
};

// A doubt about bands that were combined by their place: one of the later raster has the name of another band of the
// first, or other coordinates, unless these may differ. "": none.
std::string doubt_of_order(const bands_in_order& first, const bands_in_order& later, bool may_move = false);

}  // namespace gdalmcp_datasets
