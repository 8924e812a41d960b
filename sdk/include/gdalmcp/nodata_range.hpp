// gdalmcp/nodata_range.hpp — the values that mark cells without data. Standard library only; gdal_nodata.hpp reads them
// from a band.
#pragma once
#include <cmath>

namespace gdalmcp {

// Values from lowest to highest, or NaN, mark missing cells. DEFAULT: no value does.
struct nodata_range {
    double lowest = 1, highest = 0;
    bool nan = false;

    bool empty() const { return lowest > highest && !nan; }
};

}  // namespace gdalmcp
