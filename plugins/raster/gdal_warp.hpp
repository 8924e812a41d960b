// gdal_warp.hpp — a raster on another grid, by GDAL's warper. The pixels equal those of the gdalwarp program with
// gdalwarp_arguments(), unless a note says otherwise.
#pragma once
#include "gdal_warp_request.hpp"

namespace gdalmcp_raster {

struct warped {
    gdalmcp::gdal::dataset_ptr dataset;
    double seconds;  // in the warper
};

// The destination of a raster and its progress callback.
struct destination {
    std::string path;
    GDALDriver& driver;
    std::string scratch;  // path of a GeoTIFF, for formats that only take finished rasters and for masks
    GDALProgressFunc progress;
    void* progress_argument;
};

// The cells of single-threaded gdalwarp, whatever the number of threads (GDAL_NUM_THREADS).
// Of several sources, later ones cover earlier ones; names of classes are those of the first, where the method chooses
// values. NaN and infinite cells have no data, whatever the sources declare, where the method computes; the request
// then says so where gdalwarp can be told. REQUIRES: settle(), mark_collar(). A failure throws; a stop by the progress
// function too.
warped warp(const std::vector<GDALDataset*>& sources, warp_request& request, const destination& to);

// The source with dst_crs for its CRS: grid and cells as they are. REQUIRES: only keep_cells() applies.
warped assign_crs(GDALDataset& source, const warp_request& request, const destination& to);

// Whether a grid is of cells of the source, so that warping it there copies them.
bool copies_cells(GDALDataset& source, const warp_request& request, const grid& result);

// Refuses a result without a valid cell in its first band. unreached: the next step where a source has one.
void require_valid_cell(GDALDataset& result, const std::vector<GDALDataset*>& sources, const std::string& unreached);

}  // namespace gdalmcp_raster
