// What the bands of several rasters mean, compared before their cells are put together.
#include <gdalmcp/gdal_class_names.hpp>

#include <cmath>
#include <limits>
#include <set>

#include "datasets/gdal_band_label.hpp"
#include "datasets/gdal_height_unit.hpp"
#include "gdal_mosaic_source.hpp"
#include "gdal_warp_request.hpp"

namespace gdalmcp_raster {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

namespace {

[[noreturn]] void refuse(const named_band& a, const named_band& b, const std::string& what, std::string hint) {
    throw error{GDALMCP_INVALID_ARGUMENT, what + ": " + a.name() + " and " + b.name(), std::move(hint)};
}

bool same_palette(const GDALColorTable& a, const GDALColorTable& b) { return a.IsSame(&b) != FALSE; }

bool same_names(char** a, char** b) {
    if (CSLCount(a) != CSLCount(b)) return false;
    for (int i = 0; i < CSLCount(a); ++i)
        if (std::string_view{a[i]} != b[i]) return false;
    return true;
}

}  // namespace

void require_same_meaning(const named_band& a, const named_band& b, std::vector<std::string>& said) {
    const auto number = [](double v) { return gdal::number_text(v); };
    if (a.band.GetScale() != b.band.GetScale() || a.band.GetOffset() != b.band.GetOffset())
        refuse(a, b,
               "scale and offset differ (" + number(a.band.GetScale()) + ", " + number(a.band.GetOffset()) + " and " +
                   number(b.band.GetScale()) + ", " + number(b.band.GetOffset()) + ")",
               "apply them first with raster_calc: the expression A writes the true values");
    const std::string unit = a.band.GetUnitType(), other_unit = b.band.GetUnitType();
    if (!unit.empty() && !other_unit.empty() && !same_unit(unit, other_unit))
        refuse(a, b, "units differ (" + unit + " and " + other_unit + ")",
               "convert one of them first with raster_calc");
    if (unit.empty() != other_unit.empty())
        said.push_back("only " + (unit.empty() ? b : a).name() + " declares a unit (" + unit + other_unit + ")");
    const auto *colours = a.band.GetColorTable(), *other_colours = b.band.GetColorTable();
    if (colours && other_colours && !same_palette(*colours, *other_colours))
        refuse(
            a, b, "palettes differ, so a code may mean different classes",
            "give both the same codes and colours first; without palettes (raster_calc) codes are taken as they are");
    if (!colours != !other_colours) said.push_back((colours ? b : a).name() + " has no palette, others have");
    char **names = a.band.GetCategoryNames(), **other_names = b.band.GetCategoryNames();
    if (names && other_names && !same_names(names, other_names))
        refuse(a, b, "class names differ", "give both the same codes first, with raster_classify or raster_calc");
    const gdal::class_names own{a.band}, others{b.band};  // those of attribute tables, too
    bool beyond = false;
    for (const auto& [code, name] : others.all()) {
        const auto was = own.of(code);
        if (!was.empty() && was != name)
            refuse(a, b, "class names differ (code " + std::to_string(code) + " is '" + was + "' and '" + name + "')",
                   "give both the same codes first, with raster_classify or raster_calc");
        beyond = beyond || was.empty();
    }
    if (beyond && !own.all().empty())
        said.push_back(b.name() + " names classes that " + a.name() +
                       " does not, and the result has the names of the latter alone");
}

namespace {

bool holds(GDALDataType type, double value) {
    int clamped = 0, rounded = 0;
    GDALAdjustValueToDataType(type, value, &clamped, &rounded);
    return !clamped && !(rounded && whole_numbers(type));
}

std::string shown(double v) { return std::isnan(v) ? "NaN" : gdal::number_text(v); }

// The nodata value of the result, and the bands that have another or none.
std::optional<double> common_nodata(const std::vector<named_band>& all, std::vector<std::string>& said) {
    std::optional<double> chosen;
    for (const auto& b : all)
        if (!chosen) chosen = nodata_of(b.band);
    if (!chosen) return chosen;
    std::string others;
    for (const auto& b : all) {
        const auto own = nodata_of(b.band);
        if (same_value(own, chosen) || b.band.GetColorInterpretation() == GCI_AlphaBand) continue;
        if (others.size() < 300)
            others += (others.empty() ? "" : ", ") + b.name() + (own ? " " + shown(*own) : " none");
    }
    if (!others.empty()) said.push_back("nodata of the result is " + shown(*chosen) + "; declared was in " + others);
    return chosen;
}

}  // namespace

mosaic_meaning meaning_of(const std::vector<mosaic_source>& sources, const mosaic_wish& wish) {
    mosaic_meaning out;
    std::vector<named_band> all;
    for (const auto& s : sources)
        for (std::size_t i = 0; i < s.bands.size(); ++i) all.push_back({s.path, s.band(i)});
    bool masked = false, apart = wish.stacked, alpha = true;
    std::set<std::string> types;
    out.type = all.front().band.GetRasterDataType();
    for (const auto& b : all) {
        types.insert(dtype_name(b.band.GetRasterDataType()));
        out.type = GDALDataTypeUnion(out.type, b.band.GetRasterDataType());
        if (constexpr int shared = GMF_ALL_VALID | GMF_NODATA | GMF_PER_DATASET; !(b.band.GetMaskFlags() & shared))
            apart = true;  // a mask of its own
        masked = masked || (b.band.GetMaskFlags() & (GMF_ALL_VALID | GMF_NODATA)) == 0;
        if (wish.averaged && b.band.GetColorTable())
            throw error{GDALMCP_INVALID_ARGUMENT,
                        "'overlap' is mean, but " + b.name() + " has a palette: its values are class codes",
                        "give \"overlap\": \"first\" or \"last\""};
    }
    if (types.size() > 1) {
        std::string list;
        for (const auto& t : types) list += (list.empty() ? "" : ", ") + t;
        out.said.push_back("data types differ (" + list + "): the result is " + dtype_name(out.type));
    }
    if (wish.averaged && whole_numbers(out.type)) {
        out.type = GDALDataTypeUnion(out.type, GDT_Float32);
        out.said.push_back(std::string{"means have fractions: the result is "} + dtype_name(out.type));
    }
    for (const auto& b : all) {
        refuse_pooled_offset(b.path, b.band, wish.method);
        if (widens(wish.method, out.type)) out.type = GDT_Float64;
    }
    for (const auto& s : sources)
        alpha =
            alpha && is_alpha(s.band(s.bands.size() - 1)) && alpha_hides(static_cast<int>(s.bands.size()), out.type);
    const auto bands_of = [](const mosaic_source& s) { return bands_in_order{s.path, *s.dataset, s.bands}; };
    for (std::size_t k = 1; k < sources.size() && !wish.stacked; ++k)
        if (auto doubt = doubt_of_order(bands_of(sources[0]), bands_of(sources[k])); !doubt.empty()) {
            out.said.push_back(std::move(doubt));
            break;
        }
    for (std::size_t k = 1; k < sources.size() && !wish.stacked; ++k)
        for (std::size_t i = 0; i < sources[k].bands.size(); ++i)
            require_same_meaning({sources[0].path, sources[0].band(i)}, {sources[k].path, sources[k].band(i)},
                                 out.said);

    out.nodata = wish.nodata ? wish.nodata : common_nodata(all, out.said);
    if (out.nodata && !holds(out.type, *out.nodata))
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "nodata " + shown(*out.nodata) + " cannot be stored as " + dtype_name(out.type),
                    "give a 'nodata' of that type which does not occur in the data"};
    if (out.nodata)
        out.mark = marking::nodata;
    else if (alpha && !wish.stacked)
        out.mark = marking::alpha;
    else if (!wish.gaps && !masked)
        out.mark = marking::none;
    else if (!whole_numbers(out.type))
        out.mark = marking::nodata, out.nodata = std::numeric_limits<double>::quiet_NaN();
    else if (apart)
        throw error{GDALMCP_INVALID_ARGUMENT,
                    "the bands have data for different cells, and no raster declares a nodata value: one mask for all "
                    "bands cannot tell them apart",
                    "give a 'nodata' that does not occur in the data"};
    else
        out.mark = marking::mask;
    return out;
}

}  // namespace gdalmcp_raster
