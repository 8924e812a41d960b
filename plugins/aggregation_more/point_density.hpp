// point_density.hpp — kernel density of weighted points in a plane, over plain arrays.
//
// Kernels and the constants of the reference bandwidth: B. W. Silverman, "Density Estimation for Statistics and Data
// Analysis", 1986, section 4.2 and table 4.1; the rule for two dimensions: D. W. Scott, "Multivariate Density
// Estimation", 1992, section 6.5.2.
#pragma once
#include <cstddef>
#include <vector>

namespace gdalmcp_aggregation_more {

struct weighted_point {
    double x = 0, y = 0, weight = 1;  // metres
};

// Each integrates to 1. The bandwidth is the radius of the quartic (biweight) and uniform kernels and the standard
// deviation of the Gaussian one.
enum class kernel_shape { quartic, gaussian, uniform };

// How far a kernel of bandwidth 1 reaches. The Gaussian one is cut where 4e-6 of it lie outside.
double kernel_reach(kernel_shape shape);

// The bandwidth that estimates a normal distribution with the smallest error: c · σ · n^(-1/6), σ² the mean of the
// variances of x and y, n = (Σw)²/Σw², c = 1 (Gaussian), 2.7793 (quartic), 2 (uniform). 0 where all points share a
// place.
double reference_bandwidth(const std::vector<weighted_point>& points, kernel_shape shape);

// Cell (i, j) of a window has its centre at (x + i · cell, y − j · cell).
struct density_window {
    double x = 0, y = 0, cell = 0;  // metres
    int width = 0, height = 0;
};

// Does not change once made, so threads may share it.
class point_density {
public:
    // REQUIRES: bandwidth > 0; finite points.
    point_density(std::vector<weighted_point> points, kernel_shape shape, double bandwidth);

    // Weight per m² at the centres of the cells, row by row. A cell has the same value, to the last bit, in every
    // window.
    void fill(const density_window& cells, double* out) const;

    double reach() const { return reach_; }  // m

private:
    struct room;
    void add(const weighted_point& p, const density_window& cells, room& r, double* out) const;

    std::vector<weighted_point> points_;  // by y, then x
    kernel_shape shape_;
    double bandwidth_, reach_;
};

}  // namespace gdalmcp_aggregation_more
