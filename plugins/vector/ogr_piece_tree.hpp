// A tree of boxes in geocentric space over the pieces of traced shapes: first over the shapes, then over the pieces of
// each, so that a shape can be passed over as a whole.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "ogr_tracing.hpp"

namespace gdalmcp_vector {

using place3 = std::array<double, 3>;  // geocentric, m

struct box3 {
    place3 low, high;
    void widen(const box3&);
};

// Between two boxes, 0 where they meet.
double apart(const box3&, const box3&);

// Between two straight segments in space.
double segments_apart(const place3& a0, const place3& a1, const place3& b0, const place3& b1);

struct piece_tree {
    static constexpr std::uint32_t several = UINT32_MAX;

    struct point {
        double longitude, latitude;
        place3 place;
    };
    struct piece {
        std::uint32_t a, b, item;  // a == b: a point
        bool edge() const { return a != b; }
    };
    struct node {
        box3 box;
        std::uint32_t begin, end;           // of pieces
        std::uint32_t left = 0, right = 0;  // 0: a leaf
        std::uint32_t item = several;       // the one whose pieces it holds
    };

    piece_tree(const gdalmcp::ellipsoid&, const std::vector<traced>& items);

    // Of the box in which a piece lies, with the bulge of an edge.
    box3 box_of(const piece&) const;

    std::vector<point> points;
    std::vector<piece> pieces;
    std::vector<node> nodes;  // the first is the root

private:
    struct shape {
        std::uint32_t begin, end;  // of pieces
        box3 box;
    };
    std::uint32_t add_shapes(std::vector<shape>&, std::size_t begin, std::size_t end, const std::vector<piece>& given);
    std::uint32_t add_pieces(std::uint32_t begin, std::uint32_t end);
};

}  // namespace gdalmcp_vector
