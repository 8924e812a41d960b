#include "arc_conflicts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace gdalmcp_vector {

namespace {

struct segment {
    map_point a, b;
    arc_segment of;
};

double side(const map_point& a, const map_point& b, const map_point& p) {
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

bool on(const segment& s, const map_point& p) {
    return side(s.a, s.b, p) == 0 && p.x >= std::min(s.a.x, s.b.x) && p.x <= std::max(s.a.x, s.b.x) &&
           p.y >= std::min(s.a.y, s.b.y) && p.y <= std::max(s.a.y, s.b.y);
}

bool inside(const segment& s, const map_point& p) { return !(p == s.a) && !(p == s.b) && on(s, p); }

bool conflict(const segment& s, const segment& t) {
    const bool same = (s.a == t.a && s.b == t.b) || (s.a == t.b && s.b == t.a);
    if (same) return true;
    if (inside(s, t.a) || inside(s, t.b) || inside(t, s.a) || inside(t, s.b)) return true;
    const double a = side(s.a, s.b, t.a), b = side(s.a, s.b, t.b), c = side(t.a, t.b, s.a), d = side(t.a, t.b, s.b);
    return ((a > 0 && b < 0) || (a < 0 && b > 0)) && ((c > 0 && d < 0) || (c < 0 && d > 0));
}

struct box {
    double west = std::numeric_limits<double>::infinity(), south = west, east = -west, north = -west;
    void add(const map_point& p) {
        west = std::min(west, p.x);
        east = std::max(east, p.x);
        south = std::min(south, p.y);
        north = std::max(north, p.y);
    }
};

}  // namespace

std::vector<crossing> crossings(const std::vector<point_list>& arcs) {
    std::vector<segment> all;
    box reach;
    for (std::size_t i = 0; i < arcs.size(); ++i)
        for (std::size_t k = 0; k + 1 < arcs[i].size(); ++k) {
            all.push_back({arcs[i][k], arcs[i][k + 1], {i, k}});
            reach.add(arcs[i][k]);
            reach.add(arcs[i][k + 1]);
        }
    std::vector<crossing> found;
    if (all.empty()) return found;
    // Cells of a grid, about one for each segment; segments are entered piece by piece, so that long ones do not fill
    // the boxes around them.
    const double width = std::max(reach.east - reach.west, 1e-300),
                 height = std::max(reach.north - reach.south, 1e-300);
    const double per_side = std::clamp(std::sqrt(static_cast<double>(all.size())), 1.0, 30'000.0);
    const double dx = width / per_side, dy = height / per_side;
    const auto column = [&](double x) {
        return static_cast<std::uint64_t>(std::clamp((x - reach.west) / dx, 0.0, per_side));
    };
    const auto row = [&](double y) {
        return static_cast<std::uint64_t>(std::clamp((y - reach.south) / dy, 0.0, per_side));
    };
    std::vector<std::pair<std::uint64_t, std::size_t>> entries;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& s = all[i];
        const auto pieces = static_cast<int>(
            std::max(1.0, std::ceil(std::max(std::abs(s.b.x - s.a.x) / dx, std::abs(s.b.y - s.a.y) / dy))));
        const auto at = [&](int k) {
            const double t = static_cast<double>(k) / pieces;
            return map_point{s.a.x + t * (s.b.x - s.a.x), s.a.y + t * (s.b.y - s.a.y)};
        };
        for (int k = 0; k < pieces; ++k) {
            const auto from = at(k), to = at(k + 1);
            for (auto c = column(std::min(from.x, to.x)); c <= column(std::max(from.x, to.x)); ++c)
                for (auto r = row(std::min(from.y, to.y)); r <= row(std::max(from.y, to.y)); ++r)
                    entries.emplace_back(c << 32 | r, i);
        }
    }
    std::sort(entries.begin(), entries.end());
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
    for (std::size_t from = 0, to = 0; from < entries.size(); from = to) {
        while (to < entries.size() && entries[to].first == entries[from].first) ++to;
        for (std::size_t i = from; i < to; ++i)
            for (std::size_t k = i + 1; k < to; ++k) {
                const auto &s = all[entries[i].second], &t = all[entries[k].second];
                if (conflict(s, t)) found.emplace_back(std::min(s.of, t.of), std::max(s.of, t.of));
            }
    }
    return found;
}

std::vector<arc_segment> passed_over(const std::vector<point_list>& arcs,
                                     const std::vector<std::vector<std::size_t>>& kept) {
    std::vector<std::pair<map_point, std::size_t>> ends;  // by x
    for (std::size_t i = 0; i < arcs.size(); ++i)
        if (!arcs[i].empty()) ends.emplace_back(arcs[i].front(), i), ends.emplace_back(arcs[i].back(), i);
    std::sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) {
        return a.first.x < b.first.x || (a.first.x == b.first.x && a.first.y < b.first.y);
    });
    ends.erase(std::unique(ends.begin(), ends.end(), [](const auto& a, const auto& b) { return a.first == b.first; }),
               ends.end());
    std::vector<arc_segment> found;
    for (std::size_t i = 0; i < arcs.size(); ++i)
        for (std::size_t k = 0; k + 1 < kept[i].size(); ++k) {
            const std::size_t from = kept[i][k], to = kept[i][k + 1];
            if (to == from + 1) continue;
            box reach;
            for (std::size_t v = from; v <= to; ++v) reach.add(arcs[i][v]);
            auto e = std::lower_bound(ends.begin(), ends.end(), reach.west,
                                      [](const auto& a, double x) { return a.first.x < x; });
            for (bool over = false; !over && e != ends.end() && e->first.x <= reach.east; ++e) {
                const auto& p = e->first;
                if (p.y < reach.south || p.y > reach.north) continue;
                bool odd = false, own = false;
                for (std::size_t v = from; v <= to && !own; ++v) {
                    const auto &a = arcs[i][v], &b = v == to ? arcs[i][from] : arcs[i][v + 1];
                    own = a == p;
                    if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) odd = !odd;
                }
                over = odd && !own;
                if (over) found.push_back({i, k});
            }
        }
    return found;
}

}  // namespace gdalmcp_vector
