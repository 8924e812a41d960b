// flow_index.hpp — measures of a cell by where its water goes and where it comes from.
//
// A. Rennó et al.: "HAND, a new terrain descriptor using SRTM-DEM", Remote Sensing of Environment 112 (2008);
// K. Beven, M. Kirkby: "A physically based, variable contributing area model of basin hydrology", Hydrological Sciences
// Bulletin 24 (1979), for the wetness index; I. Moore, R. Grayson, A. Ladson: "Digital terrain modelling",
// Hydrological Processes 5 (1991), for stream power.
//
// All results are NaN where there is no terrain, or no value. directions: values of `direction`; flow_loop is thrown.
#pragma once
#include "hydrology/cell_sizes.hpp"
#include "hydrology/flow_path.hpp"

namespace gdalmcp_hydrology_more {

using namespace gdalmcp_hydrology;

// Height of each cell above the first channel cell its flow reaches, units of `heights`; 0 in channels, negative where
// flow climbs (heights that were not conditioned). channels: not 0 where there is one.
grid<double> height_above_channel(const grid<std::uint8_t>& directions, const grid<double>& heights,
                                  const grid<std::uint8_t>& channels, const progress& tick = {});

// Metres along the flow to the first channel cell, or where `channels` is empty, to the last cell of the path.
grid<double> flow_length(const grid<std::uint8_t>& directions, const cell_sizes& sizes,
                         const grid<std::uint8_t>& channels, const progress& tick = {});

// Drop per metre towards the receiver, heights and sizes in metres; where the flow leaves the terrain, from the cell on
// the other side. NaN where that has none either, or the flow ends.
double flow_slope(const grid<std::uint8_t>& directions, const grid<double>& heights, const cell_sizes& sizes,
                  std::size_t cell);

// ln(a / tan b) and a tan b, of the specific catchment area a in m and the slope tan b > 0.
double wetness(double area, double slope);
double stream_power(double area, double slope);

}  // namespace gdalmcp_hydrology_more
