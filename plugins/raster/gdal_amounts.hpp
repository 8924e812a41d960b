// gdal_amounts.hpp — whether the values of a band are amounts, which codes and directions are not.
#pragma once
#include <gdalmcp/gdal_kind.hpp>

#include <string>

namespace gdalmcp_raster {

// Warns where a band that is read as amounts holds codes or directions, by the rule of gdalmcp/gdal_kind.hpp, and of an
// undeclared nodata value. path: of its dataset. amount: what a cell is read as, in the singular: "weight".
void warn_of_no_amounts(gdalmcp::call& call, const std::string& path, GDALRasterBand& band, const std::string& amount);

// Warns where the band declares angles or logarithms, whose mean is not what it seems. name: of the band, for the text.
void warn_of_no_mean(gdalmcp::call& call, const std::string& name, GDALRasterBand& band);

// Warns where whole numbers, from the least to the greatest, look like codes that nothing declares.
void warn_of_likely_codes(gdalmcp::call& call, const std::string& name, GDALRasterBand& band, double least,
                          double greatest);

// Whether a value belongs to a place and not to a cell, as heights, shares, densities and temperatures do: their sum
// grows with the number of cells. The units are those of the check sum_of_levels in reflection-specs/aggregation.yaml.
bool is_level(const gdalmcp::gdal::band_kind& kind, const std::string& unit);

// Whether a unit is of logarithms, whose mean is not that of the amounts: decibels, pH. As in the check
// mean_of_logarithms there.
bool is_logarithm(const std::string& unit);

// What the sum of levels means; "" of other values.
std::string sum_of_levels(const std::string& path, GDALRasterBand& band);
void warn_of_sum_of_levels(gdalmcp::call& call, const std::string& path, GDALRasterBand& band);

}  // namespace gdalmcp_raster
