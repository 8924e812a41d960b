// The geometries a layer actually holds, whatever type it declares: types, empty and invalid ones.
#pragma once
#include "ogr_reading.hpp"

#include <map>
#include <string>
#include <vector>

namespace gdalmcp_vector {

// "MultiPolygon", "LineString Z"; "any" for a layer that declares none, "None" for one without geometries.
std::string geometry_type_name(OGRwkbGeometryType);

struct invalid_feature {
    GIntBig id;
    std::string reason;  // GEOS' reason with the location: "Self-intersection at or near point 1 1"
};

struct census {
    std::map<std::string, GIntBig> types;  // how many of each type; without geometry not counted here
    GIntBig features = 0;                  // looked at
    GIntBig without_geometry = 0, empty = 0, invalid = 0;
    OGREnvelope extent;                          // of their geometries
    std::vector<invalid_feature> first_invalid;  // at most 10
    left_out damaged;                            // could not be read whole; counted above all the same
    bool complete = true;                        // every feature was looked at
};

// The features of the layer in its order, its filters honoured, until `enough` returns true; it is called before each
// with the number of those before. Resets reading. `also`: is shown each as well.
census take_census(
    OGRLayer&, const std::function<bool(GIntBig)>& enough, const progress&,
    const std::function<void(const OGRFeature&)>& also = [](const OGRFeature&) {});

// True when a layer that declares a single type (as every Shapefile does) holds multi-part geometries as well.
bool holds_multi_parts(OGRLayer&);
// True when a geometry of a layer has z.
bool holds_heights(OGRLayer&);

}  // namespace gdalmcp_vector
