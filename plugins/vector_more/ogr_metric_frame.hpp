// Shapes laid flat so that distances between their vertices are nearly those on the ground, and what is made there
// brought back into the CRS of the layer.
#pragma once
#include <optional>
#include <string>

#include "vector/ogr_layer_pass.hpp"
#include "vector/ogr_map_frame.hpp"

namespace gdalmcp_vector_more {

struct flat_shape {
    std::unique_ptr<OGRGeometry> shape;                    // in two dimensions, arcs as chords
    std::optional<gdalmcp_vector::azimuthal_plane> plane;  // nothing: on the map of the layer itself
    double metres = 1;                                     // of a unit of `shape`; NaN: not known
    double latitude = 0;                                   // the farthest from the equator, degrees
};

// On the map of the layer where its scale is off by at most 1 : 1000 or it has no place on Earth; else in an azimuthal
// equidistant plane around each shape, where a distance is too long by a share of up to h² / 6R², h metres from the
// centre. Shapes that reach farther than 1000 km are laid on the map, and counted.
class metric_frame {
public:
    explicit metric_frame(const gdalmcp_vector::source_layer&);

    // `edges`: they are followed, by additional vertices. Throws unusable.
    flat_shape flat(const OGRGeometry&, bool edges);
    // Polygons made of it, in the CRS: edges straight in the plane are followed, and what lies beyond the end of a map
    // in degrees is cut off. Throws unusable.
    std::unique_ptr<OGRGeometry> back(const OGRGeometry& polygons, const flat_shape& of) const;
    // The same where vertices are those of `own`, laid flat without additional ones: they keep every digit, and edges
    // are straight in the CRS.
    std::unique_ptr<OGRGeometry> back_by_vertices(const OGRGeometry& polygons, const OGRGeometry& own,
                                                  const flat_shape& of) const;

    bool planes() const { return planes_; }
    // What was done, for the result.
    std::string method() const;
    // The largest share by which a distance was off; nothing: not known.
    std::optional<double> distance_error() const;
    GIntBig beyond() const { return beyond_; }  // shapes that reach too far

private:
    std::unique_ptr<OGRGeometry> on_map(const OGRGeometry&) const;
    OGRSpatialReference crs_;
    std::optional<gdalmcp_vector::ground> earth_;
    std::optional<gdalmcp_vector::map_frame> map_;
    bool planes_ = false;
    double error_ = 0;     // of the map's scale
    double farthest_ = 0;  // from the centre of a plane, metres
    GIntBig beyond_ = 0;
};

}  // namespace gdalmcp_vector_more
