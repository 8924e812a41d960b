#include "gdal_cell_type.hpp"

#include <gdalmcp/gdal_signed_bytes.hpp>
#include <gdalmcp/tool.hpp>

#include <string>

#include "datasets/gdal_raster_source.hpp"

namespace gdalmcp_raster {

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
    gdalmcp_datasets::require_real(band);
    throw gdalmcp::error{GDALMCP_UNSUPPORTED,
                         "band " + std::to_string(band.GetBand()) + " is " +
                             GDALGetDataTypeName(band.GetRasterDataType()) + ", a type that is not known here",
                         "choose other bands with 'bands'"};
}

}  // namespace gdalmcp_raster
