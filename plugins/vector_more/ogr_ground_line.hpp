// Places along lines at distances on the ground. Lines are straight between vertices in their CRS.
#pragma once
#include "ogr_piece.hpp"
#include "vector/ogr_ground.hpp"

namespace gdalmcp_vector_more {

// A line, or one edge of it, measured by geodesics between places at most some hundred metres apart: within 1e-8 of its
// length, places within a millimetre.
class ground_line {
public:
    // Throws unusable. REQUIRES: check_turns() of it.
    ground_line(const gdalmcp_vector::ground&, const OGRSimpleCurve&);

    double length() const { return metres_.back(); }
    // In the CRS, `metres` from the start.
    OGRRawPoint at(double metres) const;

private:
    std::vector<OGRRawPoint> places_;  // in the CRS
    std::vector<double> metres_;       // from the start
};

// Vertices added so that no edge is longer than `longest`, at equal distances within an edge; the same from both of its
// ends, so that neighbours keep a common border. Heights are interpolated. In metres, without `earth` in units of the
// coordinates. Throws unusable for more than `most` vertices in all.
std::unique_ptr<OGRGeometry> densified(const gdalmcp_vector::ground* earth, const OGRGeometry&, double longest,
                                       std::int64_t most);

// Points on every line and ring, from its first vertex, `step` apart: numbers of part and ring, and the distance. In
// metres, without `earth` in units of the coordinates. Throws unusable for more than `most`.
pieces points_along(const gdalmcp_vector::ground* earth, const OGRGeometry&, double step, std::int64_t most);

}  // namespace gdalmcp_vector_more
