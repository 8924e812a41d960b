#include "arc_network.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <unordered_map>

namespace gdalmcp_vector {

namespace {

bool before(const map_point& a, const map_point& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); }

std::size_t mixed(std::size_t seed, std::uint64_t v) { return (seed ^ v) * 0x9E3779B97F4A7C15ULL ^ (seed >> 29); }

struct point_hash {
    std::size_t operator()(const map_point& p) const {
        return mixed(mixed(0x51ED270B, std::bit_cast<std::uint64_t>(p.x)), std::bit_cast<std::uint64_t>(p.y));
    }
};

bool closed(const point_list& path) { return path.size() > 1 && path.front() == path.back(); }

// The vertices where paths part.
class nodes {
public:
    void add(const point_list& path) {
        const std::size_t n = path.size();
        if (n == 0) return;
        if (!closed(path)) {
            seen_[path.front()].node = true;
            seen_[path.back()].node = true;
        } else {
            visit(path[0], path[n - 2], path[1]);
        }
        for (std::size_t i = 1; i + 1 < n; ++i) visit(path[i], path[i - 1], path[i + 1]);
    }
    bool has(const map_point& p) const { return seen_.at(p).node; }

private:
    struct neighbours {
        map_point a{}, b{};
        bool known = false, node = false;
    };
    void visit(const map_point& at, map_point from, map_point to) {
        if (before(to, from)) std::swap(from, to);
        auto& n = seen_[at];
        if (!n.known) {
            n.a = from;
            n.b = to;
            n.known = true;
        } else if (!(n.a == from && n.b == to)) {
            n.node = true;
        }
    }
    std::unordered_map<map_point, neighbours, point_hash> seen_;
};

// Whether an arc, to be the same whichever way it is run along, has to be turned.
bool turned(const point_list& arc) {
    for (std::size_t i = 0, k = arc.size() - 1; i < k; ++i, --k)
        if (!(arc[i] == arc[k])) return before(arc[k], arc[i]);
    return false;
}

// Arcs by their points, each kept once.
class arc_store {
public:
    explicit arc_store(std::vector<point_list>& arcs) : arcs_{arcs} {}
    arc_use put(point_list arc) {
        const bool reversed = turned(arc);
        if (reversed) std::reverse(arc.begin(), arc.end());
        std::size_t key = arc.size();
        for (const auto& p : arc) key = mixed(key, point_hash{}(p));
        auto& same = by_key_[key];
        for (const auto i : same)
            if (arcs_[i] == arc) return {i, reversed};
        same.push_back(arcs_.size());
        arcs_.push_back(std::move(arc));
        return {arcs_.size() - 1, reversed};
    }

private:
    std::vector<point_list>& arcs_;
    std::unordered_map<std::size_t, std::vector<std::size_t>> by_key_;
};

}  // namespace

std::size_t arc_network::add(point_list path) {
    for (auto& p : path) p = {p.x + 0.0, p.y + 0.0};  // -0 is 0
    path.erase(std::unique(path.begin(), path.end()), path.end());
    paths_.push_back(std::move(path));
    return paths_.size() - 1;
}

void arc_network::build() {
    nodes all;
    for (const auto& p : paths_) all.add(p);
    arc_store store{arcs_};
    for (auto& path : paths_) {
        auto& uses = uses_.emplace_back();
        if (path.size() < 2) {
            if (!path.empty()) uses.push_back(store.put(path));
            continue;
        }
        if (closed(path)) {
            // From a node, or else from the lowest vertex, so that equal rings are equal arcs.
            path.pop_back();
            auto start = std::find_if(path.begin(), path.end(), [&](const map_point& p) { return all.has(p); });
            if (start == path.end()) start = std::min_element(path.begin(), path.end(), before);
            std::rotate(path.begin(), start, path.end());
            path.push_back(path.front());
        }
        for (std::size_t from = 0; from + 1 < path.size();) {
            std::size_t to = from + 1;
            while (to + 1 < path.size() && !all.has(path[to])) ++to;
            uses.push_back(store.put({path.begin() + static_cast<std::ptrdiff_t>(from),
                                      path.begin() + static_cast<std::ptrdiff_t>(to) + 1}));
            from = to;
        }
        point_list{}.swap(path);
    }
}

point_list arc_network::points_of(std::size_t path, const std::vector<point_list>& arcs) const {
    point_list all;
    for (const auto& [arc, reversed] : uses_[path]) {
        const auto& points = arcs[arc];
        const std::size_t skip = all.empty() ? 0 : 1;
        if (reversed)
            all.insert(all.end(), points.rbegin() + static_cast<std::ptrdiff_t>(skip), points.rend());
        else
            all.insert(all.end(), points.begin() + static_cast<std::ptrdiff_t>(skip), points.end());
    }
    return all;
}

}  // namespace gdalmcp_vector
