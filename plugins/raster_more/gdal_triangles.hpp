// gdal_triangles.hpp — linear interpolation between scattered points, within the triangles of Delaunay.
#pragma once
#include <gdal_alg.h>

#include <memory>
#include <optional>

#include "scattered_points.hpp"

namespace gdalmcp_raster_more {

class triangles {
public:
    // REQUIRES: `points` outlives it; no two at one place. `without`: a point left out. Not ok() for fewer than three
    // points and for points on one line, or if GDAL is built without Qhull.
    explicit triangles(const std::vector<measured_point>& points, std::size_t without = point_index::nobody);
    bool ok() const { return made_ != nullptr; }

    // nullopt outside the convex hull. facet: the last one found, where the search begins; of the thread. REQUIRES:
    // ok().
    std::optional<double> at(double x, double y, int& facet) const;

private:
    struct release {
        void operator()(GDALTriangulation* t) const { GDALTriangulationFree(t); }
    };
    std::unique_ptr<GDALTriangulation, release> made_;
    std::vector<double> values_;
    double x0_ = 0, y0_ = 0;  // coordinates are relative to them
};

}  // namespace gdalmcp_raster_more
