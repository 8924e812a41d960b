#include "ogr_random_points.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "raster/cell_sample.hpp"
#include "vector/ogr_reading.hpp"
#include "vector/ogr_shapes.hpp"

namespace gdalmcp_vector_more {

using namespace gdalmcp_vector;
using geos::handle;

namespace {

// The numbers of a stream, one after the other, in [0, 1).
class draws {
public:
    draws(std::uint64_t seed, std::uint64_t number)
        : seed_{gdalmcp_raster::cell_number(seed, static_cast<std::int64_t>(number))} {}
    double next() {
        constexpr double step = 0x1p-53;
        return static_cast<double>(gdalmcp_raster::cell_number(seed_, i_++) >> 11) * step;
    }

private:
    std::uint64_t seed_;
    std::int64_t i_ = 0;
};

struct triangle {
    std::array<OGRRawPoint, 3> corner;
    double max_scale = 1;  // no place in it has a larger areal scale
    double weight = 0;     // its area on the map times that
    OGRRawPoint at(double u, double v) const {
        const auto &a = corner[0], &b = corner[1], &c = corner[2];
        return {a.x + u * (b.x - a.x) + v * (c.x - a.x), a.y + u * (b.y - a.y) + v * (c.y - a.y)};
    }
};

class sampling {
public:
    sampling(const OGRGeometry& own, surface* earth, bool geographic) : earth_{earth}, geographic_{geographic} {
        whole_ = geos::only_dimension(geos::owned(GEOSUnaryUnion_r(handle(), to_shape(own).get())), 2);
        if (!whole_) throw unusable{"it is no polygon, and has no area"};
        inside_ = geos::prepare(*whole_);
        geos::for_each_part(*whole_, [&](const GEOSGeometry& part) { add_triangles(part); });
        double sum = 0;
        for (const auto& t : triangles_) up_to_.push_back(sum += t.weight);
        if (!(sum > 0)) throw unusable{"it has no area"};
    }

    // By rejection: a triangle by its weight, a place in it, which is kept in proportion to its areal scale.
    OGRRawPoint draw(draws& numbers) const {
        constexpr int most = 100'000;
        for (int tries = 0; tries < most; ++tries) {
            const double wanted = numbers.next() * up_to_.back();
            const auto i = std::upper_bound(up_to_.begin(), up_to_.end(), wanted) - up_to_.begin();
            const auto& t = triangles_[std::min(static_cast<std::size_t>(i), triangles_.size() - 1)];
            double u = numbers.next(), v = numbers.next();
            if (u + v > 1) u = 1 - u, v = 1 - v;
            const auto p = t.at(u, v);
            if (earth_ && numbers.next() * t.max_scale > earth_->scale_at(p.x, p.y)) continue;
            if (contains(p)) return p;
        }
        throw unusable{"it is too narrow for random points"};
    }

private:
    void add_triangles(const GEOSGeometry& part) {
        const auto made = GEOSConstrainedDelaunayTriangulation_r(handle(), &part);
        const geos::shape all{made};
        const double area = geos::area(part);
        // GEOS 3.11 fails on some polygons with holes.
        if (all && std::abs(geos::area(*all) - area) <= 1e-9 * area)
            return geos::for_each_part(*all, [&](const GEOSGeometry& one) { add(one); });
        const auto b = geos::box_of(part);
        add({{{{b.minx, b.miny}, {b.maxx, b.miny}, {b.maxx, b.maxy}}}});
        add({{{{b.minx, b.miny}, {b.maxx, b.maxy}, {b.minx, b.maxy}}}});
    }
    void add(const GEOSGeometry& polygon) {
        const auto shape = to_ogr(polygon);
        const auto& ring = *shape->toPolygon()->getExteriorRing();
        triangle t;
        for (int i = 0; i < 3; ++i) t.corner[static_cast<std::size_t>(i)] = {ring.getX(i), ring.getY(i)};
        add(t);
    }
    void add(triangle t) {
        OGRLinearRing ring;
        for (const auto& c : t.corner) ring.addPoint(c.x, c.y);
        ring.closeRings();
        OGRPolygon polygon;
        polygon.addRing(&ring);
        if (earth_) t.max_scale = bound(t);
        t.weight = polygon.get_Area() * t.max_scale;
        if (t.weight > 0) triangles_.push_back(t);
    }
    // No place in the triangle has a larger areal scale. In degrees it grows towards the equator; on maps it is looked
    // up at places of the triangle, which a smooth scale exceeds by less than a tenth between them.
    double bound(const triangle& t) const {
        if (geographic_) {
            double low = t.corner[0].y, high = low;
            for (const auto& c : t.corner) low = std::min(low, c.y), high = std::max(high, c.y);
            return earth_->scale_at(t.corner[0].x, std::clamp(0.0, low, high));
        }
        constexpr int side = 8;
        double most = 0;
        for (int i = 0; i <= side; ++i)
            for (int k = 0; i + k <= side; ++k) {
                const auto p = t.at(static_cast<double>(i) / side, static_cast<double>(k) / side);
                most = std::max(most, earth_->scale_at(p.x, p.y));
            }
        if (!std::isfinite(most)) throw unusable{"PROJ has no place for some of it"};
        return 1.1 * most;
    }
    bool contains(const OGRRawPoint& p) const {
        const auto point = geos::owned(GEOSGeom_createPointFromXY_r(handle(), p.x, p.y));
        return geos::yes(GEOSPreparedContains_r(handle(), inside_.get(), point.get()));
    }

    surface* earth_;
    bool geographic_;
    geos::shape whole_;
    geos::prepared inside_;
    std::vector<triangle> triangles_;
    std::vector<double> up_to_;  // sums of weights
};

}  // namespace

pieces random_points(const OGRGeometry& shape, std::int64_t n, std::uint64_t seed, std::uint64_t number, surface* earth,
                     bool geographic) {
    return by_geos([&] {
        const sampling in{shape, earth, geographic};
        draws numbers{seed, number};
        pieces all;
        for (std::int64_t i = 0; i < n; ++i) {
            const auto at = in.draw(numbers);
            all.push_back({std::make_unique<OGRPoint>(at.x, at.y)});
        }
        return all;
    });
}

}  // namespace gdalmcp_vector_more
