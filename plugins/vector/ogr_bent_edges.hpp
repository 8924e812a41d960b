// Edges that are straight in one CRS and bend in another: where vertices alone are moved, shapes change between them.
#pragma once
#include <ogr_geometry.h>
#include <ogr_spatialref.h>

#include <string>
#include <vector>

#include "ogr_census.hpp"

namespace gdalmcp_vector {

class bent_edges {
public:
    // `way`: from the one to the other; outlives it.
    bent_edges(const OGRSpatialReference& from, const OGRSpatialReference& to, OGRCoordinateTransformation& way);

    // Counts a geometry in `from` of which an edge bends: its middle strays from the chord by over 0.2 % of the chord.
    // Short edges are not looked at: on the ground they bend less.
    void look_at(const OGRGeometry&);
    // Reports how many geometries of a layer have such edges, and how far the worst strays.
    void tell(const std::string& layer, const notice& say) const;

private:
    void collect(const OGRSimpleCurve&);

    OGRCoordinateTransformation* way_;
    bool to_degrees_;
    double longest_straight_, metres_;  // in units of `from`; metres in a unit of `to`
    std::vector<double> x_{}, y_{};     // of long edges: both ends and the middle
    GIntBig bent_ = 0;
    double worst_ = 0, worst_share_ = 0;  // metres off the chord, and of the chord's length
};

}  // namespace gdalmcp_vector
