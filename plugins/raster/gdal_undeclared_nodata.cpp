#include "gdal_undeclared_nodata.hpp"

#include <gdalmcp/gdal_blocks.hpp>
#include <gdalmcp/gdal_kind.hpp>

#include <algorithm>
#include <cmath>

#include "value_census.hpp"

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;

namespace {

constexpr std::int64_t max_whole = 4'000'000, max_together = 40'000'000;  // cells of a band, and of several
constexpr int side = 256, least_along = 3, most_along = 6;                // of a window, and windows along an axis

std::vector<gdal::window> windows_of(int width, int height, std::int64_t most) {
    const gdal::window all{0, 0, width, height};
    if (all.cells() <= most) return {all};
    const int along = std::clamp(static_cast<int>(std::sqrt(most / (side * side))), least_along, most_along);
    std::vector<gdal::window> some;
    const int columns = std::min(side, width), rows = std::min(side, height);
    for (int r = 0; r < along; ++r)
        for (int c = 0; c < along; ++c)
            some.push_back({static_cast<int>(std::int64_t{width - columns} * c / (along - 1)),
                            static_cast<int>(std::int64_t{height - rows} * r / (along - 1)), columns, rows});
    return some;
}

// visit(values, valid, count)
template <class Visit>
void each_window(GDALRasterBand& band, std::int64_t most, Visit&& visit) {
    for (const auto& w : windows_of(band.GetXSize(), band.GetYSize(), most)) {
        gdal::block_job job;
        job.workers = 0;
        job.part = w;
        job.read(band, GDT_Float64);
        job.run([](double) {},
                [&](const gdal::block& b) {
                    visit(b.in<double>(0, 0), b.valid(0, 0), static_cast<std::size_t>(b.cells()));
                });
    }
}

// What was seen of a band.
struct band_extremes {
    std::vector<suspect> suspects;
    double min = 0, max = -1;  // empty: no valid cell

    bool suspects_value(double v) const {
        return std::any_of(suspects.begin(), suspects.end(), [v](const suspect& s) { return s.value == v; });
    }
    bool holds(double v) const { return min <= v && v <= max; }
};

band_extremes extremes_of(GDALRasterBand& band, std::int64_t most) {
    value_census seen;
    each_window(band, most,
                [&](const double* values, const unsigned char* valid, std::size_t n) { seen.see(values, valid, n); });
    band_extremes found;
    if (gdalmcp_datasets::is_alpha(band)) return found;  // whose ends are what it is for
    const bool classes = gdal::declares_classes(band);
    for (const auto& s : seen.suspects())
        if (gdalmcp::customary_nodata(s.value) || !classes) found.suspects.push_back(s);
    if (seen.valid() > 0) {
        found.min = seen.min();
        found.max = seen.max();
    }
    return found;
}

double real_value(const suspect& s, GDALRasterBand& band) { return s.value * band.GetScale() + band.GetOffset(); }

// `others`: what follows the name of the band.
std::string sentence(const suspect& s, const std::string& path, GDALRasterBand& band, const std::string& others,
                     const std::string& name = "A") {
    const bool marks_others = (band.GetMaskFlags() & GMF_ALL_VALID) == 0;  // beside which raster_convert declares none
    return gdal::number_text(std::round(1000 * s.share) / 10) + " % of the cells of band " +
           std::to_string(band.GetBand()) + " of " + path + others + " are " + gdal::number_text(s.value) +
           ", far from the next value " + gdal::number_text(s.next) +
           ": it looks like an undeclared nodata value, and is computed with; " +
           (marks_others ? "raster_calc takes it out: where(" + name + " == " + gdal::number_text(real_value(s, band)) +
                               ", nodata(), " + name + ")"
                         : std::string{"declare it with raster_convert and 'nodata'"});
}

}  // namespace

std::vector<std::string> undeclared_nodata(const std::string& path, GDALRasterBand& band) {
    std::vector<std::string> found;
    for (const auto& s : extremes_of(band, max_whole).suspects) found.push_back(sentence(s, path, band, ""));
    return found;
}

void warn_of_undeclared_nodata(gdalmcp::call& call, const std::string& path, GDALRasterBand& band,
                               const std::function<bool(double)>& taken_out, const std::string& name) {
    for (const auto& s : extremes_of(band, max_whole).suspects)
        if (!taken_out || !taken_out(real_value(s, band))) call.warn(sentence(s, path, band, "", name));
}

void warn_of_undeclared_nodata(gdalmcp::call& call, const std::vector<band_at_path>& bands,
                               const std::vector<double>& masked) {
    if (bands.empty()) return;
    const auto most = std::clamp(max_together / static_cast<std::int64_t>(bands.size()),
                                 std::int64_t{least_along * least_along * side * side}, max_whole);
    std::vector<band_extremes> seen;
    for (const auto& b : bands) seen.push_back(extremes_of(*b.band, most));
    const auto is_data = [&](double v) {
        return !gdalmcp::customary_nodata(v) &&
               std::any_of(seen.begin(), seen.end(), [v](const auto& e) { return e.holds(v) && !e.suspects_value(v); });
    };
    std::vector<double> told = masked;
    for (std::size_t i = 0; i < bands.size(); ++i)
        for (const auto& s : seen[i].suspects) {
            if (std::find(told.begin(), told.end(), s.value) != told.end() || is_data(s.value)) continue;
            told.push_back(s.value);
            const auto with =
                std::count_if(seen.begin(), seen.end(), [&](const auto& e) { return e.suspects_value(s.value); });
            call.warn(sentence(s, bands[i].path, *bands[i].band,
                               with > 1 ? " (the first of " + std::to_string(with) + " bands with this value)" : ""));
        }
}

double share_of_data(GDALRasterBand& band, double value) {
    if (gdalmcp::customary_nodata(value)) return 0;
    value_census seen;
    std::int64_t with = 0;
    each_window(band, max_whole, [&](const double* values, const unsigned char* valid, std::size_t n) {
        seen.see(values, valid, n);
        for (std::size_t i = 0; i < n; ++i) with += valid[i] && values[i] == value;
    });
    for (const auto& s : seen.suspects())
        if (s.value == value) return 0;
    return seen.valid() > 0 ? static_cast<double>(with) / static_cast<double>(seen.valid()) : 0;
}

}  // namespace gdalmcp_raster
