// A layer held in memory: the attributes of its features, and their geometries as valid shapes in the CRS of another.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "geos.hpp"
#include "ogr_census.hpp"
#include "ogr_transformation.hpp"

namespace gdalmcp_vector {

struct held_layer {
    std::vector<OGRFeatureUniquePtr> features;  // without geometry
    std::vector<geos::shape> shapes;            // nullptr: none, or empty
    std::vector<invalid_feature> invalid;       // all whose geometry is not valid
    left_out failed;                            // could not be read or moved
    GIntBig without_geometry = 0;
    GIntBig with_z = 0, with_m = 0, with_curves = 0;  // which the shapes do not have
    GIntBig collapsed = 0;                            // of which a repair leaves nothing
    std::size_t vertices = 0;
    gdalmcp::gdal::wide_edges wide;  // in degrees, as they were read

    std::size_t size() const { return features.size(); }
    std::vector<const GEOSGeometry*> all_shapes() const;
    // About what the layer takes.
    std::size_t size_bytes() const;
};

// What to do with geometries that are not valid.
enum class invalid_choice { keep, repair };

// Reads every feature; `moved`: into the CRS of another layer, nullptr: they stay. Invalid shapes are found and, where
// chosen, repaired by all cores. `skip`: damaged features, and
// invalid ones that are not to be repaired, are left out; else damaged ones fail the call.
held_layer hold(OGRLayer&, transformation* moved, bool geometries, invalid_choice, bool skip, const progress&);

// Leaves collections only their parts of a dimension. Returns how many had others.
GIntBig keep_dimension(held_layer&, int dimension);

// The shape in a valid form, nullptr where nothing of its dimension is left.
geos::shape valid_form(const GEOSGeometry&);

}  // namespace gdalmcp_vector
