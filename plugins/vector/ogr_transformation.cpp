#include "ogr_transformation.hpp"

#include <gdalmcp/gdal_arcs.hpp>
#include <gdalmcp/gdal_area.hpp>
#include <gdalmcp/gdal_collect.hpp>
#include <gdalmcp/gdal_geometry.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ogr_shapes.hpp"

namespace gdalmcp_vector {

using gdalmcp::gdal::crs_label;

bool finite(const OGRGeometry& geometry) {
    OGREnvelope box;
    geometry.getEnvelope(&box);
    return std::isfinite(box.MinX) && std::isfinite(box.MinY) && std::isfinite(box.MaxX) && std::isfinite(box.MaxY);
}

bool same_coordinates(const OGRSpatialReference& a, const OGRSpatialReference& b) {
    constexpr const char* options[] = {"CRITERION=EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS",
                                       "IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES", nullptr};
    return a.IsSame(&b, options) != FALSE;
}

OGRSpatialReference crs_of(OGRLayer& layer, const std::optional<gdalmcp::crs>& given, const notice& say) {
    auto own = gdalmcp::gdal::stated_crs(layer.GetSpatialRef());
    if (!given || layer.GetGeomType() == wkbNone) return own;
    const auto told = gdalmcp::gdal::crs_argument(given->text, "src_crs");
    if (!own.IsEmpty() && !same_coordinates(own, told))
        say("layer '" + std::string{layer.GetName()} + "' declares " + crs_label(own) + ", but src_crs " +
            crs_label(told) + " was used");
    return told;
}

transformation::transformation(const OGRSpatialReference& from, const OGRSpatialReference& to,
                               const gdalmcp::gdal::degrees_area& of_data, bool allow_ballpark, const notice& say) {
    if (same_coordinates(from, to)) {
        about_.name = "none: both CRSs are the same";
        about_.accuracy = 0.0;
        return;
    }
    from_ = from;
    to_ = to;
    const auto area = gdalmcp::gdal::with_size(of_data);
    about_ = gdalmcp::gdal::required_operation(from, to, area, allow_ballpark);
    for (const auto& doubt : gdalmcp::gdal::doubts(about_)) say(doubt);
    OGRCoordinateTransformationOptions options;
    options.SetBallparkAllowed(allow_ballpark);
    // Vertices beyond the area are moved as those in it are, so that no edge is bent between two operations.
    if (area && (*area)[0] <= (*area)[2]) options.SetAreaOfInterest((*area)[0], (*area)[1], (*area)[2], (*area)[3]);
    {
        const gdalmcp::gdal::quiet silence;
        operation_.reset(OGRCreateCoordinateTransformation(&from, &to, options));
    }
    if (!operation_)
        throw gdalmcp::error{GDALMCP_UNSUPPORTED,
                             "PROJ has no transformation from " + crs_label(from) + " to " + crs_label(to),
                             "choose another 'dst_crs', or name the true source CRS with 'src_crs'"};
    if (!to.IsGeographic() && !to.IsGeocentric()) seam_.emplace(from, to, *operation_);
    bent_.emplace(from, to, *operation_);
}

namespace {

bool jumps(OGRGeometry& in_degrees) {
    bool any = false;
    gdalmcp::gdal::detail::for_each_line(in_degrees, [&](const OGRSimpleCurve& line) {
        for (int i = 1; !any && i < line.getNumPoints(); ++i) any = std::abs(line.getX(i) - line.getX(i - 1)) > 180;
    });
    return any;
}

}  // namespace

// Of arcs only three points are moved: where lengths change with their direction, as towards degrees, the circle
// through them is another shape.
bool transformation::keeps_circles(const OGRGeometry& geometry) const {
    OGREnvelope box;
    geometry.getEnvelope(&box);
    const double x = (box.MinX + box.MaxX) / 2, y = (box.MinY + box.MaxY) / 2;
    const double reach = std::max(box.MaxX - box.MinX, box.MaxY - box.MinY) / 2;
    std::vector<double> xs{x - reach, x + reach, x, x}, ys{y, y, y - reach, y + reach};
    if (!gdalmcp::gdal::transform_all(*operation_, xs, ys)) return false;
    const double right = xs[1] - xs[0], rise = ys[1] - ys[0], aside = xs[3] - xs[2], up = ys[3] - ys[2];
    const double across = std::hypot(right, rise), along = std::hypot(aside, up);
    constexpr double close = 1e-5;  // 1 cm for a radius of 1 km
    return std::abs(across - along) <= close * along && std::abs(right * aside + rise * up) <= close * across * along;
}

std::unique_ptr<OGRGeometry> transformation::apply(const OGRGeometry& geometry, bool wrap) {
    if ((!operation_ && !wrap) || geometry.IsEmpty()) return std::unique_ptr<OGRGeometry>{geometry.clone()};
    if (operation_ && geometry.hasCurveGeometry(TRUE) && !keeps_circles(geometry)) {
        const std::unique_ptr<OGRGeometry> straight{gdalmcp::gdal::straightened(geometry)};
        ++straightened_;
        return apply(*straight, wrap);
    }
    const gdalmcp::gdal::quiet silence;
    std::unique_ptr<OGRGeometry> moved;
    if (wrap && mixes_points(geometry)) {
        auto all = std::make_unique<OGRGeometryCollection>();
        for (const auto* part : *geometry.toGeometryCollection()) {
            auto there = apply(*part, wrap);
            if (!there) return nullptr;
            all->addGeometryDirectly(there.release());
        }
        return all;
    }
    if (wrap && operation_ && !from_.IsGeographic()) {
        // GDAL's own cut loses holes on a pole, and turns lines around it back on themselves.
        auto whole = apply(geometry, false);
        OGREnvelope box;
        if (whole) whole->getEnvelope(&box);
        const double half = 180 / gdalmcp::gdal::detail::degrees_per_unit(to_);
        if (whole && !whole->IsEmpty() && box.MinX >= -half && box.MaxX <= half) return whole;
    }
    if (wrap) {
        constexpr const char* options[] = {"WRAPDATELINE=YES", nullptr};
        const auto cut_there = [&](const OGRGeometry& g) {
            moved.reset(OGRGeometryFactory::transformWithOptions(&g, operation_.get(), const_cast<char**>(options)));
        };
        cut_there(geometry);
        if (!moved && operation_)
            if (const std::unique_ptr<OGRGeometry> inner{geometry.clone()};
                gdalmcp::gdal::detail::draw_in(*inner, *operation_))
                cut_there(*inner);
    } else {
        moved = gdalmcp::gdal::detail::transformed(geometry, *operation_);
    }
    if (!moved || (!moved->IsEmpty() && !finite(*moved))) return nullptr;
    if (operation_ && moved->getDimension() == 2 && !from_.IsGeographic() && to_.IsGeographic())
        spread_poles(*moved, gdalmcp::gdal::detail::degrees_per_unit(to_));
    if (operation_ && geometry.getDimension() > 0) moved = whole_on_map(geometry, std::move(moved));
    if (moved && !moved->IsEmpty() && !finite(*moved)) return nullptr;
    return moved;
}

std::unique_ptr<OGRGeometry> transformation::whole_on_map(const OGRGeometry& before,
                                                          std::unique_ptr<OGRGeometry> plain) {
    const bool torn = seam_ && seam_->tears(before, *plain);
    std::unique_ptr<OGRGeometry> cut;
    if (torn)
        cut = seam_->cut(before);
    else if (!from_.IsGeographic() && to_.IsGeographic() && jumps(*plain)) {
        const std::unique_ptr<OGRGeometry> flat{gdalmcp::gdal::straightened(before)};
        flat->flattenTo2D();
        flat->setMeasured(FALSE);
        cut = cut_at_antimeridian(*flat, *plain);
    }
    if (!cut) {
        if (torn) return nullptr;
        bent_->look_at(before);
        return plain;
    }
    // Without the lines that a polygon may leave on the cut.
    if (wkbFlatten(cut->getGeometryType()) == wkbGeometryCollection &&
        wkbFlatten(before.getGeometryType()) != wkbGeometryCollection)
        if (auto parts = gdalmcp::gdal::detail::repaired(*cut); parts && !parts->IsEmpty()) cut = std::move(parts);
    flattened_ += (before.Is3D() || before.IsMeasured()) && !cut->Is3D() && !cut->IsMeasured();
    return cut;
}

// What reaches across ±180° with edges that jump there, densified and cut; nullptr where the edges are just long.
std::unique_ptr<OGRGeometry> transformation::cut_at_antimeridian(const OGRGeometry& before,
                                                                 const OGRGeometry& plain) const {
    namespace gdal = gdalmcp::gdal;
    if (before.getDimension() == 2 && keeps_area(before, plain)) return nullptr;
    auto dense = gdal::detail::transform_densified(before, *operation_, true);
    OGREnvelope box;
    if (dense) dense->getEnvelope(&box);
    if (!dense || (before.getDimension() < 2 && box.MinX >= -180 && box.MaxX <= 180)) return nullptr;
    OGREnvelope world;
    world.MinX = -180, world.MaxX = 180, world.MinY = -90, world.MaxY = 90;
    return gdal::detail::around_the_globe(std::move(dense), gdal::frame{to_, world});
}

std::unique_ptr<OGRGeometry> transformation::apply_densified(const OGRGeometry& geometry) {
    if (!operation_) return std::unique_ptr<OGRGeometry>{geometry.clone()};
    auto moved = gdalmcp::gdal::detail::transform_densified(geometry, *operation_, false);
    return moved && finite(*moved) ? std::move(moved) : nullptr;
}

bool transformation::transform_in_turn(std::vector<double>& x, std::vector<double>& y) {
    const auto before = x;
    if (!gdalmcp::gdal::transform_all(*operation_, x, y)) return false;
    if (!from_.IsGeographic() || !to_.IsGeographic()) return true;
    const double from = gdalmcp::gdal::detail::degrees_per_unit(from_),
                 to = gdalmcp::gdal::detail::degrees_per_unit(to_);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += std::round((before[i] * from - x[i] * to) / 360) * 360 / to;
    return true;
}

bool transformation::keeps_area(const OGRGeometry& before, const OGRGeometry& after) const {
    OGREnvelope box;
    after.getEnvelope(&box);
    if (after.getDimension() != 2 || from_.IsGeographic() || !to_.IsGeographic() ||
        (box.MaxX - box.MinX) * gdalmcp::gdal::detail::degrees_per_unit(to_) < 180)
        return true;
    const auto own = gdalmcp::gdal::ellipsoidal_area(before, from_),
               there = gdalmcp::gdal::ellipsoidal_area(after, to_);
    return own && there && std::abs(*own - *there) <= 0.01 * *own;
}

bool transformation::move_line(OGRSimpleCurve& line) {
    namespace gdal = gdalmcp::gdal;
    const auto n = static_cast<std::size_t>(line.getNumPoints());
    if (n == 0) return true;
    std::vector<double> x, y;
    for (int i = 0; i < static_cast<int>(n); ++i) {
        x.push_back(line.getX(i));
        y.push_back(line.getY(i));
    }
    // From the same end for both features of a common edge.
    const auto between = [&](std::size_t i, int k, int pieces, std::vector<double>& to_x, std::vector<double>& to_y) {
        const bool forward = x[i] != x[i + 1] ? x[i] < x[i + 1] : y[i] < y[i + 1];
        const std::size_t from = forward ? i : i + 1, to = forward ? i + 1 : i;
        const double f = static_cast<double>(forward ? k : pieces - k) / pieces;
        to_x.push_back(x[from] + f * (x[to] - x[from]));
        to_y.push_back(y[from] + f * (y[to] - y[from]));
    };
    auto moved_x = x, moved_y = y;
    std::vector<double> middle_x, middle_y, more_x, more_y;
    for (std::size_t i = 0; i + 1 < n; ++i) between(i, 1, 2, middle_x, middle_y);
    if (!transform_in_turn(moved_x, moved_y) || !transform_in_turn(middle_x, middle_y)) return false;
    std::vector<int> pieces;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const double length = std::hypot(moved_x[i + 1] - moved_x[i], moved_y[i + 1] - moved_y[i]);
        const double stray = std::hypot(middle_x[i] - (moved_x[i] + moved_x[i + 1]) / 2,
                                        middle_y[i] - (moved_y[i] + moved_y[i + 1]) / 2);
        // It falls with the square of the number of pieces.
        constexpr double share = 1e-6, most = 10'000;
        if (seam_ && stray > 0.35 * length && seam_->tears_edge({x[i], y[i]}, {x[i + 1], y[i + 1]})) return false;
        pieces.push_back(
            length > 0 ? static_cast<int>(std::clamp(std::ceil(std::sqrt(stray / (share * length))), 1.0, most)) : 1);
        for (int k = 1; k < pieces.back(); ++k) between(i, k, pieces.back(), more_x, more_y);
    }
    if (!transform_in_turn(more_x, more_y)) return false;
    std::vector<OGRRawPoint> points;
    std::size_t used = 0;
    for (std::size_t i = 0; i < n; ++i) {
        points.emplace_back(moved_x[i], moved_y[i]);
        for (int k = 1; i + 1 < n && k < pieces[i]; ++k, ++used) points.emplace_back(more_x[used], more_y[used]);
    }
    line.setPoints(static_cast<int>(points.size()), points.data());
    return true;
}

