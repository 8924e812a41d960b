// The seam of a map of the world: most end at the meridian opposite to their middle, and an edge that crosses it would
// be drawn back around the whole Earth.
#pragma once
#include <ogr_geometry.h>
#include <gdalmcp/gdal_transformation.hpp>

#include <memory>
#include <optional>

namespace gdalmcp_vector {

// On a map in degrees a pole is an edge: where an outline passes a pole, it goes on along the map's edge there, from
// the meridian on which it comes to that on which it leaves. unit: degrees per unit of the coordinates.
void spread_poles(OGRGeometry& on_map, double unit);

class map_seam {
public:
    // `way`: between the CRSs; outlives it. `map`: no CRS in degrees.
    map_seam(const OGRSpatialReference& from, const OGRSpatialReference& map, OGRCoordinateTransformation& way);

    // Whether an edge of `there`, which is the shape brought onto the map vertex by vertex, joins places that the map
    // has torn apart, whatever its projection.
    bool tears(const OGRGeometry& shape, const OGRGeometry& there) const;
    // The same of the edge between two places in `from`.
    bool tears_edge(OGRRawPoint, OGRRawPoint) const;
    // The shape on the map, cut at the opposite meridian, in edges of at most 0.1 degrees and two dimensions; nullptr
    // where parts of it have no place, and for maps that end elsewhere.
    std::unique_ptr<OGRGeometry> cut(const OGRGeometry& shape);

private:
    std::unique_ptr<OGRGeometry> in_degrees(const OGRGeometry& shape);

    OGRSpatialReference from_, map_;
    OGRCoordinateTransformation* way_;
    double metres_;                                        // per unit of the map
    std::optional<gdalmcp::gdal::own_geographic> home_{};  // of the map; what follows with it
    gdalmcp::gdal::transformation to_home_{}, onto_map_{};
};

}  // namespace gdalmcp_vector
