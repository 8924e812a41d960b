// gdal_raster.hpp — rasters on disk as plain grids.
//
// Grids are always north-up: a south-up raster is turned while reading and turned back while writing, so that the
// output lies on the very grid of the input.
#pragma once
#include <string>

#include <gdalmcp/gdal_cell_area.hpp>

#include "cell_sizes.hpp"
#include "datasets/gdal_grid.hpp"
#include "datasets/gdal_height_unit.hpp"
#include "footprint.hpp"
#include "strips.hpp"
#include "tiling.hpp"

namespace gdalmcp_hydrology {

// Of the band with the contributions that hydro_flow_accumulation adds up.
inline constexpr const char* accumulation_name = "flow accumulation";

// The values of a raster, and 1 where they are finite and the file does not mask them.
template <class T>
struct valid_values {
    grid<T> values;
    grid<std::uint8_t> valid;
};

// One band of an opened raster, with the meaning of its numbers.
class gdal_raster {
public:
    // band: from 1; nothing = the only one. Fails the call on several bands and none named, on complex or 64-bit
    // integers, on a grid that is rotated, mirrored or has no geotransform.
    gdal_raster(const gdalmcp::raster& source, std::optional<std::int64_t> band);

    // Restricts the raster to its middle, at most `side` rows and columns.
    void keep_middle(std::size_t side);

    const std::string& path() const { return path_; }
    shape extent() const;
    GDALDataType type() const;
    const gdalmcp_datasets::grid& on() const { return on_; }    // as in the file
    const OGRSpatialReference& crs() const { return on_.crs; }  // empty when the raster has none
    const std::array<double, 6>& geotransform() const { return on_.geotransform; }
    bool south_up() const { return on_.geotransform[5] > 0; }
    std::string tag(const char* key) const;  // dataset metadata, "" when absent
    double scale() const;                    // real value = stored * scale + offset
    GDALRasterBand& band() const { return *band_; }

    std::string height_unit() const;

    // x, y of a cell's centre in the raster's CRS; (row, column) of the north-up grid.
    std::array<double, 2> centre(std::size_t row, std::size_t column) const;
    std::string cell_text(std::size_t index) const;  // "column 3, row 7 (x 500035, y 4649925)", row as in the file

    template <class T>
    valid_values<T> read(const progress& tick) const;
    // Of a tile of the north-up grid.
    template <class T>
    valid_values<T> read_tile(const placed_tile& tile) const;
    // The same row by row, from north to south: visit(row, values, valid), where valid is 0 also for values that are
    // not finite. Of a large raster they are visited in another thread.
    template <class T>
    using row_visit = std::function<void(std::size_t, const T*, const std::uint8_t*)>;
    template <class T>
    void read_rows(const progress& tick, const row_visit<T>& visit) const {
        read_rows_of(band_->GetBand(), tick, visit);
    }
    // Of another band of the file, whose number is given.
    template <class T>
    void read_rows_of(int number, const progress& tick, const row_visit<T>& visit) const;

    // Fails the call when the band cannot hold heights: flow directions, their accumulation, a palette (class codes),
    // or a scale that inverts them.
    void require_heights() const;

    // Fails the call unless `other` lies on the same grid.
    void require_same_grid(const gdal_raster& other) const;

private:
    void read_place();
    template <class T>
    void read_window(GDALRasterBand& source, const placed_tile& window, T* values, std::uint8_t* valid) const;

    bool readable_side_by_side() const;  // by several threads, each with a dataset of its own

    std::string path_;
    gdalmcp::gdal::dataset_ptr whole_;  // if only the middle is kept: the dataset file_ is a view of, closed after it
    gdalmcp::gdal::dataset_ptr file_;
    GDALRasterBand* band_ = nullptr;
    gdalmcp_datasets::grid on_;
};

// All threads that the call may work on.
inline team whole_team() {
    const auto threads = gdalmcp::gdal::threads_of_call();
    return {.threads = threads < 2 ? 0 : threads};
}

struct true_sizes {
    cell_sizes sizes;
    std::string note;  // the assumption or correction; "" if the grid's own sizes hold
};

// Metres and square metres of the raster's cells: for a projected CRS whose lengths and areas are within 1 % of true
// the map's lengths, else those of each row on the ellipsoid; areas by row on the ellipsoid (geographic grids in closed
// form, others measured along the middle column).
true_sizes measure_cells(const gdal_raster& raster);

// Specific catchment area takes the square root of a cell's area for the width of its contour, whatever the direction
// of flow: warns where cells are not square.
void warn_of_contour_width(gdalmcp::call& call, const gdal_raster& raster, const cell_sizes& sizes);

// The true area of single cells, in m²: on the ellipsoid, also where a projection's areal scale varies along a row.
class true_areas {
public:
    // `sizes` holds where the ellipsoid is unknown; it must outlive this.
    true_areas(const gdal_raster& raster, const cell_sizes& sizes);
    // Of a cell of the raster's grids.
    double of(std::size_t row, std::size_t column) const;
    double of(std::size_t index) const { return of(extent_.row(index), extent_.column(index)); }
    // Of every cell.
    grid<double> of_all(const team& by) const;

private:
    const cell_sizes& sizes_;
    shape extent_;
    bool south_up_;
    std::optional<gdalmcp::gdal::cell_areas> on_ellipsoid_;
};

using gdalmcp_datasets::metres_of;

// Keeps GDAL's cache of blocks below this many bytes, for work that reads and writes each block once or twice.
void limit_block_cache(std::int64_t bytes);
// To what rasters as wide as this one need that are read and written once, row by row.
void limit_block_cache_to_rows(const gdal_raster& raster);

// Calls work(T{}) with the C++ type of a band type that gdal_raster admits.
template <class Work>
decltype(auto) with_type(GDALDataType type, Work&& work) {
    switch (type) {
        case GDT_Byte:
            return work(std::uint8_t{});
        case GDT_Int16:
            return work(std::int16_t{});
        case GDT_UInt16:
            return work(std::uint16_t{});
        case GDT_Int32:
            return work(std::int32_t{});
        case GDT_UInt32:
            return work(std::uint32_t{});
        case GDT_Float32:
            return work(float{});
        default:
            return work(double{});
    }
}

template <class T>
constexpr GDALDataType gdal_type() {
    if constexpr (std::is_same_v<T, std::uint8_t>) return GDT_Byte;
    if constexpr (std::is_same_v<T, std::int16_t>) return GDT_Int16;
    if constexpr (std::is_same_v<T, std::uint16_t>) return GDT_UInt16;
    if constexpr (std::is_same_v<T, std::int32_t>) return GDT_Int32;
    if constexpr (std::is_same_v<T, std::uint32_t>) return GDT_UInt32;
    if constexpr (std::is_same_v<T, float>) return GDT_Float32;
    return GDT_Float64;
}

}  // namespace gdalmcp_hydrology
