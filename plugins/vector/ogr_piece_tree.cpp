#include "ogr_piece_tree.hpp"

namespace gdalmcp_vector {

namespace {

constexpr std::uint32_t leaf = 8;  // pieces

std::size_t longest_side(const box3& box) {
    std::size_t axis = 0;
    for (std::size_t i = 1; i < 3; ++i)
        if (box.high[i] - box.low[i] > box.high[axis] - box.low[axis]) axis = i;
    return axis;
}

place3 minus(const place3& a, const place3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const place3& a, const place3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

}  // namespace

void box3::widen(const box3& by) {
    for (std::size_t i = 0; i < 3; ++i) {
        low[i] = std::min(low[i], by.low[i]);
        high[i] = std::max(high[i], by.high[i]);
    }
}

double apart(const box3& a, const box3& b) {
    double square = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const double gap = std::max({0.0, a.low[i] - b.high[i], b.low[i] - a.high[i]});
        square += gap * gap;
    }
    return std::sqrt(square);
}

// C. Ericson: Real-Time Collision Detection (2005), 5.1.9.
double segments_apart(const place3& a0, const place3& a1, const place3& b0, const place3& b1) {
    const auto d1 = minus(a1, a0), d2 = minus(b1, b0), r = minus(a0, b0);
    const double a = dot(d1, d1), e = dot(d2, d2), f = dot(d2, r), c = dot(d1, r), b = dot(d1, d2);
    const double across = a * e - b * b;
    double s = a > 0 && across > 0 ? std::clamp((b * f - c * e) / across, 0.0, 1.0) : 0;
    double t = e > 0 ? (b * s + f) / e : 0;
    if (t < 0 || t > 1 || e == 0) {
        t = std::clamp(t, 0.0, 1.0);
        s = a > 0 ? std::clamp((b * t - c) / a, 0.0, 1.0) : 0;
    }
    double square = 0;
    for (std::size_t i = 0; i < 3; ++i) square += std::pow(r[i] + s * d1[i] - t * d2[i], 2);
    return std::sqrt(square);
}

box3 piece_tree::box_of(const piece& p) const {
    box3 box{};
    const double off = p.edge() ? tracer::bulge : 0;
    for (std::size_t i = 0; i < 3; ++i) {
        box.low[i] = std::min(points[p.a].place[i], points[p.b].place[i]) - off;
        box.high[i] = std::max(points[p.a].place[i], points[p.b].place[i]) + off;
    }
    return box;
}

piece_tree::piece_tree(const gdalmcp::ellipsoid& earth, const std::vector<traced>& items) {
    std::vector<piece> given;
    std::vector<shape> shapes;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto& t = items[i];
        const auto first = static_cast<std::uint32_t>(points.size());
        for (std::size_t k = 0; k < t.longitude.size(); ++k)
            points.push_back({t.longitude[k], t.latitude[k],
                              earth.point(t.longitude[k] * radian_per_degree, t.latitude[k] * radian_per_degree)});
        if (t.pieces.empty()) continue;
        shape s{static_cast<std::uint32_t>(given.size()), 0, {}};
        for (const auto& [a, b] : t.pieces) given.push_back({first + a, first + b, static_cast<std::uint32_t>(i)});
        s.end = static_cast<std::uint32_t>(given.size());
        s.box = box_of(given[s.begin]);
        for (auto k = s.begin + 1; k < s.end; ++k) s.box.widen(box_of(given[k]));
        shapes.push_back(s);
    }
    pieces.reserve(given.size());
    nodes.reserve(given.size() / 2 + 1);
    if (!shapes.empty()) add_shapes(shapes, 0, shapes.size(), given);
}

// Halves at the median of the middles, across the longest side; so does add_pieces.
std::uint32_t piece_tree::add_shapes(std::vector<shape>& shapes, std::size_t begin, std::size_t end,
                                     const std::vector<piece>& given) {
    const auto first = static_cast<std::uint32_t>(pieces.size());
    node n{shapes[begin].box, first, first};
    for (auto i = begin; i < end; ++i) {
        n.box.widen(shapes[i].box);
        n.end += shapes[i].end - shapes[i].begin;
    }
    const bool one = end - begin == 1;
    if (one || n.end - n.begin <= leaf) {
        for (auto i = begin; i < end; ++i)
            pieces.insert(pieces.end(), given.begin() + shapes[i].begin, given.begin() + shapes[i].end);
        if (one) return add_pieces(n.begin, n.end);
        nodes.push_back(n);
        return static_cast<std::uint32_t>(nodes.size() - 1);
    }
    const auto at = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back(n);
    const auto axis = longest_side(n.box);
    const auto middle = begin + (end - begin) / 2;
    const auto place = [&](std::size_t i) { return shapes.begin() + static_cast<std::ptrdiff_t>(i); };
    const auto key = [&](const shape& s) { return s.box.low[axis] + s.box.high[axis]; };
    std::nth_element(place(begin), place(middle), place(end),
                     [&](const shape& a, const shape& b) { return key(a) < key(b); });
    const auto left = add_shapes(shapes, begin, middle, given), right = add_shapes(shapes, middle, end, given);
    nodes[at].left = left;
    nodes[at].right = right;
    return at;
}

std::uint32_t piece_tree::add_pieces(std::uint32_t begin, std::uint32_t end) {
    const auto at = static_cast<std::uint32_t>(nodes.size());
    node n{box_of(pieces[begin]), begin, end};
    n.item = pieces[begin].item;
    for (auto i = begin + 1; i < end; ++i) n.box.widen(box_of(pieces[i]));
    nodes.push_back(n);
    if (end - begin <= leaf) return at;
    const auto axis = longest_side(n.box);
    const auto middle = begin + (end - begin) / 2;
    const auto key = [&](const piece& p) { return points[p.a].place[axis] + points[p.b].place[axis]; };
    std::nth_element(pieces.begin() + begin, pieces.begin() + middle, pieces.begin() + end,
                     [&](const piece& a, const piece& b) { return key(a) < key(b); });
    const auto left = add_pieces(begin, middle), right = add_pieces(middle, end);
    nodes[at].left = left;
    nodes[at].right = right;
    return at;
}

}  // namespace gdalmcp_vector
