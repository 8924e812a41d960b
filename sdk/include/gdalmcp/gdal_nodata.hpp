// gdalmcp/gdal_nodata.hpp — how a band marks cells without data: by values to compare with, or by a mask to read.
// Header-only; link GDAL.
#pragma once
#include <gdal_priv.h>
#include <gdalmcp/gdal_signed_bytes.hpp>
#include <gdalmcp/nodata_range.hpp>

#include <cmath>
#include <limits>
#include <utility>

namespace gdalmcp::gdal {

struct nodata_rule {
    nodata_range range;
    bool by_mask = false;  // read GetMaskBand(): 0 = no data
};

namespace detail {
// The range GDAL's nodata mask treats as `nodata`, which for floating point is slightly wider than the value.
template <class T>
nodata_range equal_to(T nodata) {
    nodata_range r{nodata, nodata, false};
    if (std::isinf(nodata)) return r;
    for (const T end : {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()}) {
        // Values that are equal follow one another: the last one, by halves.
        T in = nodata, out = end;
        if (ARE_REAL_EQUAL(nodata, out)) in = out;
        while (in != out && std::nextafter(in, out) != out) {
            const T half = in / 2 + out / 2;
            const T middle = half == in || half == out ? std::nextafter(in, out) : half;
            (ARE_REAL_EQUAL(nodata, middle) ? in : out) = middle;
        }
        (end < 0 ? r.lowest : r.highest) = in;
    }
    return r;
}
}  // namespace detail

// The same cells as GDAL's mask band has, without reading it where values suffice.
inline nodata_rule nodata_rule_of(GDALRasterBand& band) {
    const int flags = band.GetMaskFlags();
    const auto type = band.GetRasterDataType();
    int has = 0;
    // The masks of GDAL before 3.7 do not support signed bytes.
    if (detail::stored_as_signed_bytes(band) && (flags == GMF_ALL_VALID || flags == GMF_NODATA)) {
        const double v = band.GetNoDataValue(&has);
        return has ? nodata_rule{{v, v, false}, false} : nodata_rule{};
    }
    if (flags == GMF_ALL_VALID) return {};
    if (flags != GMF_NODATA || type == GDT_Int64 || type == GDT_UInt64) return {{}, true};
    const double v = band.GetNoDataValue(&has);
    if (!has) return {{}, true};
    if (std::isnan(v)) return {{1, 0, true}, false};
    if (type == GDT_Float32) return {detail::equal_to(static_cast<float>(v)), false};
    if (type == GDT_Float64) return {detail::equal_to(v), false};
    return v == std::floor(v) ? nodata_rule{{v, v, false}, false} : nodata_rule{{}, true};
}

// The cells of a type that lie in a range of numbers: from first to second, none where first is larger.
template <class T>
std::pair<T, T> cells_in(const nodata_range& r) {
    constexpr T least = std::numeric_limits<T>::lowest(), most = std::numeric_limits<T>::max();
    if (!(r.lowest <= r.highest)) return {1, 0};
    if constexpr (std::numeric_limits<T>::is_integer) {
        const double low = std::ceil(r.lowest), high = std::floor(r.highest);
        if (low > static_cast<double>(most) || high < static_cast<double>(least)) return {1, 0};
        return {low <= static_cast<double>(least) ? least : static_cast<T>(low),
                high >= static_cast<double>(most) ? most : static_cast<T>(high)};
    } else {
        constexpr T infinity = std::numeric_limits<T>::infinity();
        auto low = static_cast<T>(r.lowest), high = static_cast<T>(r.highest);
        if (static_cast<double>(low) < r.lowest) low = std::nextafter(low, infinity);
        if (static_cast<double>(high) > r.highest) high = std::nextafter(high, -infinity);
        return {low, high};
    }
}

}  // namespace gdalmcp::gdal
