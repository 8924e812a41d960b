// gdal_class_table.hpp — the classes of a band in another band, whether that can hold their palette or not.
#pragma once
#include <gdal_priv.h>

namespace gdalmcp_datasets {

// Gives `to` the classes that `from` declares by palette, category names or a thematic raster attribute table: palette
// and names where it is the only band and of Byte, else such a table (GDALRasterAttributeTable) with a row for each:
// code, name, red, green, blue. Columns that count cells are left out. Where `from` declares none, or the format of
// `to` keeps no table, nothing happens.
void keep_classes(GDALRasterBand& from, GDALRasterBand& to);

}  // namespace gdalmcp_datasets
