// The lines between the nodes of many paths: what neighbours share is one arc. Arrays only.
//
//   arc_network net;
//   const auto ring = net.add({{0, 0}, {2, 0}, {2, 2}, {0, 0}});  // closed: it ends where it begins
//   net.build();
//   net.arcs() ...           // each stretch once, whoever runs along it
//   net.points_of(ring, net.arcs());
#pragma once
#include <cstddef>
#include <vector>

namespace gdalmcp_vector {

struct map_point {
    double x = 0, y = 0;
    bool operator==(const map_point&) const = default;
};
using point_list = std::vector<map_point>;

struct arc_use {
    std::size_t arc;
    bool reversed;
};

// A node is a vertex from which paths go on to different vertices, or an end of an open path. Borders are shared where
// their vertices are the same, to the last bit. Source: M. Bostock's TopoJSON.
class arc_network {
public:
    // The number of the path. Equal consecutive points become one.
    std::size_t add(point_list path);
    // Cuts the paths at their nodes. Call it once, after all add().
    void build();

    const std::vector<point_list>& arcs() const { return arcs_; }
    const std::vector<arc_use>& uses(std::size_t path) const { return uses_[path]; }
    // The path along other arcs with the same ends.
    point_list points_of(std::size_t path, const std::vector<point_list>& arcs) const;

private:
    std::vector<point_list> paths_, arcs_;
    std::vector<std::vector<arc_use>> uses_;
};

}  // namespace gdalmcp_vector
