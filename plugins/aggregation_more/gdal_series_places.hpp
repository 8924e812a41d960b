// gdal_series_places.hpp — the places of a series, points or polygons, on the grid of its rasters.
#pragma once
#include <functional>

#include "aggregation/gdal_zones.hpp"
#include "raster/gdal_sample_points.hpp"

namespace gdalmcp_aggregation_more {

inline const std::string outside_problem = "it lies outside the rasters";

struct series_place {
    std::string id;
    std::string problem;  // why it has no values; "" = none known
};

struct series_points {
    std::vector<series_place> places;
    std::vector<std::optional<gdalmcp_raster::cell_place>> cells;  // nullopt: outside the grid, or no geometry
};

struct series_zones {
    std::vector<series_place> places;
    std::vector<gdalmcp_aggregation::zone> outlines;
    std::vector<double> in_cells;                    // as in placed_zone
    std::vector<gdalmcp_aggregation::window> where;  // the cells it may cover; empty: outside the grid, or no outline
};

// Whether the features are points, else polygons. Refused, naming features: anything else, both in one layer, and none
// with a geometry.
bool holds_points(const gdalmcp_aggregation::place_layer& layer, const std::function<void(double)>& progress);

// REQUIRES: holds_points(). Refused: features of several points, and points that are all outside.
series_points points_on(const gdalmcp_aggregation::place_layer& layer, const gdalmcp_aggregation::zone_grid& raster,
                        const std::function<void(double)>& progress);

// REQUIRES: not holds_points(). Refused: polygons that are all outside, or all invalid. After it, the warnings of
// `layer` are complete.
series_zones zones_on(gdalmcp_aggregation::zone_layer& layer, const gdalmcp_aggregation::zone_grid& raster,
                      const std::function<void(double)>& progress);

}  // namespace gdalmcp_aggregation_more
