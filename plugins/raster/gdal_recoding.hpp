// gdal_recoding.hpp — the values of a raster in another data type, on another scale, with another nodata value.
#pragma once
#include "gdal_cut.hpp"

namespace gdalmcp_raster {

struct recoding {
    GDALDataType type = GDT_Unknown;               // unknown = as it is
    std::optional<std::array<double, 4>> scale{};  // from, to -> from, to
    bool unscale = false;                          // stored values × scale + offset of the band
    std::optional<double> nodata{};                // new value of missing cells
    bool changes() const { return type != GDT_Unknown || scale || unscale || nodata; }
};

struct recoded {
    gdalmcp::gdal::dataset_ptr dataset;  // a GeoTIFF
    std::int64_t declared = 0;  // cells that had the new nodata value where none was declared: missing from now on
};

// Writes a GeoTIFF at `path`. Refused with the number of cells: valid values outside the new type (unless a scale is
// given, which clamps to its ends), valid values that equal
// the new nodata value (where the source declares none, the value is declared and its cells are counted), missing cells
// that could no longer be marked.
recoded recode(GDALDataset& source, const recoding& r, const std::string& path, const progress& report);

}  // namespace gdalmcp_raster
