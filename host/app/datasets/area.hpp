// A place on Earth as a caller gives it, and which extents of datasets meet it.
#pragma once
#include <array>
#include <vector>

#include "base/json.hpp"
#include "base/problem.hpp"

namespace gdalmcp::app {

// [west, south, east, north] in degrees; west > east across the antimeridian.
using extent = std::array<double, 4>;

// In degrees of OGC:CRS84, as on a map of plate carrée: edges are straight in longitude and latitude.
class area {
public:
    // [minx, miny, maxx, maxy], or GeoJSON: a geometry, a Feature or a FeatureCollection. minx > maxx crosses the
    // antimeridian. Errors: invalid_argument at /geometry.
    static base::result<area> of(const base::json::value& geometry);

    // Whether some point of this place lies in the extent, its edges included.
    bool meets(const extent& e) const;

private:
    struct point {
        double x = 0, y = 0;
    };
    using line = std::vector<point>;
    struct box {
        double west, south, east, north;
    };
    bool overlaps(const box& b) const;
    bool contains(const line& ring, const point& p) const;
    static bool crosses(const line& l, const box& b);

    base::result<void> add(const base::json::value& geometry);
    base::result<void> add_coordinates(const std::string& type, const base::json::value& coordinates);
    static base::result<point> point_of(const base::json::value& v);
    static base::result<line> line_of(const base::json::value& v);

    std::vector<line> lines_;  // a point is a line of one
    std::vector<std::vector<line>> polygons_;
};

}  // namespace gdalmcp::app
