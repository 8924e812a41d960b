#include "gdal_watched_raster.hpp"

#include <gdal_priv.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace gdalmcp_raster {

namespace {

// Whether a cell is infinite, or NaN where that is not expected, by its bits: in IEEE 754 all bits of the exponent of
// both are set, and those of infinity are the smallest of them.
template <class Cell>
bool any_odd(const Cell* cells, int n, bool nan_expected) {
    using bits = std::conditional_t<sizeof(Cell) == 4, std::uint32_t, std::uint64_t>;
    constexpr bits infinity = std::bit_cast<bits>(std::numeric_limits<Cell>::infinity()), sign = ~(~bits{0} >> 1);
    unsigned odd = 0;
    if (nan_expected)
        for (int i = 0; i < n; ++i) odd |= (std::bit_cast<bits>(cells[i]) & ~sign) == infinity;
    else
        for (int i = 0; i < n; ++i) odd |= (std::bit_cast<bits>(cells[i]) & ~sign) >= infinity;
    return odd != 0;
}

class watched_band : public GDALProxyRasterBand {
public:
    watched_band(GDALDataset& of, GDALRasterBand& band, std::atomic<bool>& met) : band_{band}, met_{met} {
        poDS = &of;
        nBand = band.GetBand();
        eDataType = band.GetRasterDataType();
        nRasterXSize = band.GetXSize();
        nRasterYSize = band.GetYSize();
        band.GetBlockSize(&nBlockXSize, &nBlockYSize);
        int has = FALSE;
        nan_expected_ = std::isnan(band.GetNoDataValue(&has)) && has;
    }

protected:
#if GDAL_VERSION_NUM >= GDAL_COMPUTE_VERSION(3, 8, 0)
    GDALRasterBand* RefUnderlyingRasterBand(bool) const override { return &band_; }
#else
    GDALRasterBand* RefUnderlyingRasterBand() const override { return &band_; }
#endif

    CPLErr IRasterIO(GDALRWFlag way, int column, int row, int columns, int rows, void* to, int width, int height,
                     GDALDataType type, GSpacing pixel, GSpacing line, GDALRasterIOExtraArg* how) override {
        const auto done =
            GDALProxyRasterBand::IRasterIO(way, column, row, columns, rows, to, width, height, type, pixel, line, how);
        const bool float32 = type == GDT_Float32 && pixel == sizeof(float),
                   float64 = type == GDT_Float64 && pixel == sizeof(double);
        if (!float32 && !float64) met_ = true;  // what was read cannot be told
        for (int i = 0; i < height && done == CE_None && !met_; ++i) {
            const auto* cells = static_cast<const std::byte*>(to) + i * line;
            if (float32 ? any_odd(reinterpret_cast<const float*>(cells), width, nan_expected_)
                        : any_odd(reinterpret_cast<const double*>(cells), width, nan_expected_))
                met_ = true;
        }
        return done;
    }

private:
    GDALRasterBand& band_;
    std::atomic<bool>& met_;
    bool nan_expected_;
};

}  // namespace

bool may_watch(GDALDataset& raster) {
    if (raster.GetRasterCount() != 1) return false;
    auto& band = *raster.GetRasterBand(1);
    const auto type = band.GetRasterDataType();
    return (type == GDT_Float32 || type == GDT_Float64) && band.GetOverviewCount() == 0 &&
           (band.GetMaskFlags() == GMF_ALL_VALID || band.GetMaskFlags() == GMF_NODATA);
}

watched_raster::watched_raster(GDALDataset& raster) : raster_{raster} {
    nRasterXSize = raster.GetRasterXSize();
    nRasterYSize = raster.GetRasterYSize();
    SetDescription(raster.GetDescription());
    SetBand(1, new watched_band{*this, *raster.GetRasterBand(1), met_});
}

}  // namespace gdalmcp_raster
