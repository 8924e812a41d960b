// distortion.hpp — distortion of areas, angles and lengths by a map projection, from its scale at single points.
//
//     indicatrix{2.0, 0.5}.areal() == 1;  indicatrix{2.0, 0.5}.angular_degrees() == 73.7…
//
// J. Snyder: "Map Projections: A Working Manual", USGS Professional Paper 1395 (1987), chapter 4 (Tissot's indicatrix).
#pragma once
#include <gdalmcp/ellipsoid.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace gdalmcp_raster {

// The image on the map of a small circle of radius 1 on the ground.
struct indicatrix {
    double longest = 1, shortest = 1;  // semi-axes a >= b > 0: the length scales in any direction lie between them

    double areal() const { return longest * shortest; }  // map area / true area
    double angular_degrees() const;                      // greatest change of an angle: 2 asin((a - b) / (a + b))
};

// nullopt where the map has no scale: a factor is not finite, not positive, or above a hundred thousand, the rounded
// form of an infinite scale, as at the poles of Mercator.
std::optional<indicatrix> indicatrix_of(double longest, double shortest);

// Over a region; the lists of points and weights have equal length.
struct distortion {
    double areal_mean = 0;  // map area / true area of the whole region, when weights are true areas
    double areal_min = 0, areal_max = 0;
    double angular_max = 0;            // degrees
    double shortest = 0, longest = 0;  // length scales
    std::size_t points = 0;            // that have a scale; all figures are of these, and 0 when there is none
    std::size_t undefined = 0;         // that have none
};

// Greatest |scale - 1| of areas and of lengths: what a measure on the map is wrong by, at most.
double greatest_departure(const distortion& d);

distortion summarise(const std::vector<std::optional<indicatrix>>& at, const std::vector<double>& weights);

// Points of [0, 1], both ends among them, and weights that add up to 1.
struct nodes {
    std::vector<double> at, weights;
};
// 5 points. Integrates cubic functions exactly.
nodes simpson_nodes();
// The middles of n equal parts, and the ends without weight: for functions that grow without limit at an end, as the
// scale of Mercator does at a pole.
nodes midpoint_nodes(std::size_t n);

// True area per degree squared at a latitude (degrees), in units of the equator's.
double relative_area(double latitude, const gdalmcp::ellipsoid& earth);

// Lengths of one degree of longitude and of latitude in metres at a latitude (degrees).
struct degree_size {
    double longitude, latitude;
};
degree_size degree_at(double latitude, const gdalmcp::ellipsoid& earth);

}  // namespace gdalmcp_raster
