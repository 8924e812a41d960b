// gdal_undeclared_nodata.hpp — values that mark missing cells without being declared, which tools would compute with.
#pragma once
#include <gdalmcp/gdal.hpp>

#include <functional>
#include <string>
#include <vector>

namespace gdalmcp_raster {

// Looks at the cells of a band, of a large one at 36 windows spread over it. A sentence for each extreme that looks
// like an undeclared nodata value (value_census); not for 0 and 255 in a band that declares classes.
std::vector<std::string> undeclared_nodata(const std::string& path, GDALRasterBand& band);
// taken_out: whether the tool is asked to leave out cells of this real value (scale and offset applied), which need no
// warning then. name: what an expression calls the band.
void warn_of_undeclared_nodata(gdalmcp::call& call, const std::string& path, GDALRasterBand& band,
                               const std::function<bool(double)>& taken_out = {}, const std::string& name = "A");

struct band_at_path {
    std::string path;
    GDALRasterBand* band;
};

// Of bands that are computed with together, such as those of several times: one warning for each value, by the first
// band that has it, with the number of bands. A value that may be data, such as 0, is data where it is in the range of
// another band without standing apart there. masked: values that the call takes out, which need no warning. Of many
// large bands each is looked at in 9 windows instead of 36.
void warn_of_undeclared_nodata(gdalmcp::call& call, const std::vector<band_at_path>& bands,
                               const std::vector<double>& masked);

// The share of the valid cells of a band that hold `value`, looked at likewise; 0 where the value is a customary or
// looks like an undeclared nodata value.
double share_of_data(GDALRasterBand& band, double value);

}  // namespace gdalmcp_raster
