#include "gdal_marking.hpp"

#include <gdalmcp/gdal_blocks.hpp>
#include <gdalmcp/nodata_range.hpp>

#include <cmath>
#include <limits>

#include "gdal_cell_type.hpp"
#include "gdal_resampling_doubts.hpp"
#include "spare_value.hpp"

namespace gdalmcp_raster {

namespace gdal = gdalmcp::gdal;

const char* name_of(marking m) {
    return m == marking::none ? "none" : m == marking::nodata ? "nodata" : m == marking::alpha ? "alpha" : "mask";
}

std::optional<double> nodata_of(GDALRasterBand& band) {
    int has = 0, clamped = 0, rounded = 0;
    const double v = band.GetNoDataValue(&has);
    const auto type = band.GetRasterDataType();
    if (has) GDALAdjustValueToDataType(type, v, &clamped, &rounded);
    if (!has || clamped || (rounded && whole_numbers(type))) return std::nullopt;
    return v;
}

bool same_value(const std::optional<double>& a, const std::optional<double>& b) {
    return a.has_value() == b.has_value() && (!a || *a == *b || (std::isnan(*a) && std::isnan(*b)));
}

met_value meet(GDALRasterBand& band, double value, const gdal::window& part) {
    gdal::block_job job;
    job.part = part;
    job.read(band, GDT_Float64);
    std::vector<met_value> parts(job.size().workers);
    job.run([](double) {},
            [&](const gdal::block& b) {
                auto here = parts[b.worker];
                for (int row = 0; row < b.height; ++row) {
                    const auto* cells = b.in<double>(0, row);
                    const auto* valid = b.valid(0, row);
                    for (int i = 0; i < b.width; ++i) {
                        if (!valid[i] || !std::isfinite(cells[i])) continue;
                        here.count += cells[i] == value;
                        here.low = std::min(here.low, cells[i]);
                        here.high = std::max(here.high, cells[i]);
                    }
                }
                parts[b.worker] = here;
            });
    met_value all;
    for (const auto& p : parts) {
        all.count += p.count;
        all.low = std::min(all.low, p.low);
        all.high = std::max(all.high, p.high);
    }
    return all;
}

bool may_make(GDALDataset& source, double value, const std::string& resampling, const gdal::window& part) {
    if (!computes_values(resampling) || !std::isfinite(value) || gdalmcp::customary_nodata(value)) return false;
    for (auto&& band : source.GetBands()) {
        if (GDALDataTypeIsComplex(band->GetRasterDataType())) continue;
        const auto met = meet(*band, value, part);
        if (met.within(value) || (resampling == "sum" && met.low < value && value > 0)) return true;
    }
    return false;
}

namespace {

struct range {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    bool empty() const { return low > high; }
};

// Rows of all bands, in the type of the result: `each(cells, valid or null, n)`; false stops.
template <class T, class F>
void scan(GDALDataset& source, GDALDataType type, F&& each) {
    const int columns = source.GetRasterXSize(), rows = source.GetRasterYSize();
    const int step = std::clamp(4'000'000 / columns / 256 * 256, 16, std::max(rows, 16));
    std::vector<T> cells(static_cast<std::size_t>(columns) * std::min(step, rows));
    std::vector<unsigned char> valid;
    for (int b = 1; b <= source.GetRasterCount(); ++b) {
        auto& band = *source.GetRasterBand(b);
        const bool all = (band.GetMaskFlags() & GMF_ALL_VALID) != 0;
        if (!all) valid.resize(cells.size());
        for (int row = 0; row < rows; row += step) {
            const int n = std::min(step, rows - row);
            if (band.RasterIO(GF_Read, 0, row, columns, n, cells.data(), columns, n, type, 0, 0, nullptr) != CE_None ||
                (!all && band.GetMaskBand()->RasterIO(GF_Read, 0, row, columns, n, valid.data(), columns, n, GDT_Byte,
                                                      0, 0, nullptr) != CE_None))
                gdal::raise_unreadable(band, row, n);
            if (!each(cells.data(), all ? nullptr : valid.data(), static_cast<std::size_t>(columns) * n)) return;
        }
    }
}

template <class T>
range range_of(GDALDataset& source, GDALDataType type) {
    constexpr T least = std::numeric_limits<T>::lowest(), most = std::numeric_limits<T>::max();  // infinite: no number
    T low = most, high = least;
    bool any = false;
    scan<T>(source, type, [&](const T* cells, const unsigned char* valid, std::size_t n) {
        T l = low, h = high;  // locals, so that the loop is vectorised
        if (valid) {
            for (std::size_t i = 0; i < n; ++i) {
                l = valid[i] && cells[i] < l && cells[i] >= least ? cells[i] : l;
                h = valid[i] && cells[i] > h && cells[i] <= most ? cells[i] : h;
                any = any || valid[i];
            }
        } else {
            any = true;
            for (std::size_t i = 0; i < n; ++i) {
                l = cells[i] < l && cells[i] >= least ? cells[i] : l;
                h = cells[i] > h && cells[i] <= most ? cells[i] : h;
            }
        }
        low = l;
        high = h;
        return low != least || high != most;
    });
    return any ? range{static_cast<double>(low), static_cast<double>(high)} : range{};
}

// The range of resampled values from values within r.
range reach(range r, const std::string& resampling) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double width = r.high - r.low;
    if (resampling == "cubic") return {r.low - width, r.high + width};
    if (resampling == "lanczos") return {r.low - 2 * width, r.high + 2 * width};
    if (resampling == "rms") return {std::min(r.low, 0.0), std::max(-r.low, r.high)};
    if (resampling == "sum") return {r.low < 0 ? -infinity : 0, r.high > 0 ? infinity : 0};
    return r;
}

// Methods whose results are values of cells.
bool selects(const std::string& resampling) {
    for (const char* s : {"nearest", "mode", "min", "max", "med", "q1", "q3"})
        if (resampling == s) return true;
    return false;
}

template <class T>
std::optional<double> unused_of(GDALDataset& source, GDALDataType type, const std::string& resampling,
                                bool by_overviews) {
    using limits = std::numeric_limits<T>;
    const range found = range_of<T>(source, type);
    // The warper may read an overview instead, whose cells were themselves made by some resampling.
    const bool overviews = by_overviews && source.GetRasterBand(1)->GetOverviewCount() > 0;
    const range taken = found.empty() ? found : reach(overviews ? reach(found, "cubic") : found, resampling);
    const auto low = static_cast<double>(limits::lowest()), high = static_cast<double>(limits::max());
    const std::vector<double> candidates =
        limits::is_signed ? std::vector<double>{low, -9999, high} : std::vector<double>{high, 0};
    for (const double v : candidates)
        if (v >= low && (taken.empty() || v < taken.low || v > taken.high)) return v;
    if (!selects(resampling) || overviews || sizeof(T) > 2) return std::nullopt;
    spare_value spare{cell_type_of(type)};
    std::vector<double> seen;
    scan<T>(source, type, [&](const T* cells, const unsigned char* valid, std::size_t n) {
        seen.clear();
        for (std::size_t i = 0; i < n; ++i)
            if (!valid || valid[i]) seen.push_back(static_cast<double>(cells[i]));
        spare.see(seen.data(), seen.size());
        return true;
    });
    return spare.found();
}

}  // namespace

std::optional<double> unused_value(GDALDataset& source, GDALDataType type, const std::string& resampling,
                                   bool by_overviews) {
    switch (type) {
        case GDT_Byte:
            return unused_of<std::uint8_t>(source, type, resampling, by_overviews);
        case GDT_UInt16:
            return unused_of<std::uint16_t>(source, type, resampling, by_overviews);
        case GDT_Int16:
            return unused_of<std::int16_t>(source, type, resampling, by_overviews);
        case GDT_UInt32:
            return unused_of<std::uint32_t>(source, type, resampling, by_overviews);
        case GDT_Int32:
            return unused_of<std::int32_t>(source, type, resampling, by_overviews);
        case GDT_Float32:
        case GDT_Float64:
        case GDT_CFloat32:
        case GDT_CFloat64:
            return std::numeric_limits<double>::quiet_NaN();
        default:  // 64-bit and complex whole numbers: not every value can be a nodata value
            return std::nullopt;
    }
}

}  // namespace gdalmcp_raster
