// gdal_areas.hpp — true areas of zones on the ellipsoid, prepared once for many zones.
#pragma once
#include <gdalmcp/gdal_area.hpp>

namespace gdalmcp_aggregation {

using transformation = std::unique_ptr<OGRCoordinateTransformation>;

// Areas of zones in one CRS, as gdalmcp::gdal::ellipsoidal_area() gives them, within 1e-7. That function recreates its
// transformations for each zone and splits every edge; most zones are too small to need either.
class zone_areas {
public:
    explicit zone_areas(const OGRSpatialReference& crs);

    // m²; nullopt without a CRS or where PROJ fails. shape: polygons, XY.
    std::optional<double> of(const OGRGeometry& shape);

private:
    bool add(const OGRGeometry& shape, double& coarse, double& fine);
    bool add_ring(const OGRLinearRing& line, double sign, double& coarse, double& fine);

    OGRSpatialReference crs_;
    transformation to_degrees_, flatten_;  // to_degrees_: empty where the CRS is geographic
    std::vector<double> x_, y_;
};

}  // namespace gdalmcp_aggregation
