// gdal_collar.hpp — the cells of a warped raster outside the source, and how they are marked.
#pragma once
#include "gdal_marking.hpp"
#include "gdal_warp_request.hpp"

namespace gdalmcp_raster {

// Chooses the mark and writes it into the request in gdalwarp's form: the requested nodata value or the source's; alpha
// if the source has it; none if the source covers every cell of the result; else a value that the result cannot hold
// otherwise (NaN for floating point), and where none is free a mask band. Cells without data in the source are marked
// like those outside it. Reads the source only to find a free whole number. REQUIRES: settle().
marking mark_collar(GDALDataset& source, warp_request& request);

}  // namespace gdalmcp_raster
