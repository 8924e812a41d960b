// gdal_class_table.hpp — the classes of a band in another band, whether that can hold their palette or not.
#pragma once
#include <gdal_priv.h>

#include <array>
#include <map>

namespace gdalmcp_datasets {

// Red, green and blue, 0 to 255, by class code.
using palette_colors = std::map<int, std::array<int, 3>>;

// The colours that the band's raster attribute table gives to single codes; none where it has none but black.
palette_colors table_colors(GDALRasterBand& band);

// Gives `to` the classes that `from` declares by palette, category names or a thematic raster attribute table: palette
// and names where it is the only band and of Byte, else such a table (GDALRasterAttributeTable) with a row for each:
// code, name and, where there are any, red, green, blue. Columns that count cells are left out. Where `from` declares
// none, or the format of `to` keeps no table, nothing happens.
void keep_classes(GDALRasterBand& from, GDALRasterBand& to);

}  // namespace gdalmcp_datasets
