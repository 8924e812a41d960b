// gdal_cell_type.hpp — the type of a band's cells.
#pragma once
#include <gdal_priv.h>

#include <optional>

#include "cell_type.hpp"

namespace gdalmcp_raster {

GDALDataType gdal_type(cell_type t);
std::optional<cell_type> cell_type_of(GDALDataType type);  // nullopt for complex numbers

// The type of a band's values; signed bytes are int8. Refused: complex numbers.
cell_type cell_type_of(GDALRasterBand& band);

// Float32 holds every value of the type exactly.
inline bool fits_float32(GDALDataType t) {
    return t == GDT_Byte || t == GDT_UInt16 || t == GDT_Int16 || t == GDT_Float32;
}

}  // namespace gdalmcp_raster
