// gdalmcp/ellipsoid.hpp — lengths and areas on an ellipsoid of revolution, the shape of a CRS's Earth. Header-only,
// standard library only.
//
// J. Snyder: "Map Projections: A Working Manual", USGS Professional Paper 1395 (1987). Angles are radians, lengths m.
#pragma once
#include <array>
#include <cmath>

namespace gdalmcp {

struct ellipsoid {
    double a, e2;  // semi-major axis in m, first eccentricity squared

    // inverse_flattening 0 = sphere.
    ellipsoid(double semi_major, double inverse_flattening) : a{semi_major} {
        const double f = inverse_flattening > 0 ? 1 / inverse_flattening : 0;
        e2 = f * (2 - f);
    }

    // Radius of the parallel at a latitude: m per radian of longitude. Eq. 4-20 times cos(latitude).
    double parallel_radius(double latitude) const {
        const double s = std::sin(latitude);
        return a * std::cos(latitude) / std::sqrt(1 - e2 * s * s);
    }
    // Radius of curvature in the meridian: m per radian of latitude. Eq. 4-18.
    double meridian_radius(double latitude) const {
        const double s = std::sin(latitude);
        return a * (1 - e2) / std::pow(1 - e2 * s * s, 1.5);
    }
    // m² between the equator and a latitude, per radian of longitude. Eq. 3-12 times a² / 2.
    double zone_area(double latitude) const {
        const double s = std::sin(latitude), e = std::sqrt(e2);
        return e == 0 ? a * a * s : a * a * (1 - e2) / 2 * (s / (1 - e2 * s * s) + std::atanh(e * s) / e);
    }
    // Geocentric: the one frame without a pole or an antimeridian.
    std::array<double, 3> point(double longitude, double latitude) const {
        const double s = std::sin(latitude), c = std::cos(latitude), n = a / std::sqrt(1 - e2 * s * s);
        return {n * c * std::cos(longitude), n * c * std::sin(longitude), n * (1 - e2) * s};
    }
};

}  // namespace gdalmcp
