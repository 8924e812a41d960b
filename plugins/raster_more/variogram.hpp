// variogram.hpp — how values at points differ with their distance: the experimental semivariogram (Matheron 1963) and a
// model fitted by weighted least squares (Cressie 1985, Fitting variogram models by weighted least squares,
// Mathematical Geology 17, 563–586). Over plain arrays.
#pragma once
#include <optional>

#include "scattered_points.hpp"

namespace gdalmcp_raster_more {

// Pairs of one class of distances.
struct variogram_lag {
    double distance = 0, semivariance = 0;  // means
    std::int64_t pairs = 0;
};

// Up to 15 classes of equal width, up to half of the diagonal of the points' box, those with pairs. Of more than
// `max_points` points every n-th, as they lie in `points`.
std::vector<variogram_lag> experimental(const std::vector<measured_point>& points, std::size_t max_points = 3000);

enum class variogram_shape { spherical, exponential, gaussian };

// Semivariance nugget + (sill - nugget) · f(h / range), 0 at h = 0. range: where spherical reaches the sill, and where
// the others reach 95 % of it.
struct variogram {
    variogram_shape shape = variogram_shape::spherical;
    double nugget = 0, sill = 0, range = 1;
    double at(double h) const;
};

// The model of a shape, or of the shape that fits best, that minimises the sum of pairs · (semivariance / model - 1)².
// Gaussian models have a nugget of at least 1e-4 of the rest of the sill, without which kriging is unstable.
// nullopt: fewer than 3 lags, or all values are the same.
std::optional<variogram> fitted(const std::vector<variogram_lag>& lags, std::optional<variogram_shape> shape);

}  // namespace gdalmcp_raster_more
