// gdal_dates.hpp — dates from the metadata of datasets and bands, and from names.
#pragma once
#include "gdal_observations.hpp"

namespace gdalmcp_temporal {

// Whether there are several bands, each states a day, and no two the same throughout.
bool bands_differ_in_date(GDALDataset& dataset, const std::vector<int>& bands);

// Of a band by its label: netCDF's time axis, GRIB's valid time, its description.
void date_band(GDALRasterBand& band, observation& o);

// Of a raster of one date: from its bands' labels, IMAGERY's ACQUISITIONDATETIME, DATE_ACQUIRED, the name of the file,
// and TIFFTAG_DATETIME, which often is that of processing; the first of them counts, and others that disagree are the
// observation's doubt.
void date_file(GDALDataset& dataset, const std::string& path, observation& o);

}  // namespace gdalmcp_temporal
