// Areas of many polygons on the ellipsoid of a CRS, quickly.
#pragma once
#include <gdalmcp/ellipsoid.hpp>
#include <gdalmcp/gdal_area.hpp>

#include <cstdint>
#include <unordered_map>

#include "geos.hpp"

namespace gdalmcp_vector {

// Small polygons: the area in the plane of the CRS times its areal scale at their centroid, within 3e-7; larger ones by
// gdalmcp::gdal::ellipsoidal_areas. Not to be used by several threads at once.
class surface {
public:
    // REQUIRES: a CRS with a place on Earth.
    explicit surface(const OGRSpatialReference& crs);

    // m². Throws unusable where PROJ has no place for vertices. Lines and points have none.
    double area(const GEOSGeometry&);
    // m² per square unit of the coordinates; not finite where PROJ fails.
    double scale_at(double x, double y);

private:
    double part_area(const GEOSGeometry& polygon);
    double scale_of_node(std::int64_t column, std::int64_t row);

    gdalmcp::ellipsoid earth_;
    gdalmcp::gdal::ellipsoidal_areas exact_;
    gdalmcp::gdal::own_geographic own_;
    bool geographic_ = false;
    double unit_ = 1;   // degrees per unit of longitude and latitude
    double small_ = 0;  // widest box of a small polygon, in units of the coordinates
    double step_ = 0;   // between nodes of the areal scale
    std::unordered_map<std::uint64_t, double> nodes_;
};

}  // namespace gdalmcp_vector
