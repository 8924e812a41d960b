// relief.hpp — slope and aspect of rows of heights, from the 3 × 3 cells around each, over plain arrays.
//
// Horn, B. K. P. (1981), Hill shading and the reflectance map, Proc. IEEE 69(1), 14–47; Zevenbergen, L. W. and Thorne,
// C. R. (1987), Quantitative analysis of land surface topography, Earth Surf. Process. Landf. 12, 47–56. With the
// arithmetic of the gdaldem program, whose results these equal bit by bit where its assumptions hold: cell sizes that
// are the same everywhere, and for the aspect square cells.
#pragma once
#include <cstddef>

namespace gdalmcp_raster {

enum class gradient { horn, zevenbergen_thorne };

// Three rows of heights around the cells 0 to count - 1 of the middle one; each has cells -1 and count.
struct relief_rows {
    const float *above, *here, *below;
    std::size_t count = 0;
};

// Width and height of a cell, in the unit of the heights. height < 0: `below` is the row of lower y, as in gdaldem's
// geotransforms; > 0 on a south-up grid.
struct relief_cell {
    double width = 1, height = -1;
};

// Degrees from the horizontal, or percent (100 × rise over run).
void slope(const relief_rows& rows, const relief_cell& cell, gradient by, bool percent, float* out);

// Degrees clockwise from north that the slope faces, 0 ≤ aspect < 360; `flat` for level cells.
void aspect(const relief_rows& rows, const relief_cell& cell, gradient by, float flat, float* out);

}  // namespace gdalmcp_raster
