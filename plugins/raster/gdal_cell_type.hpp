// gdal_cell_type.hpp — the type of a band's cells, and how cells without data are marked.
#pragma once
#include <gdal_priv.h>

#include <optional>

#include "statistics.hpp"

namespace gdalmcp_raster {

GDALDataType gdal_type(cell_type t);
std::optional<cell_type> cell_type_of(GDALDataType type);  // nullopt for complex numbers

// The type of a band's values; signed bytes are int8. Refused: complex numbers.
cell_type cell_type_of(GDALRasterBand& band);

// How a band marks cells without data: a value to compare with, or a mask to read.
struct nodata_rule {
    nodata_range range;
    bool by_mask = false;
};
nodata_rule nodata_rule_of(GDALRasterBand& band, cell_type type);

}  // namespace gdalmcp_raster
