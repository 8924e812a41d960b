// gdalmcp/gdal_area.hpp — transformed geometries with densified edges, and true areas. Header-only; link GDAL and PROJ.
#pragma once
#include <ogr_geometry.h>
#include <gdalmcp/ellipsoid.hpp>
#include <gdalmcp/gdal_arcs.hpp>
#include <gdalmcp/gdal_degrees.hpp>
#include <gdalmcp/gdal_extent.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace gdalmcp::gdal {

namespace detail {

inline bool geographic(const OGRSpatialReference& srs) { return !srs.IsEmpty() && srs.IsGeographic() != FALSE; }

// Area of polygons, length of lines, 0 for points: the measure that densifying must leave unchanged.
inline double extent_measure(const OGRGeometry& g) {
    auto* handle = OGRGeometry::ToHandle(const_cast<OGRGeometry*>(&g));
    return g.getDimension() == 2 ? OGR_G_Area(handle) : g.getDimension() == 1 ? OGR_G_Length(handle) : 0;
}

// Every edge becomes two, in two dimensions. Returns the number of vertices.
inline std::size_t halve_edges(OGRGeometry& geometry) {
    std::size_t vertices = 0;
    std::vector<OGRRawPoint> points;
    for_each_line(geometry, [&](OGRSimpleCurve& line) {
        points.clear();
        for (int i = 0; i < line.getNumPoints(); ++i) {
            const double x = line.getX(i), y = line.getY(i);
            if (i > 0) points.emplace_back(points.back().x / 2 + x / 2, points.back().y / 2 + y / 2);
            points.emplace_back(x, y);
        }
        line.setPoints(static_cast<int>(points.size()), points.data());
        vertices += points.size();
    });
    return vertices;
}

// How far the vertices that halve the edges of a geometry lie from these at most. 0 where `halved` is not that: cut at
// ±180 degrees.
inline double farthest_from_edges(OGRGeometry& shape, OGRGeometry& halved) {
    std::vector<std::vector<OGRRawPoint>> lines;
    for_each_line(shape, [&](OGRSimpleCurve& line) {
        auto& points = lines.emplace_back();
        for (int i = 0; i < line.getNumPoints(); ++i) points.emplace_back(line.getX(i), line.getY(i));
    });
    double farthest = 0;
    std::size_t at = 0;
    bool alike = true;
    for_each_line(halved, [&](OGRSimpleCurve& line) {
        alike = alike && at < lines.size() && line.getNumPoints() == 2 * static_cast<int>(lines[at].size()) - 1;
        if (!alike) return;
        const auto& points = lines[at++];
        for (std::size_t i = 1; i < points.size(); ++i) {
            const int middle = static_cast<int>(2 * i - 1);
            farthest = std::max(farthest, std::hypot(line.getX(middle) - points[i - 1].x / 2 - points[i].x / 2,
                                                     line.getY(middle) - points[i - 1].y / 2 - points[i].y / 2));
        }
    });
    return alike ? farthest : 0;
}

// Transforms with edges straight in the source CRS, in two dimensions: edges are split until the measure changes by
// less than a factor of 1e-6, and no edge strays by more than that of the geometry's size. wrap: into degrees, see
// into_degrees(). Empty when PROJ cannot transform every vertex.
inline geometry_ptr transform_densified(const OGRGeometry& shape, OGRCoordinateTransformation& t, bool wrap) {
    const quiet silence;
    constexpr int most_halvings = 12;
    constexpr std::size_t most_vertices = 1'000'000;
    const auto moved = [&](const OGRGeometry& g) { return wrap ? into_degrees(g, t) : transformed(g, t); };
    if (shape.getDimension() == 0) return moved(shape);
    geometry_ptr edges{shape.hasCurveGeometry(TRUE) ? straightened(shape).release() : shape.clone()};
    OGREnvelope box;
    edges->getEnvelope(&box);
    if (const double size = std::max(box.MaxX - box.MinX, box.MaxY - box.MinY); size > 0) edges->segmentize(size / 16);
    auto best = moved(*edges);
    for (int halvings = 0; best && halvings < most_halvings; ++halvings) {
        const auto vertices = halve_edges(*edges);
        auto finer = moved(*edges);
        if (!finer) break;
        const double coarse = extent_measure(*best), fine = extent_measure(*finer);
        finer->getEnvelope(&box);
        const double size = std::max(box.MaxX - box.MinX, box.MaxY - box.MinY);
        const bool close =
            std::abs(fine - coarse) <= 1e-6 * std::abs(fine) && farthest_from_edges(*best, *finer) <= 1e-6 * size;
        if (close && halvings == 0) break;  // dense as it was given
        best = std::move(finer);
        if (close || vertices > most_vertices) break;
    }
    return best;
}

// The area on the Earth between an edge and a parallel, positive eastwards, m²: the edge is straight in longitude and
// latitude, in radians, `base` the zone_area() of the parallel. Gauss-Legendre with three points over at most 10° of
// latitude is exact to 2e-11.
inline double strip_area(const ellipsoid& earth, double west, double south, double east, double north, double base) {
    constexpr double ten_degrees = 0.17453292519943295, apart = 0.77459666924148337704;  // √(3/5)
    const int pieces = std::max(1, static_cast<int>(std::ceil(std::abs(north - south) / ten_degrees)));
    const double half = (north - south) / pieces / 2;
    double sum = 0;
    for (int i = 0; i < pieces; ++i) {
        const double middle = south + (2 * i + 1) * half;
        sum += (5 * (earth.zone_area(middle - apart * half) - base) + 8 * (earth.zone_area(middle) - base) +
                5 * (earth.zone_area(middle + apart * half) - base)) /
               18;
    }
    return (east - west) * sum / pieces;
}

// The area of every `step`-th vertex of a closed ring, m². Longitudes and latitudes in radians, the first vertex once
// more at the end, whole turns away for a ring around a pole: the nearer one is inside.
inline double ring_area(const ellipsoid& earth, const std::vector<double>& longitude,
                        const std::vector<double>& latitude, std::size_t step) {
    constexpr double turn = 6.28318530717958647693, pole = turn / 4;
    const double base = earth.zone_area(latitude.front());  // a parallel near the ring: no digits cancel
    double sum = 0;
    for (std::size_t i = 0; i + step < longitude.size(); i += step)
        sum += strip_area(earth, longitude[i], latitude[i], longitude[i + step], latitude[i + step], base);
    const double around = turn * std::round((longitude.back() - longitude.front()) / turn);
    if (around == 0) return std::abs(sum);
    return std::min(std::abs(around * (earth.zone_area(pole) - base) - sum),
                    std::abs(around * (-earth.zone_area(pole) - base) - sum));
}

}  // namespace detail

