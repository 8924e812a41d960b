// gdal_amounts.hpp — whether the values of a band are amounts, which codes and directions are not.
#pragma once
#include <gdalmcp/gdal.hpp>

#include <string>

namespace gdalmcp_raster {

// Warns where a band that is read as amounts holds codes or directions, by the rule of gdalmcp/gdal_kind.hpp, and of an
// undeclared nodata value. path: of its dataset. amount: what a cell is read as, in the singular: "weight".
void warn_of_no_amounts(gdalmcp::call& call, const std::string& path, GDALRasterBand& band, const std::string& amount);

}  // namespace gdalmcp_raster
