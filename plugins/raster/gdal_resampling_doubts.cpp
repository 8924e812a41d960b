#include "gdal_resampling_doubts.hpp"

#include <gdalmcp/nodata_range.hpp>

#include <array>
#include <cmath>

#include "datasets/gdal_finite_view.hpp"
#include "datasets/gdal_raster_source.hpp"
#include "gdal_amounts.hpp"
#include "gdal_undeclared_nodata.hpp"

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;

namespace {

constexpr double least_range = 50;  // in which half a unit is a hundredth
constexpr std::size_t most_bands = 16;

// Too large to be read once more.
bool is_large(GDALRasterBand& band) { return static_cast<double>(band.GetXSize()) * band.GetYSize() > 16e6; }

// What the look at a large source did not see, a result of fewer cells shows.
void warn_of_mark(gdalmcp::call& call, const std::string& path, GDALRasterBand& result) {
    constexpr double digits = 1000;
    const gdal::quiet silence;
    std::array<double, 2> range{};
    if (is_large(result) || result.ComputeRasterMinMax(FALSE, range.data()) != CE_None) return;
    for (const double end : range)
        if (const double mark = std::round(digits * end) / digits; gdalmcp::customary_nodata(mark))
            return call.warn("the result holds " + gdal::number_text(mark) + ", as " + path +
                             " must: it looks like an undeclared nodata value, and is computed with; declare it with "
                             "raster_convert and 'nodata'");
}

}  // namespace

void warn_of_rounding(gdalmcp::call& call, const std::string& path, GDALRasterBand& source, const std::string& method,
                      GDALRasterBand& result) {
    if (!gdalmcp_datasets::whole_numbers(result.GetRasterDataType())) return;
    const gdal::quiet silence;
    std::array<double, 2> range{};
    const bool sampled = is_large(result);
    if (result.ComputeRasterMinMax(sampled, range.data()) != CE_None || range[1] - range[0] >= least_range) return;
    call.warn("band " + std::to_string(source.GetBand()) + " of " + path + " is " +
              GDALGetDataTypeName(source.GetRasterDataType()) + ": what " + method +
              " computes is rounded to whole numbers, " + (sampled ? "in a sample" : "here") + " from " +
              gdal::number_text(range[0]) + " to " + gdal::number_text(range[1]) +
              "; to keep fractions resample a copy by raster_convert with dtype Float32");
}

bool computes_values(const std::string& method) {
    for (const char* chooses : {"nearest", "mode", "min", "max", "med", "q1", "q3"})
        if (method == chooses) return false;
    return true;
}

std::string doubt_of_method(const std::string& path, GDALRasterBand& band, const gdal::band_kind& kind,
                            const std::string& method) {
    using enum gdal::value_kind;
    const std::string what = path + " holds values of the kind " + gdal::name_of(kind.kind) + " (" + kind.why + ")";
    const bool codes = kind.kind == classes || kind.kind == qa_bits;
    if (codes && method != "mode" && method != "nearest")
        return what + ", and " + method + " does arithmetic on codes" + (kind.certain ? "" : ", if they are");
    if (kind.kind == angle && (computes_values(method) || method == "sum"))
        return what + ", and " + method + " turns 359 and 1 into another direction";
    if (method == "sum") return sum_of_levels(path, band);
    if (const std::string unit = band.GetUnitType(); is_logarithm(unit) && (method == "average" || method == "rms"))
        return path + " holds logarithms (unit " + unit + "), and " + method + " of them is not that of the amounts";
    if (kind.kind == count) return what + ", and " + method + " does not keep their total; sum does";
    return {};
}

std::string note_of_ranks(const std::string& method) {
    if (method != "med" && method != "q1" && method != "q3") return {};
    return method + " chooses a cell: of an even number the lower of the two that it lies between, not their mean";
}

void warn_of_resampling(gdalmcp::call& call, const std::string& path, GDALDataset& source,
                        const std::vector<int>& bands, const std::string& method, GDALDataset& result) {
    if (method == "nearest") return;
    if (const auto text = note_of_ranks(method); !text.empty()) call.warn(text);
    for (std::size_t i = 0; i < std::min(bands.size(), most_bands); ++i) {
        auto& band = *source.GetRasterBand(bands[i]);
        if (gdalmcp_datasets::is_alpha(band)) continue;
        const auto doubts = undeclared_nodata(path, band);
        for (const auto& doubt : doubts) call.warn(doubt);
        if (doubts.empty()) warn_of_mark(call, path, *result.GetRasterBand(bands[i]));
        if (computes_values(method)) warn_of_rounding(call, path, band, method, *result.GetRasterBand(bands[i]));
    }
}

void warn_of_overviews(gdalmcp::call& call, const std::string& path, GDALDataset& source, const std::string& how) {
    if (how == "NEAREST" || how == "MODE") return;
    if (const gdal::window all{0, 0, source.GetRasterXSize(), source.GetRasterYSize()};
        gdalmcp_datasets::holds_only_floats(source) &&
        gdalmcp_datasets::unmarked_cells_of(source, all, [](double) {}).nan)
        call.warn("NaN is not the nodata value of " + path + ": in overviews by " + how +
                  " such cells take those around them along; raster_calc writes them as nodata");
    for (int i = 1; i <= std::min(source.GetRasterCount(), static_cast<int>(most_bands)); ++i) {
        auto& band = *source.GetRasterBand(i);
        if (gdalmcp_datasets::is_alpha(band)) continue;
        warn_of_undeclared_nodata(call, path, band);
        if (const auto kind = gdal::declared_kind(gdal::signs_of(band, false));
            kind && kind->kind == gdal::value_kind::angle)
            call.warn("band " + std::to_string(i) + " of " + path + " holds angles (" + kind->why +
                      "), and overviews by " + how + " turn 359 and 1 into 180: take nearest");
    }
}

}  // namespace gdalmcp_raster
