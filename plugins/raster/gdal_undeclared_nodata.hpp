// gdal_undeclared_nodata.hpp — values that mark missing cells without being declared, which tools would compute with.
#pragma once
#include <gdalmcp/gdal.hpp>

#include <string>
#include <vector>

namespace gdalmcp_raster {

// Looks at the cells of a band, of a large one at 36 windows spread over it. A sentence for each extreme that looks
// like an undeclared nodata value (value_census); not for 0 and 255 in a band with a palette or class names.
std::vector<std::string> undeclared_nodata(const std::string& path, GDALRasterBand& band);
void warn_of_undeclared_nodata(gdalmcp::call& call, const std::string& path, GDALRasterBand& band);

// The share of the valid cells of a band that hold `value`, looked at likewise; 0 where the value is a customary or
// looks like an undeclared nodata value.
double share_of_data(GDALRasterBand& band, double value);

}  // namespace gdalmcp_raster
