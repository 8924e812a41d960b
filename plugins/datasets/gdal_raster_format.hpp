// gdal_raster_format.hpp — the file format of an output: which driver an extension means, and how it writes.
#pragma once
#include <gdal_priv.h>

#include <string>
#include <vector>

namespace gdalmcp_datasets {

// The driver for a path to be written: `driver` when given (its GDAL name), else by the extension; .tif is GTiff.
// Refused, naming both: an extension no driver writes, a driver this build does not have or that cannot write rasters,
// and VRT, which holds no cells.
GDALDriver& driver_for(const std::string& path, const std::string& driver = {});

// Whether the driver lists the path's extension among its own.
bool has_extension_of(GDALDriver& driver, const std::string& path);

// The same by the extension, of a format that keeps() all that is written; others are refused.
GDALDriver& keeping_driver_for(const std::string& path);

// The same among those that creates() holds for.
GDALDriver& creating_driver_for(const std::string& path);

// At its default options the format returns the values, the nodata value, the grid and the CRS of every raster that its
// driver accepts. It may lack palettes, units and masks.
bool keeps(GDALDriver& driver);

// Cells can be written in any order (else only a finished raster can be copied into the format).
bool creates(GDALDriver& driver);

// Creation options of every GeoTIFF written here: tiles, BigTIFF where it might be needed.
std::vector<std::string> plain_options(GDALDriver& driver);

}  // namespace gdalmcp_datasets
