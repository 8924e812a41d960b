#include "ogr_simplification.hpp"

#include "arc_conflicts.hpp"
#include "visvalingam.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace gdalmcp_vector {

namespace gdal = gdalmcp::gdal;

namespace {

constexpr double plane_reach = 500'000;  // metres; distances are true to 1 : 1000 in it

double apart(const map_point& a, const map_point& b) { return std::hypot(a.x - b.x, a.y - b.y); }

bool is_closed(const point_list& line) { return line.size() > 1 && line.front() == line.back(); }

point_list chosen(const point_list& line, const std::vector<std::size_t>& kept) {
    point_list out;
    for (const auto i : kept) out.push_back(line[i]);
    return out;
}

// The two stretches of a closed line, which meet at the vertex farthest from its first.
std::size_t farthest_of(const point_list& line) {
    std::size_t far = 0;
    for (std::size_t i = 1; i + 1 < line.size(); ++i)
        if (apart(line[0], line[i]) > apart(line[0], line[far])) far = i;
    return far;
}

}  // namespace

point_list points_of(const OGRSimpleCurve& line) {
    point_list all;
    for (int i = 0; i < line.getNumPoints(); ++i) all.push_back({line.getX(i), line.getY(i)});
    return all;
}

std::vector<std::size_t> vertex_choice::in_plane(const point_list& line, double tolerance) const {
    if (how_ == simplification::visvalingam) return visvalingam(line, tolerance * tolerance);
    OGRLineString with_indexes;  // each vertex carries its index as z, which GEOS leaves alone
    for (std::size_t i = 0; i < line.size(); ++i) with_indexes.addPoint(line[i].x, line[i].y, static_cast<double>(i));
    const gdal::quiet silence;
    const std::unique_ptr<OGRGeometry> simple{with_indexes.Simplify(tolerance)};
    if (!simple || wkbFlatten(simple->getGeometryType()) != wkbLineString) gdal::raise("GEOS cannot simplify a line");
    std::vector<std::size_t> kept;
    const auto& points = *simple->toLineString();
    for (int i = 0; i < points.getNumPoints(); ++i) kept.push_back(static_cast<std::size_t>(points.getZ(i)));
    return kept;
}

std::vector<std::size_t> vertex_choice::of_open(const point_list& line, double tolerance) const {
    if (line.size() < 3) {
        std::vector<std::size_t> all;
        for (std::size_t i = 0; i < line.size(); ++i) all.push_back(i);
        return all;
    }
    if (!earth_) return in_plane(line, tolerance);
    std::vector<double> x, y;
    for (const auto& p : line) {
        x.push_back(p.x);
        y.push_back(p.y);
    }
    const auto at = earth_->degrees(std::move(x), std::move(y));
    std::vector<std::size_t> kept{0};
    for (std::size_t from = 0; from + 1 < line.size();) {
        const azimuthal_plane plane{earth_->ellipsoid(), at.longitude[from], at.latitude[from]};
        point_list piece{{0, 0}};
        std::size_t to = from;
        while (to + 1 < line.size() && (to == from || std::hypot(piece.back().x, piece.back().y) < plane_reach)) {
            ++to;
            const auto p = plane.forward(at.longitude[to], at.latitude[to]);
            piece.push_back({p.x, p.y});
        }
        for (const auto i : in_plane(piece, tolerance))
            if (i > 0) kept.push_back(from + i);
        from = to;
    }
    // On the map a pole is an edge, whose ends are corners although they are one place on the ground.
    const auto at_pole = [&](std::size_t i) { return std::abs(at.latitude[i]) > 90 - 1e-9; };
    for (std::size_t i = 0; i < line.size(); ++i)
        if (at_pole(i)) kept.push_back(i);
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    return kept;
}

std::vector<std::size_t> vertex_choice::of(const point_list& line, double tolerance, bool whole) const {
    if (tolerance <= 0 || !is_closed(line)) {
        if (tolerance > 0) return of_open(line, tolerance);
        std::vector<std::size_t> all;
        for (std::size_t i = 0; i < line.size(); ++i) all.push_back(i);
        return all;
    }
    const std::size_t far = farthest_of(line);
    if (far == 0) return {};
    const auto middle = line.begin() + static_cast<std::ptrdiff_t>(far);
    auto kept = of_open({line.begin(), middle + 1}, tolerance);
    for (const auto i : of_open({middle, line.end()}, tolerance))
        if (i > 0) kept.push_back(far + i);
    if (kept.size() >= 4) return kept;
    if (!whole) return {};
    const auto &a = line.front(), &b = line[far];
    std::size_t widest = 0;
    double most = 0;
    for (std::size_t i = 1; i + 1 < line.size(); ++i) {
        const double off = std::abs((b.x - a.x) * (line[i].y - a.y) - (b.y - a.y) * (line[i].x - a.x));
        if (off > most) {
            most = off;
            widest = i;
        }
    }
    if (widest == 0) return {};
    kept = {0, std::min(far, widest), std::max(far, widest), line.size() - 1};
    return kept;
}

