// gdal_compression.hpp — compression of GeoTIFFs: which methods fit which data, and their creation options.
#pragma once
#include "gdal_creation_options.hpp"

namespace gdalmcp_raster {

struct packing {
    std::string method;               // as GDAL spells it: ZSTD, DEFLATE, …
    std::optional<double> quality;    // JPEG, WEBP: 1 to 100
    std::optional<double> max_error;  // LERC: largest change of a value
    bool classes = false;             // values are codes: predictors do not help
    bool fewer_bits = false;          // cells are stored in other than 8, 16, 32 or 64 bits
    bool whole_numbers = false;       // cells are integers, of which LERC keeps all with a max_error below 1
};

// ZSTD where the driver has it, else DEFLATE.
std::string default_compression(GDALDriver& driver);

// Refuses unsuitable combinations: a method the driver lacks, JPEG on anything but bytes without palette, WEBP on
// anything but 3 or 4 bands of bytes, quality or max_error for methods that have none.
void check_packing(const packing& p, GDALDriver& driver, GDALDataset& cells);

// Lossless: every cell reads back unchanged.
bool lossless(const packing& p);

// Refuses, by name, options that the method does not use: ZLEVEL without DEFLATE, …
void check_method_options(const packing& p, GDALDriver& driver, const creation_options& extra);

// For GTiff or COG, predictor by data type included.
std::vector<std::string> packing_options(const packing& p, GDALDriver& driver, GDALDataType type);

}  // namespace gdalmcp_raster
