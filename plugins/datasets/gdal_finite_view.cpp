#include "gdal_finite_view.hpp"

#include <vrtdataset.h>

#include <atomic>
#include <cmath>
#include <limits>

#include "gdal_output.hpp"
#include "gdal_raster_source.hpp"

namespace gdalmcp_datasets {

namespace gdal = gdalmcp::gdal;

namespace {

// By the views of this process.
std::atomic<bool> met_infinite{false}, met_nan{false};

// GDAL's pixel function of a derived band: of a band and its mask, both read as Float64. marked: whether the band has a
// nodata value or a mask.
template <bool marked>
CPLErr nan_for_missing(void** sources, int, void* target, int columns, int rows, GDALDataType, GDALDataType type,
                       int pixel_bytes, int line_bytes) {
    auto *value = static_cast<double*>(sources[0]), *mask = static_cast<double*>(sources[1]);
    for (int row = 0; row < rows; ++row, value += columns, mask += columns) {
        bool infinite = false, nan = false;
        for (int i = 0; i < columns; ++i) {
            if (mask[i] != 0 && std::isfinite(value[i])) continue;
            infinite = infinite || (mask[i] != 0 && std::isinf(value[i]));
            nan = nan || (marked && mask[i] != 0 && std::isnan(value[i]));
            value[i] = std::numeric_limits<double>::quiet_NaN();
        }
        if (infinite) met_infinite = true;
        if (nan) met_nan = true;
        GDALCopyWords(value, GDT_Float64, sizeof(double),
                      static_cast<unsigned char*>(target) + std::ptrdiff_t{row} * line_bytes, type, pixel_bytes,
                      columns);
    }
    return CE_None;
}

constexpr const char *function_name = "gdalmcp_nan_for_missing", *function_of_marked = "gdalmcp_nan_for_missing_marked";

void copy_place(GDALDataset& from, GDALDataset& to) {
    double affine[6];
    if (from.GetGeoTransform(affine) == CE_None) to.SetGeoTransform(affine);
    if (const auto* crs = from.GetSpatialRef()) to.SetSpatialRef(crs);
    if (from.GetGCPCount() > 0) to.SetGCPs(from.GetGCPCount(), from.GetGCPs(), from.GetGCPSpatialRef());
    for (const char* domain : {"", "RPC", "GEOLOCATION"})
        if (char** items = from.GetMetadata(domain)) to.SetMetadata(items, domain);
}

GDALDataType holding_nan(GDALDataType type) {
    if (!whole_numbers(type)) return type;
    return GDALGetDataTypeSizeBytes(type) > 2 ? GDT_Float64 : GDT_Float32;
}

}  // namespace

bool holds_only_floats(GDALDataset& raster) {
    for (auto&& band : raster.GetBands())
        if (const auto type = band->GetRasterDataType(); type != GDT_Float32 && type != GDT_Float64) return false;
    return true;
}

unmarked_cells unmarked_cells_of(GDALDataset& raster, const gdal::window& part,
                                 const std::function<void(double)>& progress) {
    unmarked_cells found;
    const double bands = raster.GetRasterCount();
    for (auto&& band : raster.GetBands()) {
        int has = FALSE;
        const bool declared = std::isnan(band->GetNoDataValue(&has)) && has && band->GetMaskFlags() == GMF_NODATA;
        std::atomic<bool> nan{declared || found.nan};
        gdal::block_job job;
        job.infinite_missing = true;
        job.part = part;
        const auto read = [&](auto cell) {
            using type = decltype(cell);
            const auto before = band->GetBand() - 1;
            job.run([&](double done) { progress((before + done) / bands); },
                    [&](const gdal::block& b) {
                        if (b.all_valid(0)) return;
                        for (int row = 0; row < b.height && !nan; ++row)
                            if (std::any_of(b.in<type>(0, row), b.in<type>(0, row) + b.width,
                                            [](type v) { return std::isnan(v); }))
                                nan = true;
                    });
        };
        job.read(*band, band->GetRasterDataType());
        if (band->GetRasterDataType() == GDT_Float32)
            read(float{});
        else
            read(double{});
        found.nan = found.nan || (nan && !declared);
        found.infinite = found.infinite || job.met_infinite();
    }
    return found;
}

gdal::dataset_ptr finite_view(GDALDataset& raster, const std::vector<int>& bands) {
    static const bool known = GDALAddDerivedBandPixelFunc(function_name, nan_for_missing<false>) == CE_None &&
                              GDALAddDerivedBandPixelFunc(function_of_marked, nan_for_missing<true>) == CE_None;
    gdal::dataset_ptr view{GDALDataset::FromHandle(VRTCreate(raster.GetRasterXSize(), raster.GetRasterYSize()))};
    if (!known || !view) gdal::raise(std::string{"cannot read "} + raster.GetDescription());
    copy_place(raster, *view);
    for (const int number : bands) {
        auto& from = *raster.GetRasterBand(number);
        const bool marked = !(from.GetMaskFlags() & GMF_ALL_VALID);
        gdal::words options{"subclass=VRTDerivedRasterBand",
                            std::string{"PixelFunctionType="} + (marked ? function_of_marked : function_name),
                            "SourceTransferType=Float64"};
        if (view->AddBand(holding_nan(from.GetRasterDataType()), options.get()) != CE_None)
            gdal::raise(std::string{"cannot read "} + raster.GetDescription());
        auto& to = dynamic_cast<VRTSourcedRasterBand&>(*view->GetRasterBand(view->GetRasterCount()));
        if (to.AddSimpleSource(&from) != CE_None || to.AddMaskBandSource(&from) != CE_None)
            gdal::raise(std::string{"cannot read "} + raster.GetDescription());
        copy_meaning(from, to);
        to.SetDescription(from.GetDescription());
        to.SetMetadata(from.GetMetadata());
        to.SetNoDataValue(std::numeric_limits<double>::quiet_NaN());
    }
    return view;
}

unmarked_cells met_by_finite_views() { return {met_nan, met_infinite}; }

}  // namespace gdalmcp_datasets
