#include "ogr_nearest.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

#include "ogr_azimuthal_plane.hpp"

namespace gdalmcp_vector {

// Distances of items found so far: at least the `k` nearest, and what is as near as the last of them.
class nearest_index::shortlist {
public:
    shortlist(std::size_t k, double most) : k_{k}, most_{most} {}

    // No item farther than this is of interest.
    double limit() const { return limit_; }
    // Of an item as far as it is known; infinite for one that is not on the list.
    double distance(std::size_t item) const {
        const auto known = std::find_if(found_.begin(), found_.end(), [&](const auto& n) { return n.item == item; });
        return known == found_.end() ? std::numeric_limits<double>::infinity() : known->distance;
    }

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
        limit_ = std::min(most_, found_[k_ - 1].distance + equal);
        found_.erase(std::remove_if(found_.begin(), found_.end(), [&](const auto& n) { return n.distance > limit_; }),
                     found_.end());
    }

    neighbours result() {
        std::sort(found_.begin(), found_.end(), nearer);
        for (auto first = found_.begin(); first != found_.end();) {
            const auto last =
                std::find_if(first, found_.end(), [&](const auto& n) { return n.distance > first->distance + equal; });
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

namespace {

// On which side of the line from a to b a point lies: > 0 left, < 0 right.
double side(const plane_point& a, const plane_point& b, const plane_point& p) {
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

}  // namespace

nearest_index::nearest_index(const gdalmcp::ellipsoid& earth, const std::vector<traced>& items)
    : earth_{earth}, tree_{earth, items} {
    geod_init(&geodesic_, earth.a, 1 - std::sqrt(1 - earth.e2));
}

std::size_t nearest_index::size_bytes() const {
    return tree_.points.size() * sizeof(point) + tree_.pieces.size() * sizeof(piece_tree::piece) +
           tree_.nodes.size() * sizeof(piece_tree::node);
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
    const double meet = 2 * tracer::bulge;
    if (a_edge && b_edge && segments_apart(a0.place, a1.place, b0.place, b1.place) <= meet && crossing(a0, a1, b0, b1))
        return 0;
    double d = from_segment(a0, b0, b1);
    if (a_edge) d = std::min(d, from_segment(a1, b0, b1));
    if (a_edge && b_edge) d = std::min({d, from_segment(b0, a0, a1), from_segment(b1, a0, a1)});
    if (a_edge && !b_edge) d = std::min(d, from_segment(b0, a0, a1));
    return d;
}

// Pairs of nodes, or of pieces, of both trees, the nearest first.
struct nearest_index::search {
    const nearest_index& index;
    const piece_tree& from;
    shortlist best;
    struct pair {
        double bound;  // m, of their distance from below
        std::uint32_t ours, theirs;
        bool pieces;
        bool operator<(const pair& other) const { return bound > other.bound; }
    };
    std::priority_queue<pair> waiting{};

    // An item as near as that cannot come nearer by a pair that is not.
    bool of_use(double bound, std::uint32_t item) const {
        return bound <= best.limit() && (item == piece_tree::several || bound < best.distance(item));
    }
    // Within how many metres on the ground of `centre` all in a box lies.
    double radius(const box3& box, const point& centre) const {
        double square = 0;
        for (std::size_t i = 0; i < 3; ++i)
            square += std::pow(std::max(centre.place[i] - box.low[i], box.high[i] - centre.place[i]), 2);
        // On the tightest curve of the ellipsoid, b²/a, which is longest.
        const double tightest = index.earth_.a * (1 - index.earth_.e2), chord = std::sqrt(square);
        return chord < tightest ? 2 * tightest * std::asin(chord / (2 * tightest)) : 4 * chord;
    }
    // Pieces of a tree that lie together, seen from one of their points.
    struct patch {
        const piece_tree& tree;
        std::uint32_t begin, end;
        box3 box;
        const point& centre() const { return tree.points[tree.pieces[begin].a]; }
        // The smallest way along `direction` from the centre to any of it.
        double least(const place3& direction) const {
            constexpr std::uint32_t few = 64;
            const auto& from = centre().place;
            const auto along = [&](const place3& p) {
                return (p[0] - from[0]) * direction[0] + (p[1] - from[1]) * direction[1] +
                       (p[2] - from[2]) * direction[2];
            };
            double way = 0;
            if (end - begin > few) {
                place3 corner{};
                for (std::size_t i = 0; i < 3; ++i) corner[i] = direction[i] > 0 ? box.low[i] : box.high[i];
                return along(corner);
            }
            for (auto i = begin; i < end; ++i)
                way = std::min(
                    {way, along(tree.points[tree.pieces[i].a].place), along(tree.points[tree.pieces[i].b].place)});
            return way - tracer::bulge;
        }
    };
    // In space, of an azimuth in degrees at a point.
    static place3 direction(const point& at, double azimuth) {
        const double lon = at.longitude * radian_per_degree, lat = at.latitude * radian_per_degree;
        const double north = std::cos(azimuth * radian_per_degree), east = std::sin(azimuth * radian_per_degree);
        return {-north * std::sin(lat) * std::cos(lon) - east * std::sin(lon),
                -north * std::sin(lat) * std::sin(lon) + east * std::cos(lon), north * std::cos(lat)};
    }
    // Far away a chord says little of a geodesic. The distance between two patches is that of their centres and what
    // changes along its ends, less what its curvature can take: on a sphere (u + v)² / 2R sin(d / R) for ways of u and
    // v. Twice that leaves room for the ellipsoid.
    double ground_bound(double chord, const patch& a, const patch& b) const {
        constexpr double far = 300e3;
        if (chord < far) return chord;
        const auto &in_a = a.centre(), &in_b = b.centre();
        const double ways = radius(a.box, in_a) + radius(b.box, in_b);
        if (ways > chord) return chord;
        double metres = 0, from_a = 0, at_b = 0;
        geod_inverse(&index.geodesic_, in_a.latitude, in_a.longitude, in_b.latitude, in_b.longitude, &metres, &from_a,
                     &at_b);
        const double bound = std::max(chord, metres - ways), radius = index.earth_.a;
        const double spread = radius * std::sin(std::min(metres / radius, 3.1));
        if (ways > spread / 10 || metres > 3 * radius) return bound;
        const auto ahead = direction(in_a, from_a + 180), behind = direction(in_b, at_b);
        return std::max(bound, metres + a.least(ahead) + b.least(behind) - ways * ways / spread);
    }
    void add_nodes(std::uint32_t ours, std::uint32_t theirs) {
        const auto& a = from.nodes[ours];
        const auto& b = index.tree_.nodes[theirs];
        const double chord = apart(a.box, b.box);
        if (!of_use(chord, b.item)) return;
        const double bound = ground_bound(chord, {from, a.begin, a.end, a.box}, {index.tree_, b.begin, b.end, b.box});
        if (of_use(bound, b.item)) waiting.push({bound, ours, theirs, false});
    }
    void add_piece(std::uint32_t ours, std::uint32_t theirs) {
        const auto& tree = index.tree_;
        const auto& a = from.pieces[ours];
        const auto& b = tree.pieces[theirs];
        const double bulges = tracer::bulge * ((a.edge() ? 1 : 0) + (b.edge() ? 1 : 0));
        const double chord = std::max(0.0, segments_apart(from.points[a.a].place, from.points[a.b].place,
                                                          tree.points[b.a].place, tree.points[b.b].place) -
                                               bulges);
        if (!of_use(chord, b.item)) return;
        const double bound =
            ground_bound(chord, {from, ours, ours + 1, from.box_of(a)}, {tree, theirs, theirs + 1, tree.box_of(b)});
        if (of_use(bound, b.item)) waiting.push({bound, ours, theirs, true});
    }
    void add_pieces(const piece_tree::node& ours, const piece_tree::node& theirs) {
        for (auto j = theirs.begin; j < theirs.end; ++j)
            for (auto i = ours.begin; i < ours.end; ++i) add_piece(i, j);
    }
    void open(const pair& p) {
        const auto& a = from.nodes[p.ours];
        const auto& b = index.tree_.nodes[p.theirs];
        if (!a.left && !b.left) return add_pieces(a, b);
        if (b.left && (!a.left || b.end - b.begin >= a.end - a.begin)) {
            add_nodes(p.ours, b.left);
            add_nodes(p.ours, b.right);
        } else {
            add_nodes(a.left, p.theirs);
            add_nodes(a.right, p.theirs);
        }
    }
    void measure(const pair& p) {
        const auto& a = from.pieces[p.ours];
        const auto& b = index.tree_.pieces[p.theirs];
        if (!of_use(p.bound, b.item)) return;
        const auto& points = index.tree_.points;
        best.offer(b.item, index.distance(from.points[a.a], from.points[a.b], points[b.a], points[b.b]));
    }
    void run() {
        add_nodes(0, 0);
        while (!waiting.empty() && waiting.top().bound <= best.limit()) {
            const auto p = waiting.top();
            waiting.pop();
            if (p.pieces)
                measure(p);
            else if (of_use(p.bound, index.tree_.nodes[p.theirs].item))
                open(p);
        }
    }
};

neighbours nearest_index::nearest(const traced& from, std::size_t k, double most,
                                  const std::vector<std::size_t>& touching) const {
    shortlist best{k, most};
    for (const auto item : touching) best.offer(item, 0);
    if (tree_.nodes.empty() || from.pieces.empty()) return best.result();
    const piece_tree own{earth_, {from}};
    search all{*this, own, std::move(best)};
    all.run();
    return all.best.result();
}

}  // namespace gdalmcp_vector
