// gdal_stored_types.hpp — whether a format stores the data types of a raster.
#pragma once
#include <gdal_priv.h>

namespace gdalmcp_raster {

inline bool is(GDALDriver& d, const char* name) { return EQUAL(d.GetDescription(), name); }
inline bool geotiff(GDALDriver& d) { return is(d, "GTiff") || is(d, "COG"); }

// The names of a tool's arguments, for hints.
struct type_words {
    const char* type = "dtype";     // of the result
    const char* output = "output";  // the file
};

// Refuses bands that the format does not store, or not in one file: GDAL would convert them, and clip their values.
void check_types(GDALDriver& driver, GDALDataset& cells, const type_words& words = {});

}  // namespace gdalmcp_raster
