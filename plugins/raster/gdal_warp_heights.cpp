#include "gdal_warp_heights.hpp"

#include <gdalmcp/gdal_kind.hpp>

#include "datasets/gdal_height_unit.hpp"
#include "gdal_kind.hpp"

namespace gdalmcp_raster {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

namespace {

// Why the values of a raster can be no heights; "": they can.
std::string no_heights(GDALDataset& source) {
    auto& band = *source.GetRasterBand(1);
    const std::string unit = band.GetUnitType();
    if (gdal::declares_classes(band)) return "they are codes of classes";
    return gdalmcp_datasets::transformed_by_gdal(unit) ? "" : "their unit is '" + unit + "'";
}

// The same whatever a CRS declares: codes, and a unit that is no length.
std::string never_heights(GDALDataset& source) {
    auto& band = *source.GetRasterBand(1);
    if (kind_of(band) == kind::classes) return "they are codes of classes (" + gdal::kind_of(band).why + ")";
    const std::string unit = band.GetUnitType();
    const bool length = gdalmcp_datasets::metres_of(unit) || gdalmcp_datasets::transformed_by_gdal(unit);
    return length ? "" : "their unit is '" + unit + "'";
}

[[noreturn]] void refuse_as_heights(const warp_request& r, GDALDataset& source, const std::string& why) {
    OGRSpatialReference horizontal{r.dst_crs};
    horizontal.IsCompound() ? horizontal.StripVertical() : horizontal.DemoteTo2D(nullptr);
    throw error{GDALMCP_INVALID_ARGUMENT,
                gdal::crs_text(r.dst_crs) + " has a vertical part, which declares the values of " +
                    source.GetDescription() + " as heights, but " + why,
                "name the horizontal CRS alone: \"dst_crs\": " + gdal::json_quote(gdal::crs_text(horizontal)) +
                    "; if they are heights, 'src_crs' names what they are measured from"};
}

// Heights of one name may differ in their unit where a file defines them itself.
bool same_height_unit(const OGRSpatialReference& a, const OGRSpatialReference& b) {
    return a.GetTargetLinearUnits("VERT_CS", nullptr) == b.GetTargetLinearUnits("VERT_CS", nullptr);
}

}  // namespace

void settle_heights(warp_request& r, GDALDataset& source, const OGRSpatialReference& from) {
    const auto before = gdalmcp_datasets::heights_of(from), after = gdalmcp_datasets::heights_of(r.dst_crs);
    const bool asked = r.shift_heights.value_or(false);
    if (asked && (!from.IsCompound() || !r.dst_crs.IsCompound()))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "vertical 'transform' is requested, but " + gdal::crs_text(from.IsCompound() ? r.dst_crs : from) +
                        " has no vertical component",
                    "name compound CRSs for both, for example EPSG:4326+5773"};
    if (before.empty() && !after.empty())
        if (const auto why = never_heights(source); !why.empty()) refuse_as_heights(r, source, why);
    const auto other = no_heights(source);
    if (asked && !other.empty())
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "vertical 'transform' is requested, but the values are no heights: " + other,
                    "leave 'vertical' out, or keep the values with \"vertical\": \"keep\""};
    // GDAL takes the values of a single band for heights as soon as one of the CRSs has any.
    // Between equal heights it would still convert feet to metres.
    if (!before.empty() && before == after && same_height_unit(from, r.dst_crs)) r.shift_heights = false;
    if (!r.shift_heights && (before.empty() != after.empty() || !other.empty())) r.shift_heights = false;
    if (!r.shift_heights && before != after && source.GetRasterCount() > 1) r.shift_heights = false;
    if (before.empty() || after.empty() || before == after || !r.shift_heights.value_or(true)) return;
    for (int b = 1; b <= source.GetRasterCount(); ++b)
        if (auto& band = *source.GetRasterBand(b); band.GetScale() != 1 || band.GetOffset() != 0)
            throw error{GDALMCP_INVALID_ARGUMENT,
                        std::string{source.GetDescription()} + " has scale " + gdal::number_text(band.GetScale()) +
                            " and offset " + gdal::number_text(band.GetOffset()) +
                            ", and GDAL would transform the stored values as heights",
                        "write true values first, with raster_convert and \"unscale\": true"};
    // New heights have fractions, may be negative, and may be the nodata value of whole numbers.
    if (const auto type = source.GetRasterBand(1)->GetRasterDataType(); whole_numbers(type))
        r.type = GDALGetDataTypeSizeBytes(type) > 2 ? "Float64" : "Float32";
    const char* unit = nullptr;
    if (r.dst_crs.IsCompound()) r.dst_crs.GetTargetLinearUnits("VERT_CS", &unit);
    const std::string name = unit ? unit : "metre";
    r.height_unit = EQUAL(name.c_str(), "metre") ? "m" : EQUAL(name.c_str(), "foot") ? "ft" : name;
}

std::string doubt_of_heights(const warp_request& r, GDALDataset& source) {
    const auto from = source_crs(source, r);
    const auto before = gdalmcp_datasets::heights_of(from), after = gdalmcp_datasets::heights_of(r.dst_crs);
    if (before == after || r.shift_heights.value_or(true)) return {};
    if (after.empty())
        return "values are kept: only " + gdal::crs_label(from) +
               " of the two CRSs has a vertical part; name one in both to transform heights";
    const std::string claimed =
        "values are kept as they are, and the result declares them as heights of '" + after + "'";
    if (before.empty()) return claimed + ", though the source names no vertical CRS; 'src_crs' can name it";
    if (const auto why = no_heights(source); !why.empty()) return claimed + ", though " + why;
    return claimed + " in place of '" + before + "'";
}

}  // namespace gdalmcp_raster
