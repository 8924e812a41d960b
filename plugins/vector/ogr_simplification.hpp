// Lines and outlines with fewer vertices: those that are kept keep every coordinate.
#pragma once
#include "arc_network.hpp"
#include "ogr_ground.hpp"

#include <functional>

namespace gdalmcp_vector {

enum class simplification { douglas_peucker, visvalingam };

// Chooses vertices of lines. Distances are those of the map, or on the ground in planes around pieces of 500 km.
class vertex_choice {
public:
    // `earth`: nullptr for the map's own distances. REQUIRES: it outlives the choice.
    vertex_choice(const ground* earth, simplification how) : earth_{earth}, how_{how} {}

    // Indexes, the first and last among them. Douglas-Peucker (GEOS): no vertex was farther than `tolerance` from the
    // new line. Visvalingam: triangles below tolerance² are gone. A closed line keeps its first vertex and the one
    // farthest from it; what is left of one smaller than the tolerance is a triangle if `whole`, else nothing. Throws
    // unusable.
    std::vector<std::size_t> of(const point_list&, double tolerance, bool whole) const;

private:
    std::vector<std::size_t> of_open(const point_list&, double tolerance) const;
    std::vector<std::size_t> in_plane(const point_list&, double tolerance) const;

    const ground* earth_;
    simplification how_;
};

// Arcs simplified together so that none comes to cross, touch or pass over another that it did not before: where one
// would, it keeps more vertices, the farthest first. After Saalfeld 1999, Topologically consistent line simplification
// with the Douglas-Peucker algorithm.
struct simplified_arcs {
    std::vector<point_list> arcs;
    std::size_t finer = 0;  // arcs that keep more
};
simplified_arcs simplify_together(const std::vector<point_list>& arcs, const vertex_choice&, double tolerance,
                                  const std::function<void(double)>& report);

// Points that replace those of a line or ring, in the order the geometry has them.
using replacement = std::function<point_list(const OGRSimpleCurve&)>;
struct rebuilt {
    std::unique_ptr<OGRGeometry> shape;  // nullptr: nothing is left
    int lost = 0;                        // rings of fewer than 4 points and lines of fewer than 2, left out
};
rebuilt rebuild(const OGRGeometry& linear, const replacement&);

point_list points_of(const OGRSimpleCurve&);

}  // namespace gdalmcp_vector
