#include "gdal_areas.hpp"

#include <cmath>
#include <limits>

#include "gdal_zones.hpp"

namespace gdalmcp_aggregation {
namespace {

using gdalmcp::gdal::number_text;

constexpr double degree = 3.14159265358979323846 / 180;
// Limits: the change of a zone's area when edges are halved, and the length of edges in degrees. The error left after
// extrapolation is the change times the square of an edge over the Earth's radius: below 1e-7.
constexpr double small_change = 1e-3, short_edge = 0.5;

struct ellipsoid {
    double semi_major, inverse_flattening;  // 0: a sphere

    explicit ellipsoid(const OGRSpatialReference& crs)
        : semi_major{crs.GetSemiMajor()}, inverse_flattening{crs.GetInvFlattening()} {}
    // Without a datum: coordinates are mapped on one and the same ellipsoid.
    std::string proj() const {
        return " +over +no_defs +a=" + number_text(semi_major) +
               (inverse_flattening > 0 ? " +rf=" + number_text(inverse_flattening) : " +b=" + number_text(semi_major));
    }
};

transformation between(const OGRSpatialReference& from, const OGRSpatialReference& to) {
    OGRSpatialReference a{from}, b{to};
    a.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    b.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    const gdalmcp::gdal::quiet silence;
    return transformation{OGRCreateCoordinateTransformation(&a, &b)};
}

// To longitude and latitude in degrees on the same datum; empty if the CRS has none.
transformation degrees_of(const OGRSpatialReference& crs) {
    if (crs.IsEmpty() || crs.IsLocal()) return {};
    OGRSpatialReference degrees;
    if (degrees.importFromProj4(("+proj=longlat" + ellipsoid{crs}.proj()).c_str()) != OGRERR_NONE) return {};
    const std::unique_ptr<OGRSpatialReference> base{crs.CloneGeogCS()};
    if (!base) return {};
    return between(crs, *base);
}

bool in_degrees(const OGRSpatialReference& crs) {
    return gdalmcp::gdal::detail::geographic(crs) &&
           std::abs(crs.GetAngularUnits() - CPLAtof(SRS_UA_DEGREE_CONV)) < 1e-12;
}

// Twice the area of every `step`-th vertex, relative to the first: far coordinates lose digits.
double twice_area(const std::vector<double>& x, const std::vector<double>& y, std::size_t step) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); i += step) {
        const auto j = i + step < x.size() ? i + step : 0;
        sum += (x[i] - x[0]) * (y[j] - y[0]) - (x[j] - x[0]) * (y[i] - y[0]);
    }
    return std::abs(sum);
}

}  // namespace

zone_areas::zone_areas(const OGRSpatialReference& crs) : crs_{crs} {
    if (crs.IsEmpty() || crs.IsLocal()) return;
    OGRSpatialReference degrees, equal_area;
    const auto shape = ellipsoid{crs}.proj();
    if (degrees.importFromProj4(("+proj=longlat" + shape).c_str()) != OGRERR_NONE ||
        equal_area.importFromProj4(("+proj=cea +units=m" + shape).c_str()) != OGRERR_NONE)
        return;
    if (!in_degrees(crs) && !(to_degrees_ = degrees_of(crs))) return;
    flatten_ = between(degrees, equal_area);
}

// Adds a ring in the exact equal-area projection, once by its vertices and once with edge midpoints added.
bool zone_areas::add_ring(const OGRLinearRing& line, double sign, double& coarse, double& fine) {
    x_.clear();
    y_.clear();
    for (int i = 0; i + 1 < line.getNumPoints(); ++i) {
        x_.insert(x_.end(), {line.getX(i), (line.getX(i) + line.getX(i + 1)) / 2});
        y_.insert(y_.end(), {line.getY(i), (line.getY(i) + line.getY(i + 1)) / 2});
    }
    if (x_.empty()) return true;
    const auto n = static_cast<int>(x_.size());
    if (to_degrees_) {
        if (!to_degrees_->Transform(n, x_.data(), y_.data())) return false;
        for (std::size_t i = 1; i < x_.size(); ++i)  // no edge jumps by more than half a turn
            x_[i] -= 360 * std::round((x_[i] - x_[i - 1]) / 360);
        if (std::abs(x_.back() - x_.front()) > 180) return false;  // around a pole
    }
    for (std::size_t i = 1; i < x_.size(); ++i)
        if (std::abs(x_[i] - x_[i - 1]) > short_edge / 2 || std::abs(y_[i] - y_[i - 1]) > short_edge / 2) return false;
    if (!flatten_->Transform(n, x_.data(), y_.data())) return false;
    coarse += sign * twice_area(x_, y_, 2) / 2;
    fine += sign * twice_area(x_, y_, 1) / 2;
    return true;
}

bool zone_areas::add(const OGRGeometry& shape, double& coarse, double& fine) {
    if (wkbFlatten(shape.getGeometryType()) == wkbPolygon) {
        double sign = 1;
        for (const auto* line : *shape.toPolygon()) {
            if (!add_ring(*line, sign, coarse, fine)) return false;
            sign = -1;
        }
        return true;
    }
    if (!OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbGeometryCollection)) return false;
    for (const auto* part : *shape.toGeometryCollection())
        if (!add(*part, coarse, fine)) return false;
    return true;
}

std::optional<double> zone_areas::of(const OGRGeometry& shape) {
    double coarse = 0, fine = 0;
    {
        const gdalmcp::gdal::quiet silence;
        // The error falls to a quarter where edges are halved: the remaining error is a third of the difference.
        if (flatten_ && add(shape, coarse, fine) && std::abs(fine - coarse) <= small_change * fine)
            return fine + (fine - coarse) / 3;
    }
    return gdalmcp::gdal::ellipsoidal_area(shape, crs_);
}

}  // namespace gdalmcp_aggregation
