#include "ogr_surface.hpp"

#include <cmath>
#include <vector>

#include "ogr_reading.hpp"
#include "ogr_shapes.hpp"
#include "ogr_tracing.hpp"

namespace gdalmcp_vector {

namespace gdal = gdalmcp::gdal;
using geos::handle;

namespace {

constexpr double small_metres = 5000, step_metres = 2000;

struct moments {
    double area = 0, x = 0, y = 0;  // of the area: x and y times it
};

// Of a ring, relative to an origin near it, its area positive.
moments ring_moments(const GEOSGeometry& ring, double x0, double y0) {
    thread_local std::vector<double> xy;
    const auto* s = GEOSGeom_getCoordSeq_r(handle(), &ring);
    unsigned n = 0;
    if (!s || GEOSCoordSeq_getSize_r(handle(), s, &n) != 1) geos::fail();
    xy.resize(2 * static_cast<std::size_t>(n));
    if (n && GEOSCoordSeq_copyToBuffer_r(handle(), s, xy.data(), 0, 0) != 1) geos::fail();
    moments m;
    for (std::size_t i = 0; i + 3 < xy.size(); i += 2) {
        const double ax = xy[i] - x0, ay = xy[i + 1] - y0, bx = xy[i + 2] - x0, by = xy[i + 3] - y0;
        const double cross = ax * by - bx * ay;
        m.area += cross / 2;
        m.x += (ax + bx) * cross / 6;
        m.y += (ay + by) * cross / 6;
    }
    if (m.area < 0) m = {-m.area, -m.x, -m.y};
    return m;
}

}  // namespace

surface::surface(const OGRSpatialReference& crs)
    : earth_{crs.GetSemiMajor(), crs.GetInvFlattening()}, exact_{crs}, geographic_{crs.IsGeographic() != FALSE} {
    if (geographic_) {
        unit_ = gdal::detail::degrees_per_unit(crs);
        small_ = small_metres / 111000 / unit_;
        return;
    }
    own_ = gdal::own_geographic_of(crs);
    if (!own_) return;
    unit_ = gdal::detail::degrees_per_unit(*own_.crs);
    small_ = small_metres / crs.GetLinearUnits();
    step_ = step_metres / crs.GetLinearUnits();
}

double surface::scale_of_node(std::int64_t column, std::int64_t row) {
    const auto key = (static_cast<std::uint64_t>(column) << 32) ^ (static_cast<std::uint64_t>(row) & 0xffffffffU);
    const auto [at, fresh] = nodes_.try_emplace(key, 0.0);
    if (!fresh) return at->second;
    const double e = step_ / 40, cx = static_cast<double>(column) * step_, cy = static_cast<double>(row) * step_;
    std::vector<double> x{cx - e, cx + e, cx, cx, cx}, y{cy, cy, cy - e, cy + e, cy};
    const gdal::quiet silence;
    if (!gdal::transform_all(*own_.way, x, y)) return at->second = std::nan("");
    const double unit = unit_ * radian_per_degree;
    const auto turn = [&](double d) { return std::remainder(d * unit, 360 * radian_per_degree); };
    const double lon_x = turn(x[1] - x[0]) / (2 * e), lon_y = turn(x[3] - x[2]) / (2 * e);
    const double lat_x = (y[1] - y[0]) * unit / (2 * e), lat_y = (y[3] - y[2]) * unit / (2 * e);
    const double latitude = y[4] * unit;
    return at->second = std::abs(lon_x * lat_y - lon_y * lat_x) * earth_.parallel_radius(latitude) *
                        earth_.meridian_radius(latitude);
}

double surface::scale_at(double x, double y) {
    if (geographic_) {
        const double latitude = y * unit_ * radian_per_degree;
        return earth_.parallel_radius(latitude) * earth_.meridian_radius(latitude) *
               std::pow(unit_ * radian_per_degree, 2);
    }
    const double column = std::floor(x / step_), row = std::floor(y / step_), u = x / step_ - column,
                 v = y / step_ - row;
    const auto c = static_cast<std::int64_t>(column), r = static_cast<std::int64_t>(row);
    return (1 - v) * ((1 - u) * scale_of_node(c, r) + u * scale_of_node(c + 1, r)) +
           v * ((1 - u) * scale_of_node(c, r + 1) + u * scale_of_node(c + 1, r + 1));
}

double surface::part_area(const GEOSGeometry& polygon) {
    const auto box = geos::box_of(polygon);
    const bool in_range = std::abs(box.minx) < 1e9 * step_ && std::abs(box.miny) < 1e9 * step_;
    const bool near_a_pole = geographic_ && std::max(std::abs(box.miny), std::abs(box.maxy)) * unit_ > 85;
    if (std::max(box.maxx - box.minx, box.maxy - box.miny) <= small_ && (geographic_ || in_range) && !near_a_pole) {
        auto m = ring_moments(*GEOSGetExteriorRing_r(handle(), &polygon), box.minx, box.miny);
        const int holes = GEOSGetNumInteriorRings_r(handle(), &polygon);
        for (int i = 0; i < holes; ++i) {
            const auto hole = ring_moments(*GEOSGetInteriorRingN_r(handle(), &polygon, i), box.minx, box.miny);
            m = {m.area - hole.area, m.x - hole.x, m.y - hole.y};
        }
        if (!(m.area > 0)) return 0;
        const double scale = scale_at(std::clamp(box.minx + m.x / m.area, box.minx, box.maxx),
                                      std::clamp(box.miny + m.y / m.area, box.miny, box.maxy));
        if (std::isfinite(scale) && scale > 0) return m.area * scale;
    }
    const auto area = exact_.of(*to_ogr(polygon));
    if (!area || !std::isfinite(*area)) throw unusable{"PROJ has no place for some of its vertices"};
    return *area;
}

double surface::area(const GEOSGeometry& shape) {
    double sum = 0;
    geos::for_each_part(shape, [&](const GEOSGeometry& part) {
        if (GEOSGeomTypeId_r(handle(), &part) == GEOS_POLYGON && !geos::empty(part)) sum += part_area(part);
    });
    return sum;
}

}  // namespace gdalmcp_vector
