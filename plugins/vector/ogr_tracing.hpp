// Shapes as short pieces on the ellipsoid of their CRS: what distances on the ground are taken between.
#pragma once
#include <gdalmcp/ellipsoid.hpp>
#include <gdalmcp/gdal_transformation.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include "geos.hpp"

namespace gdalmcp_vector {

constexpr double radian_per_degree = 3.14159265358979323846 / 180;

// Points in degrees, and the pieces between them; a point alone is a piece of one.
struct traced {
    std::vector<double> longitude, latitude;
    std::vector<std::array<std::uint32_t, 2>> pieces;
};

// Edges are straight in the CRS. They are cut until a piece and the geodesic between its ends are within 2 cm of each
// other. Not to be used by several threads at once.
class tracer {
public:
    static constexpr double bulge = 0.02;  // m

    // Throws gdalmcp::error for a CRS without a place on Earth.
    explicit tracer(const OGRSpatialReference& crs);

    // Throws unusable for vertices without a place on Earth, and for edges over more than half a turn.
    traced trace(const GEOSGeometry&);

    const gdalmcp::ellipsoid& shape_of_earth() const { return earth_; }

private:
    void trace_line(const GEOSGeometry& line, traced&);
    // From coordinates of the CRS to degrees.
    void place(std::vector<double>& x, std::vector<double>& y);

    gdalmcp::ellipsoid earth_;
    gdalmcp::gdal::own_geographic own_;  // nothing: the CRS is geographic itself
    bool geographic_ = false;
    double unit_ = 1;  // degrees per unit
};

}  // namespace gdalmcp_vector
