#include "gdal_undeclared_nodata.hpp"

#include <gdalmcp/gdal_blocks.hpp>

#include <cmath>

#include "value_census.hpp"

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;

namespace {

constexpr std::int64_t max_whole = 4'000'000;  // cells
constexpr int side = 256, along = 6;           // of a window, and windows along an axis

std::vector<gdal::window> windows_of(int width, int height) {
    const gdal::window all{0, 0, width, height};
    if (all.cells() <= max_whole) return {all};
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
void each_window(GDALRasterBand& band, Visit&& visit) {
    for (const auto& w : windows_of(band.GetXSize(), band.GetYSize())) {
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

}  // namespace

std::vector<std::string> undeclared_nodata(const std::string& path, GDALRasterBand& band) {
    value_census seen;
    each_window(band,
                [&](const double* values, const unsigned char* valid, std::size_t n) { seen.see(values, valid, n); });
    const bool classes = band.GetColorTable() || band.GetCategoryNames();
    std::vector<std::string> found;
    for (const auto& s : seen.suspects())
        if (gdalmcp::customary_nodata(s.value) || !classes)
            found.push_back(gdal::number_text(std::round(1000 * s.share) / 10) + " % of the cells of band " +
                            std::to_string(band.GetBand()) + " of " + path + " are " + gdal::number_text(s.value) +
                            ", far from the next value " + gdal::number_text(s.next) +
                            ": it looks like an undeclared nodata value, and is computed with; declare it with "
                            "raster_convert and 'nodata'");
    return found;
}

void warn_of_undeclared_nodata(gdalmcp::call& call, const std::string& path, GDALRasterBand& band) {
    for (const auto& doubt : undeclared_nodata(path, band)) call.warn(doubt);
}

double share_of_data(GDALRasterBand& band, double value) {
    if (gdalmcp::customary_nodata(value)) return 0;
    value_census seen;
    std::int64_t with = 0;
    each_window(band, [&](const double* values, const unsigned char* valid, std::size_t n) {
        seen.see(values, valid, n);
        for (std::size_t i = 0; i < n; ++i) with += valid[i] && values[i] == value;
    });
    for (const auto& s : seen.suspects())
        if (s.value == value) return 0;
    return seen.valid() > 0 ? static_cast<double>(with) / static_cast<double>(seen.valid()) : 0;
}

}  // namespace gdalmcp_raster
