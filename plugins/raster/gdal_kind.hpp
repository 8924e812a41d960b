// gdal_kind.hpp — whether the values of a band are codes or measurements, and what says which are valid.
#pragma once
#include <gdal_priv.h>

namespace gdalmcp_raster {

enum class kind { classes, continuous };

// Codes of classes and quality bits are classes, by the rule of gdalmcp/gdal_kind.hpp; everything else is continuous.
kind kind_of(GDALRasterBand& band);

// Overview resampling that keeps what the kind means: MODE for classes, AVERAGE for measurements.
const char* overview_resampling(kind k);

// What says which cells are valid: all_valid, nodata, alpha or mask_band.
const char* mask_kind(GDALRasterBand& band);

}  // namespace gdalmcp_raster
