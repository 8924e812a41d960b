// gdalmcp/gdal_nodata.hpp — how a band marks cells without data: by values to compare with, or by a mask to read.
// Header-only; link GDAL.
#pragma once
#include <gdal_priv.h>
#include <gdalmcp/gdal_signed_bytes.hpp>
#include <gdalmcp/nodata_range.hpp>

#include <cmath>
#include <limits>

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

}  // namespace gdalmcp::gdal
