// gdal_reduced_view.hpp — a window of a raster at the size of a picture, with minimal reading.
#pragma once
#include <optional>

#include "gdal_kind.hpp"
#include "gdal_zone_mask.hpp"

namespace gdalmcp_raster {

// The cells of a picture, row by row; NaN = no data.
struct reduced_cells {
    int width = 0, height = 0;
    std::vector<double> cells;
};

// The cost of reading a window, in cells of the file or of the overview read.
struct reduced_plan {
    GDALRasterBand* level = nullptr;  // the band, or its overview
    std::array<double, 4> w{};        // the window in cells of the level: column, row, width, height
    bool thinned = false;             // single cells stand for their surroundings …
    bool too_large = false;           // … as there are too many to average
    std::int64_t cells = 0;           // that have to be decoded
};

// The coarsest overview that is no more than 1.2 times coarser than the picture, as GDAL chooses for itself.
// Measurements are averaged, codes are not; beyond `max_averaged` cells nothing is, as each would be read.
inline constexpr std::int64_t max_averaged = 200'000'000;
reduced_plan plan_of(GDALRasterBand& band, const window& w, int width, int height, kind k);

reduced_cells read(const reduced_plan& plan, GDALRasterBand& band, int width, int height);

// The same picture smaller, without reading again.
reduced_cells smaller(const reduced_cells& from, int width, int height, kind k);

}  // namespace gdalmcp_raster
