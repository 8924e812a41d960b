// Buffers: in the plane, and of a distance on the ground, whatever the CRS.
#pragma once
#include "ogr_map_frame.hpp"

namespace gdalmcp_vector {

// GEOS' buffer in the plane of the coordinates, in two dimensions; may be empty. That of a point is a copy of one that
// GEOS made. Throws unusable.
std::unique_ptr<OGRGeometry> planar_buffer(const OGRGeometry&, double distance, int segments);

// A geometry is buffered in azimuthal equidistant planes around itself; one that reaches farther than a plane is true
// is cut into pieces, whose buffers are united: a polygon grows by the buffer of its outline, and shrinks by it.
//
// In a plane, a line that passes its centre at h metres is too long by a share of up to h² / 6R² (R: radius of the
// Earth), and the planes reach 150 km: 1 : 10 000. Edges are followed to within 1 : 10 000 of the distance as well.
// Arcs are chords, `segments` a quarter.
class ground_buffer {
public:
    static constexpr double max_distance = 5e6;  // metres

    // REQUIRES: |metres| <= max_distance, not 0. `extent`: of the layer.
    ground_buffer(const OGRSpatialReference& crs, const OGREnvelope& extent, double metres, int segments)
        : earth_{crs}, map_{earth_, extent}, metres_{metres}, segments_{segments} {}

    // In the CRS; nullptr: nothing is left. Throws unusable. REQUIRES: valid, not empty.
    std::unique_ptr<OGRGeometry> of(const OGRGeometry&);

    const ground& earth() const { return earth_; }
    // The largest share by which a distance may be off, of all buffers made.
    double distance_error() const;

private:
    std::unique_ptr<OGRGeometry> in_one_plane(const OGRGeometry&);
    void add_outline(const OGRSimpleCurve&, OGRMultiPolygon& into);
    void add_pieces(const OGRGeometry&, OGRMultiPolygon& into);
    lonlat_path path(const OGRSimpleCurve&) const;
    // The buffer in a plane, on the map. `latitude`: the farthest from the equator.
    std::unique_ptr<OGRGeometry> grown(const OGRGeometry& flat, double metres, const azimuthal_plane&,
                                       double latitude) const;

    ground earth_;
    map_frame map_;
    double metres_;
    int segments_;
    double farthest_ = 0;  // from the centre of a plane, metres
};

}  // namespace gdalmcp_vector
