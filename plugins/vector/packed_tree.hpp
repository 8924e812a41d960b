// The nodes of SQLite's R-tree, packed: a million boxes in a second, where inserting them one by one takes ten. Source:
// sqlite.org/rtree.html, section 4 (the shadow tables); Leutenegger, López, Edgington 1997 (sort-tile-recursive).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gdalmcp_vector {

struct tree_box {
    std::int64_t id;  // of a feature, or number of a node
    float minx, maxx, miny, maxy;
};

// A box of the tree holds that of doubles.
tree_box outward(std::int64_t id, double minx, double maxx, double miny, double maxy);

struct tree_node {
    std::int64_t number;  // 1: the root
    std::int64_t parent;  // 0: of the root
    bool leaf;
    std::vector<std::int64_t> ids;  // of its cells: features of a leaf, else nodes
    std::string data;               // as the table of nodes holds it
};

// Replaces the order of `boxes`. `node_bytes`: the size of a node's data. REQUIRES: at least one box.
std::vector<tree_node> packed_tree(std::vector<tree_box>& boxes, std::size_t node_bytes);

}  // namespace gdalmcp_vector
