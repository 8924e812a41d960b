// gdalmcp/nodata_range.hpp — the values that mark cells without data. Standard library only; gdal_nodata.hpp reads them
// from a band.
#pragma once
#include <algorithm>
#include <cmath>
#include <iterator>

namespace gdalmcp {

// Values from lowest to highest, or NaN, mark missing cells. DEFAULT: no value does.
struct nodata_range {
    double lowest = 1, highest = 0;
    bool nan = false;

    bool empty() const { return lowest > highest && !nan; }
};

// Values that are never measured and only mark missing cells.
inline bool customary_nodata(double v) { return v == -9999 || v == -99999 || v == -32768 || std::abs(v) >= 3.3999e38; }

// Values that mark missing cells, but occur as data as well: what else is there has to tell.
inline bool possible_nodata(double v) {
    constexpr double known[] = {0, 255, -99, -999, -32767, 9999, 32767, 65535, 99999};
    constexpr double huge = 9.9e19;  // 1e20 and 9.97e36 of netCDF
    return std::find(std::begin(known), std::end(known), v) != std::end(known) || std::abs(v) >= huge;
}

}  // namespace gdalmcp
