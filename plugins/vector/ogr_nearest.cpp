#include "ogr_nearest.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

#include "ogr_azimuthal_plane.hpp"

namespace gdalmcp_vector {

namespace {

// Distances of items found so far: at least the `k` nearest, and what is as near as the last of them.
class shortlist {
public:
    shortlist(std::size_t k, double most) : k_{k}, most_{most} {}

    // No item farther than this is of interest.
    double limit() const { return limit_; }

    void offer(std::size_t item, double distance) {
        if (distance > limit_) return;
        const auto known =
            std::find_if(found_.begin(), found_.end(), [&](const neighbour& n) { return n.item == item; });
        if (known != found_.end()) {
            if (distance >= known->distance) return;
            known->distance = distance;
        } else {
            found_.push_back({item, distance});
        }
        if (found_.size() < k_) return;
        std::nth_element(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(k_ - 1), found_.end(), nearer);
        limit_ = std::min(most_, found_[k_ - 1].distance + nearest_index::equal);
        found_.erase(std::remove_if(found_.begin(), found_.end(), [&](const auto& n) { return n.distance > limit_; }),
                     found_.end());
    }

    neighbours result() {
        std::sort(found_.begin(), found_.end(), nearer);
        for (auto first = found_.begin(); first != found_.end();) {
            const auto last = std::find_if(first, found_.end(), [&](const auto& n) {
                return n.distance > first->distance + nearest_index::equal;
            });
            std::sort(first, last, [](const auto& a, const auto& b) { return a.item < b.item; });
            first = last;
        }
        neighbours all{std::move(found_), 0};
        if (all.nearest.size() > k_) {
            all.tied = all.nearest.size() - k_;
            all.nearest.resize(k_);
        }
        return all;
    }

private:
    static bool nearer(const neighbour& a, const neighbour& b) {
        return a.distance != b.distance ? a.distance < b.distance : a.item < b.item;
    }
    std::size_t k_;
    double most_, limit_ = most_;
    std::vector<neighbour> found_;
};

// On which side of the line from a to b a point lies: > 0 left, < 0 right.
double side(const plane_point& a, const plane_point& b, const plane_point& p) {
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

}  // namespace

nearest_index::box3 nearest_index::box_of(const point& a, const point& b) {
    box3 box{};
    const bool edge = &a != &b;
    for (std::size_t i = 0; i < 3; ++i) {
        box.low[i] = std::min(a.place[i], b.place[i]) - (edge ? tracer::bulge : 0);
        box.high[i] = std::max(a.place[i], b.place[i]) + (edge ? tracer::bulge : 0);
    }
    return box;
}

void nearest_index::widen(box3& box, const box3& by) {
    for (std::size_t i = 0; i < 3; ++i) {
        box.low[i] = std::min(box.low[i], by.low[i]);
        box.high[i] = std::max(box.high[i], by.high[i]);
    }
}

double nearest_index::apart(const box3& a, const box3& b) {
    double square = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        const double gap = std::max({0.0, a.low[i] - b.high[i], b.low[i] - a.high[i]});
        square += gap * gap;
    }
    return std::sqrt(square);
}

nearest_index::nearest_index(const gdalmcp::ellipsoid& earth, const std::vector<traced>& items) : earth_{earth} {
    geod_init(&geodesic_, earth.a, 1 - std::sqrt(1 - earth.e2));
    for (std::size_t i = 0; i < items.size(); ++i) {
        const auto& t = items[i];
        const auto first = static_cast<std::uint32_t>(points_.size());
        for (std::size_t k = 0; k < t.longitude.size(); ++k)
            points_.push_back({t.longitude[k], t.latitude[k],
                               earth_.point(t.longitude[k] * radian_per_degree, t.latitude[k] * radian_per_degree)});
        for (const auto& [a, b] : t.pieces) pieces_.push_back({first + a, first + b, static_cast<std::uint32_t>(i)});
    }
    nodes_.reserve(pieces_.size() / 2 + 1);
    if (!pieces_.empty()) build(0, static_cast<std::uint32_t>(pieces_.size()));
}

std::size_t nearest_index::size_bytes() const {
    return points_.size() * sizeof(point) + pieces_.size() * sizeof(piece) + nodes_.size() * sizeof(node);
}

// Halves at the median of the middles, across the longest side.
std::uint32_t nearest_index::build(std::uint32_t begin, std::uint32_t end) {
    const auto at = static_cast<std::uint32_t>(nodes_.size());
    node n{box_of(points_[pieces_[begin].a], points_[pieces_[begin].b]), begin, end};
    for (auto i = begin + 1; i < end; ++i) widen(n.box, box_of(points_[pieces_[i].a], points_[pieces_[i].b]));
    nodes_.push_back(n);
    constexpr std::uint32_t leaf = 8;
    if (end - begin <= leaf) return at;
    std::size_t axis = 0;
    for (std::size_t i = 1; i < 3; ++i)
        if (n.box.high[i] - n.box.low[i] > n.box.high[axis] - n.box.low[axis]) axis = i;
    const auto middle = begin + (end - begin) / 2;
    const auto key = [&](const piece& p) { return points_[p.a].place[axis] + points_[p.b].place[axis]; };
    std::nth_element(pieces_.begin() + begin, pieces_.begin() + middle, pieces_.begin() + end,
                     [&](const piece& a, const piece& b) { return key(a) < key(b); });
    const auto left = build(begin, middle), right = build(middle, end);
    nodes_[at].left = left;
    nodes_[at].right = right;
    return at;
}

double nearest_index::from_segment(const point& p, const point& a, const point& b) const {
    const azimuthal_plane plane{geodesic_, p.longitude, p.latitude};
    const auto from = plane.forward(a.longitude, a.latitude);
    if (&a == &b) return std::hypot(from.x, from.y);
    const auto to = plane.forward(b.longitude, b.latitude);
    const double x = to.x - from.x, y = to.y - from.y, square = x * x + y * y;
    const double t = square > 0 ? std::clamp(-(from.x * x + from.y * y) / square, 0.0, 1.0) : 0;
    return std::hypot(from.x + t * x, from.y + t * y);
}

bool nearest_index::crossing(const point& a0, const point& a1, const point& b0, const point& b1) const {
    const azimuthal_plane plane{geodesic_, a0.longitude, a0.latitude};
    const plane_point origin{}, end = plane.forward(a1.longitude, a1.latitude),
                                p = plane.forward(b0.longitude, b0.latitude),
                                q = plane.forward(b1.longitude, b1.latitude);
    return side(origin, end, p) * side(origin, end, q) < 0 && side(p, q, origin) * side(p, q, end) < 0;
}

// Two pieces that do not cross are nearest at an end of one of them.
double nearest_index::distance(const point& a0, const point& a1, const point& b0, const point& b1) const {
    const bool a_edge = &a0 != &a1, b_edge = &b0 != &b1;
    if (a_edge && b_edge && apart(box_of(a0, a1), box_of(b0, b1)) == 0 && crossing(a0, a1, b0, b1)) return 0;
    double d = from_segment(a0, b0, b1);
    if (a_edge) d = std::min(d, from_segment(a1, b0, b1));
    if (a_edge) d = std::min(d, from_segment(b0, a0, a1));
    if (a_edge && b_edge) d = std::min(d, from_segment(b1, a0, a1));
    return d;
}

neighbours nearest_index::nearest(const traced& from, std::size_t k, double most,
                                  const std::vector<std::size_t>& touching) const {
    shortlist best{k, most};
    for (const auto item : touching) best.offer(item, 0);
    if (nodes_.empty() || from.pieces.empty()) return best.result();
    std::vector<point> points;
    for (std::size_t i = 0; i < from.longitude.size(); ++i)
        points.push_back({from.longitude[i], from.latitude[i],
                          earth_.point(from.longitude[i] * radian_per_degree, from.latitude[i] * radian_per_degree)});
    std::vector<box3> boxes;
    for (const auto& [a, b] : from.pieces) boxes.push_back(box_of(points[a], points[b]));
    box3 whole = boxes.front();
    for (const auto& b : boxes) widen(whole, b);

    using entry = std::pair<double, std::uint32_t>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> waiting;
    waiting.emplace(apart(whole, nodes_[0].box), 0);
    while (!waiting.empty() && waiting.top().first <= best.limit()) {
        const auto& n = nodes_[waiting.top().second];
        waiting.pop();
        if (n.left) {
            for (const auto child : {n.left, n.right})
                if (const double d = apart(whole, nodes_[child].box); d <= best.limit()) waiting.emplace(d, child);
            continue;
        }
        for (auto i = n.begin; i < n.end; ++i) {
            const auto& p = pieces_[i];
            const auto& a = points_[p.a];
            const auto& b = points_[p.b];
            const auto box = box_of(a, b);
            if (apart(whole, box) > best.limit()) continue;
            for (std::size_t j = 0; j < boxes.size(); ++j)
                if (apart(boxes[j], box) <= best.limit())
                    best.offer(p.item, distance(points[from.pieces[j][0]], points[from.pieces[j][1]], a, b));
        }
    }
    return best.result();
}

}  // namespace gdalmcp_vector
