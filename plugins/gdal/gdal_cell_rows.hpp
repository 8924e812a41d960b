// gdal_cell_rows.hpp — the rows of a raster from the top, as numbers.
#pragma once
#include <gdalmcp/gdal.hpp>

#include <vector>

namespace gdalmcp_gdal {

struct cell_row {
    std::vector<std::vector<double>> values;        // [band][column], as stored
    std::vector<std::vector<unsigned char>> valid;  // likewise; 0: no data
};

// Reads row after row of these bands, in this order; refuses complex numbers.
class cell_rows {
public:
    cell_rows(GDALDataset& from, const std::vector<int>& bands);  // REQUIRES: `from` outlives it
    const cell_row& read(int row);

private:
    GDALDataset& from_;
    std::vector<int> bands_;
    cell_row current_;
};

}  // namespace gdalmcp_gdal
