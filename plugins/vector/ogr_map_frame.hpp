// Polygons of a plane around a place on Earth, brought into the CRS of a layer: cut where its map ends.
#pragma once
#include "ogr_ground.hpp"

namespace gdalmcp_vector {

// Geographic CRSs are cut at the ends of one turn of longitude; rings around a pole go along it. On projected maps a
// ring is checked to stay whole, and is cut at ±180 where it does not.
class map_frame {
public:
    // REQUIRES: `earth` outlives it. `extent`: of the layer; one beyond ±180, as of grids of 0 to 360, sets the turn.
    map_frame(const ground& earth, const OGREnvelope& extent);

    // `shape`: polygons in metres of the plane, less than half a turn around. Edges are straight in the plane; pieces
    // of them longer than `longest` metres are split. Throws unusable.
    std::unique_ptr<OGRGeometry> bring(const OGRGeometry& shape, const azimuthal_plane&, double longest) const;
    // A geometry of the layer itself: in degrees cut at the ends of the turn; others as they are.
    std::unique_ptr<OGRGeometry> bring(const OGRGeometry& own) const;
    // Where the turn of a geographic CRS begins, degrees.
    double west() const { return west_; }

private:
    std::unique_ptr<OGRGeometry> direct(const OGRPolygon&, const azimuthal_plane&) const;
    std::unique_ptr<OGRGeometry> by_degrees(const OGRPolygon&, const azimuthal_plane&) const;
    std::unique_ptr<OGRGeometry> within_turn(std::unique_ptr<OGRGeometry>) const;
    std::unique_ptr<OGRGeometry> on_map(const OGRGeometry& degrees) const;

    const ground& earth_;
    double west_ = -180;
};

}  // namespace gdalmcp_vector
