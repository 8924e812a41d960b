// gdal_kind.hpp — whether the values of a band are codes or measurements, and how valid cells are marked.
#pragma once
#include <gdal_priv.h>

#include <string>

namespace gdalmcp_raster {

enum class kind { classes, continuous };

// Codes of classes and quality bits are classes, by the rule of gdalmcp/gdal_kind.hpp; everything else is continuous.
kind kind_of(GDALRasterBand& band);

// Whether a mean of two cells may be a value without meaning: classes, and few whole numbers that nothing tells from
// codes.
bool may_hold_codes(GDALRasterBand& band);

// Overview resampling suited to a band: MODE where it may hold codes, AVERAGE for measurements.
const char* overview_resampling(GDALRasterBand& band);

// A method in GDAL's spelling: cubic_spline -> CUBICSPLINE.
std::string gdal_spelling(const std::string& method);

// How valid cells are marked: all_valid, nodata, alpha or mask_band.
const char* mask_kind(GDALRasterBand& band);

}  // namespace gdalmcp_raster
