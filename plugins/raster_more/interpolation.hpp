// interpolation.hpp — a value between scattered points, by inverse distance (Shepard 1968) or ordinary kriging
// (Matheron 1963; Cressie 1993, Statistics for Spatial Data, section 3.2), from the nearest points. Over plain arrays.
#pragma once
#include "variogram.hpp"

namespace gdalmcp_raster_more {

struct estimate {
    double value = 0, variance = 0;  // variance: of kriging, else 0
};

// Weights 1 / distance^power of the neighbours, by distance, at least one; the value of a point at distance 0.
double inverse_distance(const std::vector<measured_point>& points, const std::vector<neighbour>& near, double power);

// Memory that calls of one thread share.
struct kriging_scratch {
    std::vector<double> matrix, right;
};

// At (x, y), from the neighbours, at least one. Exact at points. nullopt: the points leave the system singular.
std::optional<estimate> krige(const std::vector<measured_point>& points, const std::vector<neighbour>& near,
                              const variogram& v, kriging_scratch& scratch);

}  // namespace gdalmcp_raster_more
