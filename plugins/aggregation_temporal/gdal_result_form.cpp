#include "gdal_result_form.hpp"

#include <cmath>

#include "datasets/gdal_raster_source.hpp"
#include "raster/gdal_cell_type.hpp"

namespace gdalmcp_temporal {

namespace gdal = gdalmcp::gdal;

namespace {

bool scaled(GDALRasterBand& b) { return b.GetScale() != 1 || b.GetOffset() != 0; }

std::string scale_text(GDALRasterBand& b) {
    return "scale " + gdal::number_text(b.GetScale()) + ", offset " + gdal::number_text(b.GetOffset());
}

// A type whose values are kept as they are.
bool keepable(GDALDataType t) {
    return t == GDT_Byte || t == GDT_Int16 || t == GDT_UInt16 || t == GDT_Int32 || t == GDT_UInt32;
}

}  // namespace

result_form result_form_of(const observation_set& set, statistic what) {
    require_one_unit(set);
    result_form f;
    const auto& first = set.all.front();
    auto& model = set.band(first, 0);
    const auto nodata = gdalmcp_datasets::shown_nodata(model);
    bool alike = nodata && keepable(model.GetRasterDataType()) && picks(what), fits = true, scales_differ = false;
    for (const auto& o : set.all)
        for (std::size_t i = 0; i < o.bands.size(); ++i) {
            auto& b = set.band(o, i);
            alike = alike && b.GetRasterDataType() == model.GetRasterDataType() && !scaled(b) &&
                    gdalmcp_datasets::shown_nodata(b) == nodata;
            fits = fits && gdalmcp_raster::fits_float32(b.GetRasterDataType());
            auto& other = set.band(first, i);
            if (!scales_differ && (b.GetScale() != other.GetScale() || b.GetOffset() != other.GetOffset())) {
                scales_differ = true;
                f.said.push_back("scale and offset differ: " + set.name(first) + " has " + scale_text(other) + ", " +
                                 set.name(o) + " has " + scale_text(b) + "; each raster's own are applied");
            }
        }
    if (scaled(model) && !scales_differ) f.said.push_back("scale and offset are applied: the result is in true values");
    if (what == statistic::count) {
        f.type = GDT_UInt16;
        return f;
    }
    f.kept = alike;
    f.type = alike ? model.GetRasterDataType() : fits || what == statistic::trend ? GDT_Float32 : GDT_Float64;
    if (alike) f.nodata = *nodata;
    return f;
}

}  // namespace gdalmcp_temporal
