// gdal_resampling_doubts.hpp — what a resampling computes with and from that may make its numbers wrong: missing cells
// taken for values, and fractions that the data type cannot hold.
#pragma once
#include <gdalmcp/gdal_kind.hpp>

#include <string>
#include <vector>

namespace gdalmcp_raster {

// Whether a method makes new values of those there are; nearest, mode, min and the like choose one of them.
bool computes_values(const std::string& method);

// Whether what a method makes of values of a kind is what they mean: of codes arithmetic, of angles means, of totals
// anything but their sum, of levels the sum. A sentence, or "". path: of the band's dataset. method: in our names.
std::string doubt_of_method(const std::string& path, GDALRasterBand& band, const gdalmcp::gdal::band_kind& kind,
                            const std::string& method);

// What GDAL's med, q1 and q3 of an even number of cells are; "" for other methods.
std::string note_of_ranks(const std::string& method);

// Warns of a band of whole numbers whose values in `result`, the resampled band, lie so close together that rounding
// changes them by a hundredth of their range or more. `path`: of the source, for the text.
void warn_of_rounding(gdalmcp::call& call, const std::string& path, GDALRasterBand& source, const std::string& method,
                      GDALRasterBand& result);

// The same for a method that computes values, and of bands (numbers from 1) of `source` with an undeclared nodata
// value.
void warn_of_resampling(gdalmcp::call& call, const std::string& path, GDALDataset& source,
                        const std::vector<int>& bands, const std::string& method, GDALDataset& result);

// The same of overviews: undeclared nodata values and directions. how: GDAL's name of the method.
void warn_of_overviews(gdalmcp::call& call, const std::string& path, GDALDataset& source, const std::string& how);

}  // namespace gdalmcp_raster
