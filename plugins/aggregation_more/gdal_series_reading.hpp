// gdal_series_reading.hpp — the values of places in every observation. Only blocks that hold a place are read.
#pragma once
#include "aggregation/zone_statistics.hpp"
#include "gdal_series_cells.hpp"
#include "gdal_series_places.hpp"
#include "place_series.hpp"

namespace gdalmcp_aggregation_more {

// Each point has the value of its cell. Memory: the cells of one block, at most 2^22, beside GDAL's cache.
place_series read_at_points(series_cells& cells, const series_points& points,
                            const std::function<void(double)>& progress);

// Each polygon has the statistic of its cells, by the share of each it covers. The coverage serves as many observations
// as fit in memory at once, in general all; see zonal_sweep.hpp. A polygon without a value has one where the statistic
// is count: 0. Refused: polygons that hold more different values than fit in memory for a median.
place_series read_in_zones(series_cells& cells, const series_zones& zones, const gdalmcp_aggregation::zone_grid& raster,
                           gdalmcp_aggregation::statistic what, const std::function<void(double)>& progress);

}  // namespace gdalmcp_aggregation_more
