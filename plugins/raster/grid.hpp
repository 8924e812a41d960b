// grid.hpp — where the cells of a raster lie: size, geotransform and CRS of a dataset.
#pragma once
#include <gdalmcp/gdal_geometry.hpp>

namespace gdalmcp_raster {

struct grid {
    int width = 0, height = 0;
    std::array<double, 6> geotransform{0, 1, 0, 0, 0, 1};  // GDAL's order: x0, dx/col, dx/row, y0, dy/col, dy/row
    bool georeferenced = false;                            // the geotransform was found in the data
    OGRSpatialReference crs;                               // x first; empty = none

    // The same in affine order a b c d e f: x = a col + b row + c, y = d col + e row + f.
    std::vector<double> affine() const;
    // The smallest box around all cells, in crs.
    OGREnvelope extent() const;
    // Length of a cell's sides in the units of crs.
    double cell_width() const;
    double cell_height() const;
    bool rotated() const;
    bool south_up() const { return !rotated() && geotransform[5] > 0; }
};

grid grid_of(GDALDataset& dataset);

// Opens a raster; of a file with several subdatasets (netCDF variables, …) the named one. None named: refused with the
// list.
gdalmcp::gdal::dataset_ptr open_raster(const gdalmcp::raster& raster, const std::optional<std::string>& subdataset);

// The same as the file stores it, for a description of the file: see gdalmcp::gdal::open_stored.
gdalmcp::gdal::dataset_ptr open_stored_raster(const gdalmcp::raster& raster,
                                              const std::optional<std::string>& subdataset);

// Names of the subdatasets of a file, as 'subdataset' takes them: the part after the file's path.
std::vector<std::string> subdataset_names(GDALDataset& dataset);

// The band numbers asked for (from 1), all when none; refused when there is no such band or one is asked for twice.
std::vector<int> band_numbers(GDALDataset& dataset, const std::optional<std::vector<std::int64_t>>& asked);

// "Int16" …; and whether every value of the type is whole.
inline const char* dtype_name(GDALDataType t) { return GDALGetDataTypeName(t); }
inline bool whole_numbers(GDALDataType t) { return GDALDataTypeIsInteger(t) != 0; }

}  // namespace gdalmcp_raster
