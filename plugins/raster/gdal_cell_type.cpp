#include "gdal_cell_type.hpp"

#include <gdalmcp/gdal_signed_bytes.hpp>
#include <gdalmcp/tool.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace gdalmcp_raster {

namespace {

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

}  // namespace

GDALDataType gdal_type(cell_type t) {
    switch (t) {
        case cell_type::int8:
            return gdalmcp::gdal::signed_byte;
        case cell_type::uint8:
            return GDT_Byte;
        case cell_type::int16:
            return GDT_Int16;
        case cell_type::uint16:
            return GDT_UInt16;
        case cell_type::int32:
            return GDT_Int32;
        case cell_type::uint32:
            return GDT_UInt32;
        case cell_type::int64:
            return GDT_Int64;
        case cell_type::uint64:
            return GDT_UInt64;
        case cell_type::float32:
            return GDT_Float32;
        case cell_type::float64:
            return GDT_Float64;
    }
    return GDT_Unknown;
}

std::optional<cell_type> cell_type_of(GDALDataType type) {
    switch (type) {
        case GDT_Byte:
            return cell_type::uint8;
        case GDT_Int16:
            return cell_type::int16;
        case GDT_UInt16:
            return cell_type::uint16;
        case GDT_Int32:
            return cell_type::int32;
        case GDT_UInt32:
            return cell_type::uint32;
        case GDT_Int64:
            return cell_type::int64;
        case GDT_UInt64:
            return cell_type::uint64;
        case GDT_Float32:
            return cell_type::float32;
        case GDT_Float64:
            return cell_type::float64;
        default:
            return std::nullopt;
    }
}

cell_type cell_type_of(GDALRasterBand& band) {
    if (gdalmcp::gdal::detail::stored_as_signed_bytes(band)) return cell_type::int8;
    if (const auto type = cell_type_of(band.GetRasterDataType())) return *type;
    throw gdalmcp::error{GDALMCP_UNSUPPORTED,
                         "band " + std::to_string(band.GetBand()) + " is " +
                             GDALGetDataTypeName(band.GetRasterDataType()) + ": complex numbers have no order",
                         "choose other bands with 'bands'"};
}

nodata_rule nodata_rule_of(GDALRasterBand& band, cell_type type) {
    const int flags = band.GetMaskFlags();
    int has = 0;
    // The masks of GDAL before 3.7 do not support signed bytes.
    if (type == cell_type::int8 && (flags == GMF_ALL_VALID || flags == GMF_NODATA)) {
        const double v = band.GetNoDataValue(&has);
        return has ? nodata_rule{{v, v, false}, false} : nodata_rule{};
    }
    if (flags == GMF_ALL_VALID) return {};
    if (flags != GMF_NODATA || type == cell_type::int64 || type == cell_type::uint64) return {{}, true};
    const double v = band.GetNoDataValue(&has);
    if (!has) return {{}, true};
    if (std::isnan(v)) return {{1, 0, true}, false};
    if (type == cell_type::float32) return {equal_to(static_cast<float>(v)), false};
    if (type == cell_type::float64) return {equal_to(v), false};
    return v == std::floor(v) ? nodata_rule{{v, v, false}, false} : nodata_rule{{}, true};
}

}  // namespace gdalmcp_raster
