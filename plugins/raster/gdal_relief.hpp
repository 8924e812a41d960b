// gdal_relief.hpp — the cells of an elevation model in the unit of its heights, and the measures of the gdaldem program
// on a block of it.
#pragma once
#include <gdalmcp/gdal_blocks.hpp>

#include "datasets/gdal_grid.hpp"
#include "relief.hpp"

namespace gdalmcp_raster {

using namespace gdalmcp_datasets;

// The size of the cells of each row, in height units, and what was assumed or corrected for it.
struct relief_ground {
    std::vector<relief_cell> rows;  // one for all rows, or one a row
    double z_factor = 1;            // by which heights were multiplied to the unit of the cells, metres if geographic
    std::vector<std::string> notes;
    bool same() const { return rows.size() == 1; }
    const relief_cell& of(int row) const { return rows[same() ? 0 : static_cast<std::size_t>(row)]; }
};

// Metres of the unit of the heights. Assumed to be metres, with a note, where neither the file nor its CRS hints at
// another; else fails the call, naming 'z_factor'.
double height_metres(const std::string& path, const grid& on, GDALRasterBand& heights, std::vector<std::string>& notes);

// From the units of CRS and heights, or from z_factor, as above. Planar for a projected CRS that is true within 1 %
// here; else the true size of each row, along the middle column. Fails the call where a unit is missing that matters,
// naming the argument that states it, and where lengths differ by more than 5 % along a row.
relief_ground ground_of(const std::string& path, const grid& on, GDALRasterBand& heights,
                        std::optional<double> z_factor);
// The same where only the ratio of width to height matters.
relief_ground shapes_of(const std::string& path, const grid& on);

// A measure of gdaldem besides slope and aspect, with its own arguments.
struct gdaldem_measure {
    std::string mode;  // hillshade, TRI, TPI, roughness
    std::vector<std::string> arguments;
};

// Float32 with -9999, or Byte with 0, where there is no result.
GDALDataType relief_type(const std::string& mode);

// Computes the block into its output 0 from its input 0, whose halo is 1. type: of the input's cells, Byte, Int16,
// UInt16 or Float32, by which gdaldem chooses its arithmetic; nodata: the value of missing cells unless they are
// Float32.
void compute(const gdaldem_measure& m, const gdalmcp::gdal::block& at, const grid& on, const relief_ground& ground,
             GDALDataType type, std::optional<double> nodata);

// gdaldem's hillshade of a whole grid, light from the north-west at 45 degrees, edges included: 1 to 255, level ground
// `level_light`; 0 where the height is the lowest float, which means no data. cell: in height units.
inline constexpr double level_light = 181;
std::vector<unsigned char> hillshade_of(const std::vector<float>& heights, int width, int height,
                                        const relief_cell& cell);

}  // namespace gdalmcp_raster
