// gdal_grid_output.hpp — plain grids to rasters on disk.
#pragma once
#include <string>

#include "datasets/gdal_output.hpp"
#include "gdal_raster.hpp"

namespace gdalmcp_hydrology {

// A raster being written on the grid of another; of heights with its vertical CRS, else without.
class gdal_output : public gdalmcp_datasets::raster_output {
public:
    gdal_output(const std::string& path, const gdal_raster& like, GDALDataType type, int bands, bool heights = false);

    template <class T>
    void write(int number, const grid<T>& values, const progress& tick);
    // The same row by row: fill(row, values), row 0 the northernmost. They are asked for in the order of the file, of
    // a large raster in another thread.
    template <class T>
    void write_rows(int number, const progress& tick, const std::function<void(std::size_t, T*)>& fill);
    // A tile of the north-up grid.
    template <class T>
    void write(int number, const placed_tile& tile, const grid<T>& values);

private:
    // window: of the north-up grid, and so are `values`.
    template <class T>
    void write_window(int number, const placed_tile& window, const T* values);

    std::string path_;
    bool south_up_;
};

}  // namespace gdalmcp_hydrology
