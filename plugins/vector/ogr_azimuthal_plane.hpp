// A plane in metres around a place on the ellipsoid: the azimuthal equidistant projection, by PROJ's geodesics.
#pragma once
#include <geodesic.h>

#include <cmath>

namespace gdalmcp_vector {

struct plane_point {
    double x = 0, y = 0;
};

// Distances from the centre are true. Angles in degrees. Source: Snyder
// 1987, chapter 25; Karney 2013.
class azimuthal_plane {
public:
    // REQUIRES: `ellipsoid` outlives the plane.
    azimuthal_plane(const geod_geodesic& ellipsoid, double longitude, double latitude)
        : ellipsoid_{ellipsoid}, longitude_{longitude}, latitude_{latitude} {}

    plane_point forward(double longitude, double latitude) const {
        double distance = 0, azimuth = 0;
        geod_inverse(&ellipsoid_, latitude_, longitude_, latitude, longitude, &distance, &azimuth, nullptr);
        azimuth *= degree;
        return {distance * std::sin(azimuth), distance * std::cos(azimuth)};
    }
    // x: longitude within ±180, y: latitude.
    plane_point inverse(double x, double y) const {
        double latitude = 0, longitude = 0;
        geod_direct(&ellipsoid_, latitude_, longitude_, std::atan2(x, y) / degree, std::hypot(x, y), &latitude,
                    &longitude, nullptr);
        return {longitude, latitude};
    }

private:
    static constexpr double degree = 3.14159265358979323846 / 180;
    const geod_geodesic& ellipsoid_;
    double longitude_, latitude_;
};

}  // namespace gdalmcp_vector
