// significant.hpp — numbers with as many digits as they are accurate to.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace gdalmcp_raster {

// digits: significant ones; of shares six, of areas nine.
inline double rounded(double v, int digits) {
    if (v == 0 || !std::isfinite(v)) return v;
    char text[40];
    std::snprintf(text, sizeof text, "%.*g", digits, v);
    return std::strtod(text, nullptr);
}

}  // namespace gdalmcp_raster