inline void scale_coordinates(OGRGeometry& geometry, double factor) {
    if (std::abs(factor - 1) < 1e-12) return;
    for_each_vertex(geometry, [factor](OGRPoint& p) {
        p.setX(p.getX() * factor);
        p.setY(p.getY() * factor);
    });
}

// Areas of polygons on the ellipsoid of their CRS, m², edges straight in that CRS. Those in longitude and latitude are
// integrated as they are, so that a box around the world is the whole world. Those of a map are split until the area is
// known within 1e-9.
class ellipsoidal_areas {
public:
    // Creating one for a map takes PROJ milliseconds, an area microseconds.
    explicit ellipsoidal_areas(const OGRSpatialReference& srs) : earth_{srs.GetSemiMajor(), srs.GetInvFlattening()} {
        if (srs.IsEmpty() || srs.IsLocal()) return;
        if (detail::geographic(srs)) {
            radians_ = srs.GetAngularUnits();
            return;
        }
        own_ = own_geographic_of(srs);
        if (!own_) return;
        radians_ = own_.crs->GetAngularUnits();
        metres_ = srs.GetLinearUnits();
    }

    // Nothing without a CRS or where PROJ fails. Z is ignored. Not to be used by several threads at once.
    std::optional<double> of(const OGRGeometry& shape) const {
        if (radians_ == 0) return std::nullopt;
        if (!shape.hasCurveGeometry()) return of_parts(shape);
        const geometry_ptr chords{straightened(shape)};
        return of_parts(*chords);
    }

private:
    std::optional<double> of_parts(const OGRGeometry& shape) const {
        if (OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbPolygon))  // triangles, too
            return own_ ? of_map(*shape.toPolygon()) : of_degrees(*shape.toPolygon());
        double area = 0;
        if (OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbGeometryCollection))
            for (const auto* part : *shape.toGeometryCollection()) {
                const auto own = of_parts(*part);
                if (!own) return std::nullopt;
                area += *own;
            }
        return area;
    }

    std::optional<double> of_degrees(const OGRPolygon& polygon) const {
        constexpr double pole = 1.57079632679489661923, rounding = 1e-9;
        double area = 0;
        std::vector<double> x, y;
        for (const auto* ring : polygon) {
            vertices(*ring, 1, std::numeric_limits<double>::infinity(), x, y);
            if (x.empty()) continue;
            for (std::size_t i = 0; i < x.size(); ++i) {
                x[i] *= radians_;
                y[i] *= radians_;
                if (!std::isfinite(x[i]) || !(std::abs(y[i]) <= pole + rounding)) return std::nullopt;
            }
            area += (ring == polygon.getExteriorRing() ? 1 : -1) * detail::ring_area(earth_, x, y, 1);
        }
        return area;
    }

    struct estimate {
        double coarse = 0, fine = 0;  // m², by every second vertex and by all
        double longest = 0;           // step between vertices, in radians of longitude or latitude
        std::size_t vertices = 0;
    };

    // Edges in `pieces` and more, so that none is longer than `longest`. Nothing where PROJ has no place for a vertex.
    std::optional<estimate> at(const OGRPolygon& polygon, int pieces, double longest) const {
        constexpr double turn = 6.28318530717958647693;
        estimate e;
        std::vector<double> x, y;
        for (const auto* ring : polygon) {
            vertices(*ring, pieces, longest, x, y);
            if (x.empty()) continue;
            if (!transform_all(*own_.way, x, y)) return std::nullopt;
            for (std::size_t i = 0; i < x.size(); ++i) {
                x[i] *= radians_;
                y[i] *= radians_;
                if (i == 0) continue;
                x[i] -= turn * std::round((x[i] - x[i - 1]) / turn);  // no step is more than half a turn
                e.longest = std::max({e.longest, std::abs(x[i] - x[i - 1]), std::abs(y[i] - y[i - 1])});
            }
            const double sign = ring == polygon.getExteriorRing() ? 1 : -1;
            e.coarse += sign * detail::ring_area(earth_, x, y, 2);
            e.fine += sign * detail::ring_area(earth_, x, y, 1);
            e.vertices += x.size();
        }
        return e;
    }

    // Between two vertices an edge of the map is a parabola in longitude and latitude: halving the steps takes three
    // quarters of what is missing, so with a third of the gain more, an error of the fourth order is left.
    std::optional<double> of_map(const OGRPolygon& polygon) const {
        constexpr double small = 20'000, close = 1e-9, negligible = 1e-6;  // m, of the area, m²
        constexpr std::size_t most = 2'000'000;                            // vertices; about a second of PROJ
        const quiet silence;
        OGREnvelope box;
        polygon.getEnvelope(&box);
        const double width = std::max(box.MaxX - box.MinX, box.MaxY - box.MinY);
        const double longest = width * metres_ > small ? width / 16 : std::numeric_limits<double>::infinity();
        std::optional<double> best;
        for (int pieces = 2; pieces <= 1 << 12; pieces *= 2) {
            const auto found = at(polygon, pieces, longest);
            if (!found) break;
            const double gain = found->fine - found->coarse, area = found->fine + gain / 3;
            const double enough = close * area + negligible;
            const bool done = std::abs(gain) * found->longest * found->longest <= enough / 10 ||
                              (best && std::abs(area - *best) <= enough) || found->vertices > most;
            best = area;
            if (done) break;
        }
        return best;
    }

    // Of a closed ring with each edge in `pieces` times as many parts as keep it below `longest`, the first vertex once
    // more at the end; none for less than a triangle.
    static void vertices(const OGRLinearRing& ring, int pieces, double longest, std::vector<double>& x,
                         std::vector<double>& y) {
        x.clear();
        y.clear();
        const int n = ring.getNumPoints();
        if (n < 3) return;
        for (int i = 0; i < n; ++i) {
            const int next = i + 1 < n ? i + 1 : 0;
            const double ax = ring.getX(i), ay = ring.getY(i), bx = ring.getX(next), by = ring.getY(next);
            if (next == 0 && ax == bx && ay == by) break;
            const int parts = pieces * std::max(1, static_cast<int>(std::ceil(std::hypot(bx - ax, by - ay) / longest)));
            for (int k = 0; k < parts; ++k) {
                x.push_back(ax + (bx - ax) * k / parts);
                y.push_back(ay + (by - ay) * k / parts);
            }
        }
        x.push_back(x.front());
        y.push_back(y.front());
    }

    ellipsoid earth_;
    own_geographic own_;  // of a map
    double radians_ = 0;  // a unit of longitude and latitude; 0: without a place on Earth
    double metres_ = 1;   // a unit of the map
};

// The same of one geometry.
inline std::optional<double> ellipsoidal_area(const OGRGeometry& shape, const OGRSpatialReference& srs) {
    return ellipsoidal_areas{srs}.of(shape);
}

}  // namespace gdalmcp::gdal
