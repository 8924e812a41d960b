// Facts about the bands of a raster and their values, from one sample of cells.
#pragma once
#include <gdal_priv.h>

#include "base/json.hpp"

namespace gdalmcp::worker {

// [{dtype, palette, unit, name, color_interpretation, nodata?, kind, kind_certain, kind_why, nodata_share?,
// nodata_suspected?{value, share}}]. Cells of the first 16 bands are examined, at most nine blocks of each.
base::json::array band_facts(GDALDataset& d, bool vertical_crs);

}  // namespace gdalmcp::worker
