#include "ogr_bent_edges.hpp"

#include <gdalmcp/gdal.hpp>
#include <gdalmcp/gdal_degrees.hpp>
#include <gdalmcp/gdal_transformation.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ogr_ground.hpp"
#include "ogr_layer_pass.hpp"

namespace gdalmcp_vector {

namespace gdal = gdalmcp::gdal;

namespace {

constexpr double metres_in_degree = 111'320;

double metres_in_unit(const OGRSpatialReference& crs) {
    return crs.IsGeographic() ? gdal::detail::degrees_per_unit(crs) * metres_in_degree : crs.GetLinearUnits();
}

// Between degrees edges keep their course but for a datum shift, and in space they have none.
bool may_bend(const OGRSpatialReference& from, const OGRSpatialReference& to) {
    return !(from.IsGeographic() && to.IsGeographic()) && !from.IsGeocentric() && !to.IsGeocentric();
}

}  // namespace

bent_edges::bent_edges(const OGRSpatialReference& from, const OGRSpatialReference& to, OGRCoordinateTransformation& way)
    : way_{&way},
      to_degrees_{to.IsGeographic() != 0},
      longest_straight_{may_bend(from, to) ? 20'000 / metres_in_unit(from) : std::numeric_limits<double>::infinity()},
      metres_{metres_in_unit(to)} {}

void bent_edges::collect(const OGRSimpleCurve& line) {
    const double limit = longest_straight_ * longest_straight_;
    for (int i = 1; i < line.getNumPoints(); ++i) {
        const double x0 = line.getX(i - 1), y0 = line.getY(i - 1), x1 = line.getX(i), y1 = line.getY(i);
        if ((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0) <= limit) continue;
        x_.insert(x_.end(), {x0, x1, (x0 + x1) / 2});
        y_.insert(y_.end(), {y0, y1, (y0 + y1) / 2});
    }
}

void bent_edges::look_at(const OGRGeometry& geometry) {
    if (!std::isfinite(longest_straight_)) return;
    struct visitor : OGRDefaultConstGeometryVisitor {
        using OGRDefaultConstGeometryVisitor::visit;
        bent_edges& by;
        explicit visitor(bent_edges& b) : by{b} {}
        void visit(const OGRLineString* line) override { by.collect(*line); }
        void visit(const OGRLinearRing* ring) override { by.collect(*ring); }
    } each{*this};
    x_.clear();
    y_.clear();
    geometry.accept(&each);
    if (x_.empty()) return;
    const auto placed = gdal::transform_each(*way_, x_, y_);
    constexpr double noticeable = 0.002;
    bool any = false;
    for (std::size_t i = 0; i + 2 < x_.size(); i += 3) {
        if (!placed[i] || !placed[i + 1] || !placed[i + 2]) continue;
        double run = x_[i + 1] - x_[i], off = x_[i + 2] - x_[i];
        const double rise = y_[i + 1] - y_[i], up = y_[i + 2] - y_[i];
        if (to_degrees_) {
            const double degrees = metres_ / metres_in_degree, turn = 360 / degrees;
            const double narrower = std::cos(y_[i + 2] * degrees * std::acos(-1.0) / 180);
            run = (run - turn * std::round(run / turn)) * narrower;
            off = (off - turn * std::round(off / turn)) * narrower;
        }
        // Off the chord alone: a middle that moves along it, as on meridians in Mercator, bends nothing.
        const double chord = std::hypot(run, rise);
        const double stray = chord > 0 ? std::abs(run * up - rise * off) / chord : std::hypot(off, up);
        if (!(stray > noticeable * chord)) continue;
        any = true;
        if (stray * metres_ <= worst_) continue;
        worst_ = stray * metres_;
        worst_share_ = chord > 0 ? stray / chord : 1;
    }
    bent_ += any;
}

void bent_edges::tell(const std::string& layer, const notice& say) const {
    if (bent_ == 0) return;
    say("vertices alone were moved: long edges in " + counted(bent_) + " of layer '" + layer + "' are off by up to " +
        gdal::number_text(std::round(worst_ / 100) / 10) + " km" +
        (worst_share_ < 1 ? " (" + percent(worst_share_) + " of the edge)" : std::string{}) +
        "; vector_derive with operation densify before keeps their course");
}

}  // namespace gdalmcp_vector
