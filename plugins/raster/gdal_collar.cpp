#include "gdal_collar.hpp"

#include <gdalmcp/gdal_undeclared.hpp>

#include "datasets/gdal_programs.hpp"

#include <gdal_alg.h>

#include <memory>

namespace gdalmcp_raster {

namespace {

namespace gdal = gdalmcp::gdal;

struct transformer_closer {
    void operator()(void* t) const { GDALDestroyTransformer(t); }
};
using transformer = std::unique_ptr<void, transformer_closer>;

// The grid of the warp; nullopt if GDAL cannot compute it, in which case the warp reports the reason.
gdal::dataset_ptr planned(GDALDataset& source, const warp_request& r) {
    gdal::words words{"-of", "VRT"};
    for (const auto& word : gdalwarp_arguments(r, false)) words.add(word);
    return warp_by_program({&source}, "", std::move(words));
}

transformer onto_source(GDALDataset& source, GDALDataset& target, const warp_request& r) {
    gdal::words options;
    const auto add = [&](const char* key, const OGRSpatialReference& crs) {
        options.add(std::string{key} + "=" + crs_definition(crs));
    };
    if (r.src_crs) add("SRC_SRS", *r.src_crs);
    add("DST_SRS", r.dst_crs);
    if (!r.operation.empty()) options.add("COORDINATE_OPERATION=" + r.operation);
    if (r.epoch)
        options.add((r.dst_crs.IsDynamic() ? "DST_COORDINATE_EPOCH=" : "SRC_COORDINATE_EPOCH=") +
                    gdal::number_text(*r.epoch));
    // Points that the inverse projection does not confirm are outside, whether or not the warp will verify them.
    const CPLConfigOptionSetter verify{"CHECK_WITH_INVERT_PROJ", "YES", false};
    transformer exact{GDALCreateGenImgProjTransformer2(GDALDataset::ToHandle(&source), GDALDataset::ToHandle(&target),
                                                       options.get())};
    const double tolerance = r.error_threshold.value_or(0.125);
    if (!exact || tolerance == 0) return exact;
    transformer fast{GDALCreateApproxTransformer(GDALGenImgProjTransform, exact.get(), tolerance)};
    if (!fast) return exact;
    GDALApproxTransformerOwnsSubtransformer(fast.get(), TRUE);
    exact.release();
    return fast;
}

// Whether the centre of every cell of the result lies in the source. Stops at the first that does not.
bool covers(GDALDataset& source, const warp_request& r) {
    const gdal::quiet silence;
    const auto target = planned(source, r);
    if (!target) return false;
    const auto back = onto_source(source, *target, r);
    if (!back) return false;
    const auto n = static_cast<std::size_t>(target->GetRasterXSize());
    const double width = source.GetRasterXSize(), height = source.GetRasterYSize();
    std::vector<double> x(n), y(n), z(n);
    std::vector<int> done(n);
    for (int row = 0; row < target->GetRasterYSize(); ++row) {
        for (std::size_t i = 0; i < n; ++i) {
            x[i] = static_cast<double>(i) + 0.5;
            y[i] = row + 0.5;
            z[i] = 0;
        }
        if (!GDALUseTransformer(back.get(), TRUE, static_cast<int>(n), x.data(), y.data(), z.data(), done.data()))
            return false;
        for (std::size_t i = 0; i < n; ++i)
            if (!done[i] || !(x[i] >= 0 && x[i] < width && y[i] >= 0 && y[i] < height)) return false;
    }
    return true;
}

}  // namespace

marking mark_collar(GDALDataset& source, warp_request& r) {
    const int count = source.GetRasterCount();
    auto& first = *source.GetRasterBand(1);
    if (has_hiding_alpha(source)) return marking::alpha;
    r.plain_alpha = has_idle_alpha(source);
    if (r.nodata) return marking::nodata;
    const auto own = nodata_of(first);
    bool one = true, any = false, declared = false, masked = false;
    for (int b = 1; b <= count; ++b) {
        auto& band = *source.GetRasterBand(b);
        int has = 0;
        band.GetNoDataValue(&has);
        declared = declared || has;
        any = any || nodata_of(band);
        one = one && same_value(own, nodata_of(band));
        masked = masked || !(band.GetMaskFlags() & (GMF_ALL_VALID | GMF_NODATA));
    }
    const bool plain = any && one && !masked;
    if (plain && !may_make(source, *own, r.resampling, read_window(r, source))) return marking::nodata;
    if (plain)
        gdal::detail::caution(r.resampling + " may make the nodata value " + gdal::number_text(*own) + " of " +
                              source.GetDescription() + " out of its data: the result has another one");
    // A value that the type cannot hold would be clamped to one that it can, which then is a value of cells.
    // Beside a mask GDAL reads it as data, and warps by it alone.
    r.no_source_nodata = declared && (!any || masked);
    if (!any && !masked && r.cutline.empty() && covers(source, r)) return marking::none;
    const auto unused = unused_value(source, type_of_result(r, source), r.resampling);
    r.alpha = !unused;
    // If the source has nodata values, gdalwarp would give them to the result.
    (any ? r.nodata : r.outside) = unused;
    return r.alpha ? marking::mask : marking::nodata;
}

}  // namespace gdalmcp_raster