namespace {

// Of the vertices that a segment left out the farthest from it, and what its two halves then need; or all.
void put_back(const point_list& arc, std::size_t from, std::size_t to, const vertex_choice& choice, double tolerance,
              std::vector<std::size_t>& into) {
    const auto &a = arc[from], &b = arc[to];
    const double length = apart(a, b);
    const auto off = [&](const map_point& p) {
        return length > 0 ? std::abs((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x)) / length : apart(a, p);
    };
    auto farthest = from + 1;
    for (auto v = farthest; v < to; ++v)
        if (off(arc[v]) > off(arc[farthest])) farthest = v;
    into.push_back(farthest);
    // What was near the segment may be far from a half of it.
    for (const auto& [begin, end] : {std::pair{from, farthest}, std::pair{farthest, to}}) {
        const point_list half{arc.begin() + static_cast<std::ptrdiff_t>(begin),
                              arc.begin() + static_cast<std::ptrdiff_t>(end) + 1};
        auto kept = choice.of(half, tolerance, true);
        if (kept.empty()) kept = choice.of(half, 0, true);
        for (const auto i : kept)
            if (i > 0 && begin + i < end) into.push_back(begin + i);
    }
}

}  // namespace

simplified_arcs simplify_together(const std::vector<point_list>& arcs, const vertex_choice& choice, double tolerance,
                                  const std::function<void(double)>& report) {
    constexpr int splits = 40;  // after them a stretch that still conflicts stays as it was
    std::vector<std::vector<std::size_t>> kept(arcs.size());
    simplified_arcs out;
    out.arcs.resize(arcs.size());
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        kept[i] = choice.of(arcs[i], tolerance, true);
        if (kept[i].empty()) kept[i] = choice.of(arcs[i], 0, true);
        out.arcs[i] = chosen(arcs[i], kept[i]);
        if (i % 256 == 0) report(0.5 * static_cast<double>(i) / static_cast<double>(arcs.size()));
    }
    std::set<std::pair<std::size_t, std::size_t>> always;
    for (const auto& [s, t] : crossings(arcs)) always.emplace(s.arc, t.arc);
    std::set<std::size_t> finer;
    for (int round = 0;; ++round) {
        report(1 - 0.5 / (round + 1));
        const auto over = passed_over(arcs, kept);
        std::set<arc_segment> bad{over.begin(), over.end()};
        for (const auto& [s, t] : crossings(out.arcs))
            if (!always.contains({s.arc, t.arc})) bad.insert({s, t});
        std::erase_if(bad, [&](const auto& s) { return kept[s.arc][s.segment + 1] == kept[s.arc][s.segment] + 1; });
        if (bad.empty()) break;
        std::map<std::size_t, std::vector<std::size_t>> back;
        for (const auto& s : bad)
            put_back(arcs[s.arc], kept[s.arc][s.segment], kept[s.arc][s.segment + 1], choice,
                     round < splits ? tolerance : 0, back[s.arc]);
        for (const auto& [i, vertices] : back) {
            kept[i].insert(kept[i].end(), vertices.begin(), vertices.end());
            std::sort(kept[i].begin(), kept[i].end());
            out.arcs[i] = chosen(arcs[i], kept[i]);
            finer.insert(i);
        }
    }
    out.finer = finer.size();
    return out;
}

namespace {

template <class Curve>
std::unique_ptr<Curve> curve_of(const point_list& points) {
    auto line = std::make_unique<Curve>();
    std::vector<double> x, y;
    for (const auto& p : points) {
        x.push_back(p.x);
        y.push_back(p.y);
    }
    line->setPoints(static_cast<int>(points.size()), x.data(), y.data());
    line->flattenTo2D();
    return line;
}

std::unique_ptr<OGRGeometry> rebuild(const OGRGeometry& shape, const replacement& points, int& lost) {
    if (OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbGeometryCollection)) {
        std::unique_ptr<OGRGeometry> all{OGRGeometryFactory::createGeometry(wkbFlatten(shape.getGeometryType()))};
        for (const auto* part : *shape.toGeometryCollection())
            if (auto one = rebuild(*part, points, lost))
                all->toGeometryCollection()->addGeometryDirectly(one.release());
        return all->IsEmpty() ? nullptr : std::move(all);
    }
    if (OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbPolygon)) {
        auto polygon = std::make_unique<OGRPolygon>();
        bool gone = false, shell = true;
        for (const auto* ring : *shape.toPolygon()) {
            const auto left = points(*ring);
            const bool kept = left.size() >= 4 && !gone;
            if (kept) polygon->addRingDirectly(curve_of<OGRLinearRing>(left).release());
            lost += left.size() < 4;
            gone = gone || (shell && !kept);
            shell = false;
        }
        return gone || polygon->IsEmpty() ? nullptr : std::move(polygon);
    }
    if (wkbFlatten(shape.getGeometryType()) == wkbLineString) {
        const auto left = points(*shape.toLineString());
        lost += left.size() < 2;
        if (left.size() < 2) return nullptr;
        return curve_of<OGRLineString>(left);
    }
    return std::unique_ptr<OGRGeometry>{shape.clone()};
}

}  // namespace

rebuilt rebuild(const OGRGeometry& linear, const replacement& points) {
    rebuilt r;
    r.shape = rebuild(linear, points, r.lost);
    return r;
}

}  // namespace gdalmcp_vector
