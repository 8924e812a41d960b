// gdal_mosaic_source.hpp — the rasters of a mosaic: opened, checked against each other, and their cells read on the
// mosaic's grid.
#pragma once
#include <gdalmcp/gdal_blocks.hpp>

#include <array>

#include "datasets/gdal_grid.hpp"
#include "datasets/gdal_raster_source.hpp"
#include "gdal_marking.hpp"
#include "mosaic_layout.hpp"
#include "overlaid_cells.hpp"

namespace gdalmcp_raster {

using namespace gdalmcp_datasets;

struct mosaic_source {
    std::string path;
    gdalmcp::gdal::dataset_ptr dataset;
    grid on;                 // as stored
    std::vector<int> bands;  // chosen
    bool south_up() const { return on.south_up(); }
    lattice cells() const;  // north-up
    GDALRasterBand& band(std::size_t i) const { return *dataset->GetRasterBand(bands[i]); }
};

// Opens them; adds to `said` what is assumed about their CRSs. Refused, naming both sides: a raster given twice,
// without a geotransform, rotated or mirrored; another CRS than the first; complex numbers and 64-bit integers; unless
// `stacked`, another number of bands.
std::vector<mosaic_source> open_sources(const std::vector<gdalmcp::raster>& rasters,
                                        const std::optional<std::vector<std::int64_t>>& bands, bool stacked,
                                        std::vector<std::string>& said);

// How the bands become one: what is refused, what is adapted.
struct mosaic_meaning {
    GDALDataType type = GDT_Byte;   // holds every band's values
    std::optional<double> nodata;   // of the result
    marking mark = marking::none;   // of cells that no raster has data for
    std::vector<std::string> said;  // differences that were levelled
};

struct mosaic_wish {
    bool stacked = false;          // bands of different rasters stay apart
    bool averaged = false;         // values may get fractions
    std::optional<double> nodata;  // as asked for
    bool gaps = false;             // some cells belong to no raster
    std::string method{};          // of resampling; "": cells are copied
};

// Refuses bands that differ in what a value means: palettes, class names, scale, offset, unit; stacked ones may differ.
// Refused: means of class codes, a nodata value that the type cannot hold, and offsets that a method would pool.
mosaic_meaning meaning_of(const std::vector<mosaic_source>& sources, const mosaic_wish& wish);

struct named_band {
    const std::string& path;
    GDALRasterBand& band;
    std::string name() const { return "band " + std::to_string(band.GetBand()) + " of " + path; }
};

// Refuses two bands whose equal numbers mean different things; notes what one of them lacks.
void require_same_meaning(const named_band& a, const named_band& b, std::vector<std::string>& said);

// One band of one source on the mosaic's grid. Not thread-safe.
class mosaic_band {
public:
    // method: our name of the resampling of sources that are not aligned. REQUIRES: `source` outlives it.
    mosaic_band(const mosaic_source& source, std::size_t band, const placement& place, const grid& mosaic,
                const std::string& method);

    // The part of a window of the mosaic that this band covers, read into `values` and `valid`; nothing: none of it.
    std::optional<cell_patch> read(const gdalmcp::gdal::window& w, std::vector<double>& values,
                                   std::vector<unsigned char>& valid) const;

private:
    void warp(const std::string& method, const grid& mosaic);

    const mosaic_source& source_;
    placement place_;
    GDALRasterBand *cells_, *mask_ = nullptr;
    gdalmcp::nodata_range missing_;
    bool flip_, alpha_;
    gdalmcp::gdal::dataset_ptr one_, warped_;  // the second reads the first, and is closed before it
};

}  // namespace gdalmcp_raster
