// curvature.hpp — curvatures of a surface from the 3 × 3 heights around each cell, over plain arrays.
//
// Formulas as in Minár, J., Evans, I. S. and Jenčo, M. (2020), A comprehensive system of definitions of land surface
// (topographic) curvatures, Earth-Science Reviews 211, 103414. Derivatives of the quadratic of Evans (1980) or the
// partial quartic of Zevenbergen & Thorne (1987).
#pragma once
#include <cstddef>

namespace gdalmcp_raster_more {

enum class curvature { profile, plan, tangential, mean, gaussian };
enum class quadratic { evans, zevenbergen_thorne };

// Three rows of heights around the cells 0 to count - 1 of the middle one; each has cells -1 and count.
struct curved_rows {
    const double *above, *here, *below;  // from north to south
    std::size_t count = 0;
};

// 1 / unit of the heights, gaussian 1 / unit²; width and height: of a cell, in that unit. Positive where the surface is
// convex (a hill); NaN of profile, plan and tangential on level ground, where no direction is downhill.
void curve(curvature what, quadratic by, const curved_rows& rows, double width, double height, double* out);

}  // namespace gdalmcp_raster_more
