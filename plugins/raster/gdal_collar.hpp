// gdal_collar.hpp — the cells of a warped raster that nothing of the source reaches, and how they are marked.
#pragma once
#include "gdal_marking.hpp"
#include "gdal_warp.hpp"

namespace gdalmcp_raster {

// Chooses the mark and writes it into the request as gdalwarp takes it: the nodata value asked for or the source's one;
// alpha where the source has it; nothing where the source covers every cell of the result; else a value that the result
// cannot hold otherwise (NaN for floating point), and where none is free a mask band. Cells that the source has no data
// for are marked like those outside it. Reads the source only to find a free whole number.
// REQUIRES: settle().
marking mark_collar(GDALDataset& source, warp_request& request);

}  // namespace gdalmcp_raster
