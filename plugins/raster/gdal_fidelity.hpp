// gdal_fidelity.hpp — comparison of a written raster with its source: every cell, and the metadata.
#pragma once
#include "gdal_cut.hpp"

namespace gdalmcp_raster {

// Cells, counted over the bands both rasters have.
struct fidelity {
    std::int64_t changed = 0;  // valid in the source, with another value now
    std::int64_t hidden = 0;   // valid in the source, the same value, but without data now
    std::int64_t revived = 0;  // without data in the source, valid now
    bool exact() const { return changed == 0 && hidden == 0 && revived == 0; }
};

// Values are compared as they are stored where both have one data type (64-bit integers, complex numbers and NaN
// included), else as numbers. unscaled: what was written are the real values of the source, by the scale and offset of
// its bands. REQUIRES: the same size.
fidelity compare(GDALDataset& source, GDALDataset& written, const progress& report, bool unscaled = false);

// Facts of the source that the written raster does not have, each as a phrase: "the nodata value of band 2". A
// data type that holds every value of the source's is not one.
std::vector<std::string> lost_facts(GDALDataset& source, GDALDataset& written);

// The last band of the source, alpha, became a mask of the written raster.
bool alpha_became_mask(GDALDataset& source, GDALDataset& written);

// Whether a written file does not hold the scale itself, but GDAL's side file does.
bool scale_is_beside(GDALDataset& written);

}  // namespace gdalmcp_raster