std::unique_ptr<OGRGeometry> transformation::apply_by_edges(const OGRGeometry& geometry) {
    const gdalmcp::gdal::quiet silence;
    std::unique_ptr<OGRGeometry> moved{gdalmcp::gdal::straightened(geometry)};
    moved->flattenTo2D();
    moved->setMeasured(FALSE);
    if (!operation_) return moved;
    if (moved->getDimension() == 0)
        return moved->transform(operation_.get()) == OGRERR_NONE ? std::move(moved) : nullptr;
    struct visitor : OGRDefaultGeometryVisitor {
        using OGRDefaultGeometryVisitor::visit;
        transformation& by;
        bool all = true;
        explicit visitor(transformation& t) : by{t} {}
        void visit(OGRPoint* p) override { all = all && p->transform(by.operation_.get()) == OGRERR_NONE; }
        void visit(OGRLineString* line) override { all = all && by.move_line(*line); }
        void visit(OGRLinearRing* ring) override { all = all && by.move_line(*ring); }
    } each{*this};
    moved->accept(&each);
    return each.all && finite(*moved) && keeps_area(geometry, *moved) ? std::move(moved) : nullptr;
}

void transformation::tell_changes(const std::string& layer, const notice& say) const {
    if (bent_) bent_->tell(layer, say);
    if (straightened_ > 0)
        say(std::to_string(straightened_) + (straightened_ == 1 ? " feature has" : " features have") +
            " arcs of circles, which are none in the new CRS: they became straight segments, off by 0.004 % of the "
            "radius at most");
    if (flattened_ > 0)
        say(std::to_string(flattened_) +
            (flattened_ == 1 ? " feature that was cut where the map ends lost its"
                             : " features that were cut where the map ends lost their") +
            " z and m values");
}

std::unique_ptr<OGRGeometry> transformation::apply_or_fail(const OGRGeometry& geometry, GIntBig feature_id) {
    if (auto moved = apply(geometry, true)) return moved;
    throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                         "feature " + std::to_string(feature_id) + " has no place in OGC:CRS84, which GeoJSON needs",
                         "write to .gpkg, which keeps the layer's own CRS"};
}

}  // namespace gdalmcp_vector
