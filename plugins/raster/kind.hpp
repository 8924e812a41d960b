// kind.hpp — whether the values of a band are codes of classes or measurements, and what says which are valid.
#pragma once
#include <gdal_priv.h>

#include <cstddef>
#include <vector>

namespace gdalmcp_raster {

enum class kind { classes, continuous };

// Certain from a palette, category names or an attribute table with classes, and for floating point; else whole numbers
// are classes when at most 64 different ones occur and under half of the differing neighbours differ by 1. Looks at up
// to nine blocks of the band.
kind kind_of(GDALRasterBand& band);

// The rule for whole numbers, over rows of a block; cells with valid 0 count as no neighbour.
bool looks_like_classes(const std::vector<double>& cells, const std::vector<unsigned char>& valid, std::size_t columns);

// Overview resampling that keeps what the kind means: MODE for classes, AVERAGE for measurements.
const char* overview_resampling(kind k);

// What says which cells are valid: all_valid, nodata, alpha or mask_band.
const char* mask_kind(GDALRasterBand& band);

}  // namespace gdalmcp_raster
