// gdal_convert_options.hpp — creation options of raster_convert: from its arguments and the caller's creation options,
// which must agree, and lossless defaults.
#pragma once
#include "gdal_compression.hpp"
#include "gdal_kind.hpp"
#include "gdal_recoding.hpp"
#include "gdal_stored_types.hpp"

#include <gdalmcp/gdal.hpp>

namespace gdalmcp_raster::conversion {

// The driver named, or the one for the path's extension: for .tif a COG, unless strips or an option require a plain
// GeoTIFF.
GDALDriver& target_driver(const std::string& path, const std::optional<std::string>& driver, bool tiled,
                          const std::vector<std::string>& options);

// The change of values that dtype, scale, unscale and nodata ask for.
recoding recoding_of(gdalmcp::call& call, GDALDataset& cells);

// Whether the driver is known to return every value it stores of bands of this type, in whatever spelling compression,
// quality, error and options say so.
bool returns_every_value(gdalmcp::call& call, GDALDriver& driver, const creation_options& extra, GDALDataType type,
                         int band_count);

// All remove the options they pass on from `extra`, and refuse, naming both, an argument and an option that disagree.

// For GTiff and COG.
packing packing_of(gdalmcp::call& call, GDALDriver& driver, creation_options& extra, kind k);
// Tiles or strips, and their size: for GTiff and COG.
std::vector<std::string> layout_options(gdalmcp::call& call, GDALDriver& driver, creation_options& extra);
// For other drivers: the options for lossless storage, unless the caller allows loss by a quality.
std::vector<std::string> faithful_options(gdalmcp::call& call, GDALDriver& driver, creation_options& extra,
                                          GDALDataType type);

// Which overviews to build.
struct pyramid {
    bool wanted = false;
    std::vector<int> factors;  // empty: by the size of the raster
    std::string method;        // as GDAL spells it
};
pyramid pyramid_of(gdalmcp::call& call, GDALDriver& driver, GDALDataset& cells);
std::vector<std::string> cog_overviews(const pyramid& p);

}  // namespace gdalmcp_raster::conversion
