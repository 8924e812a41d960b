#include "scattered_points.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace gdalmcp_raster_more {
namespace {

bool closer(const neighbour& a, const neighbour& b) {
    return std::tie(a.distance, a.point) < std::tie(b.distance, b.point);
}

}  // namespace

std::size_t merge_duplicates(std::vector<measured_point>& points) {
    std::stable_sort(points.begin(), points.end(),
                     [](const auto& a, const auto& b) { return std::tie(a.x, a.y) < std::tie(b.x, b.y); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < points.size();) {
        auto p = points[i];
        std::size_t n = 1;
        while (i + n < points.size() && points[i + n].x == p.x && points[i + n].y == p.y)
            p.value += points[i + n++].value;
        p.value /= static_cast<double>(n);
        points[kept++] = p;
        i += n;
    }
    const auto merged = points.size() - kept;
    points.resize(kept);
    return merged;
}

struct point_index::search {
    double x, y, radius;
    std::size_t most, without;
    std::vector<neighbour>& found;  // a heap, the farthest first

    double limit() const { return found.size() < most ? radius : std::min(radius, found.front().distance); }
};

point_index::point_index(const std::vector<measured_point>& points) : points_{points}, order_(points.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    split(0, order_.size(), true);
}

void point_index::split(std::size_t begin, std::size_t end, bool by_x) {
    if (end - begin < 2) return;
    const auto middle = begin + (end - begin) / 2;
    const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end), [&](std::size_t a, std::size_t b) {
        const auto &p = points_[a], &q = points_[b];
        return by_x ? std::tie(p.x, a) < std::tie(q.x, b) : std::tie(p.y, a) < std::tie(q.y, b);
    });
    split(begin, middle, !by_x);
    split(middle + 1, end, !by_x);
}

void point_index::visit(std::size_t begin, std::size_t end, bool by_x, search& s) const {
    if (begin >= end) return;
    const auto middle = begin + (end - begin) / 2, point = order_[middle];
    const auto& p = points_[point];
    if (point != s.without) {
        const neighbour n{std::hypot(p.x - s.x, p.y - s.y), point};
        if (n.distance <= s.radius && (s.found.size() < s.most || closer(n, s.found.front()))) {
            if (s.found.size() == s.most) {
                std::pop_heap(s.found.begin(), s.found.end(), closer);
                s.found.pop_back();
            }
            s.found.push_back(n);
            std::push_heap(s.found.begin(), s.found.end(), closer);
        }
    }
    const double beyond = by_x ? s.x - p.x : s.y - p.y;
    const auto low = [&] { visit(begin, middle, !by_x, s); };
    const auto high = [&] { visit(middle + 1, end, !by_x, s); };
    beyond < 0 ? low() : high();
    if (std::abs(beyond) <= s.limit()) beyond < 0 ? high() : low();
}

void point_index::nearest(double x, double y, std::size_t most, double radius, std::size_t without,
                          std::vector<neighbour>& found) const {
    found.clear();
    search s{x, y, radius, most, without, found};
    visit(0, order_.size(), true, s);
    std::sort_heap(found.begin(), found.end(), closer);
}

}  // namespace gdalmcp_raster_more
