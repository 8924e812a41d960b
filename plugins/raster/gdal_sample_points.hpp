// gdal_sample_points.hpp — samples at given points, and where samples lie.
#pragma once
#include <gdalmcp/gdal_transformation.hpp>

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "datasets/gdal_grid.hpp"
#include "statistics.hpp"

namespace gdalmcp_raster {

using namespace gdalmcp_datasets;

// One row of a sample.
struct sample_row {
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    std::int64_t point = 0;                          // FID of the point; only of given points
    std::optional<cell_place> cell;                  // nullopt: outside the raster
    double x = unknown, y = unknown;                 // in the CRS of the raster: centre of the cell, or the point
    double longitude = unknown, latitude = unknown;  // degrees of WGS 84, -180 to 180
    std::int64_t stratum = 0;
    std::vector<std::optional<double>> values;  // by band; nullopt: nodata or outside
};

// The cell that holds a place: edges belong to the cell with the greater column or row, so that the last ones of the
// raster are outside. Longitudes are tried in every turn around the Earth. x, y: in the CRS of the grid.
std::optional<cell_place> cell_of(const grid& on, double x, double y);

// x and y of the centre of a cell.
std::array<double, 2> centre_of(const grid& on, const cell_place& cell);

// Fills in longitude and latitude where the raster has a CRS.
void locate(const OGRSpatialReference& crs, std::vector<sample_row>& rows);

// The points of a layer in its order; of multipoints each. Features without geometry have a row without a place.
// Refused, naming the feature: lines and polygons, with the hint `instead`; more than a million points. say:
// assumptions and warnings.
std::vector<sample_row> rows_at_points(OGRLayer& layer, const grid& on, const std::string& instead,
                                       const std::function<void(double)>& progress,
                                       const std::function<void(const std::string&)>& say);

}  // namespace gdalmcp_raster
