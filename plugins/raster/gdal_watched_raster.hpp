// gdal_watched_raster.hpp — a raster that tells, while it is read, whether a cell was met that is no finite number and
// that its nodata value does not name. GDAL's warper reads all cells anyway, so that none is read once more for this.
#pragma once
#include <gdal_proxy.h>

#include <atomic>

namespace gdalmcp_raster {

// Whether what the warper reads of a raster passes watched_raster: one band of floating-point numbers without a mask or
// overviews, which would be read past it.
bool may_watch(GDALDataset& raster);

// The raster, read through; it stays open meanwhile. REQUIRES: may_watch().
class watched_raster : public GDALProxyDataset {
public:
    explicit watched_raster(GDALDataset& raster);

    // Whether a NaN cell, where NaN is not the nodata value, or an infinite one was read. Of any thread.
    bool met() const { return met_; }

protected:
    GDALDataset* RefUnderlyingDataset() const override { return &raster_; }
#ifdef BANDMAP_TYPE
    using band_map = BANDMAP_TYPE;  // from GDAL 3.10 on
#else
    using band_map = int*;
#endif
    // Past the band, whose reading is watched; GDAL's warper reads so where there are several. Counts as met.
    CPLErr IRasterIO(GDALRWFlag way, int column, int row, int columns, int rows, void* to, int width, int height,
                     GDALDataType type, int bands, band_map map, GSpacing pixel, GSpacing line, GSpacing band,
                     GDALRasterIOExtraArg* how) override {
        met_ = true;
        return GDALProxyDataset::IRasterIO(way, column, row, columns, rows, to, width, height, type, bands, map, pixel,
                                           line, band, how);
    }

private:
    GDALDataset& raster_;
    std::atomic<bool> met_{false};
};

}  // namespace gdalmcp_raster
