#include "ogr_seam.hpp"

#include <gdalmcp/gdal_arcs.hpp>
#include <gdalmcp/gdal_carrying.hpp>
#include <gdalmcp/gdal_collect.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace gdalmcp_vector {

namespace gdal = gdalmcp::gdal;

namespace {

constexpr double least_tear = 1e5;  // metres on the map; shorter edges are as they are

std::vector<OGRRawPoint> line_vertices(const OGRGeometry& shape, std::vector<std::size_t>& ends) {
    struct visitor : OGRDefaultConstGeometryVisitor {
        using OGRDefaultConstGeometryVisitor::visit;
        std::vector<OGRRawPoint> all{};
        std::vector<std::size_t>& ends;
        explicit visitor(std::vector<std::size_t>& e) : ends{e} {}
        void add(const OGRSimpleCurve& line) {
            for (int i = 0; i < line.getNumPoints(); ++i) all.emplace_back(line.getX(i), line.getY(i));
            ends.push_back(all.size());
        }
        void visit(const OGRLineString* line) override { add(*line); }
        void visit(const OGRLinearRing* ring) override { add(*ring); }
    } each{ends};
    shape.accept(&each);
    return std::move(each.all);
}

double apart(const OGRRawPoint& a, const OGRRawPoint& b) { return std::hypot(b.x - a.x, b.y - a.y); }
OGRRawPoint middle(const OGRRawPoint& a, const OGRRawPoint& b) { return {a.x / 2 + b.x / 2, a.y / 2 + b.y / 2}; }

}  // namespace

void spread_poles(OGRGeometry& on_map, double unit) {
    const auto at_pole = [&](const OGRPoint& p) { return std::abs(p.getY()) * unit > 90 - 1e-9; };
    gdal::detail::for_each_line(on_map, [&](OGRSimpleCurve& line) {
        std::vector<OGRPoint> points;
        bool polar = false;
        for (int i = 0; i < line.getNumPoints(); ++i) {
            line.getPoint(i, &points.emplace_back());
            polar = polar || at_pole(points.back());
        }
        if (!polar) return;
        // A ring begins elsewhere, so that each pole has a vertex before it.
        if (const auto first = std::find_if_not(points.begin(), points.end(), at_pole);
            line.get_IsClosed() && first != points.begin() && first != points.end()) {
            points.pop_back();
            std::rotate(points.begin(), first, points.end());
            points.push_back(points.front());
        }
        std::vector<OGRPoint> spread;
        for (std::size_t i = 0; i < points.size(); ++i) {
            auto pole = points[i];
            if (!at_pole(pole)) {
                spread.push_back(pole);
                continue;
            }
            while (i + 1 < points.size() && at_pole(points[i + 1])) ++i;
            const bool comes = !spread.empty(), leaves = i + 1 < points.size();
            if (comes) {
                pole.setX(spread.back().getX());
                spread.push_back(pole);
            }
            if (leaves && (!comes || points[i + 1].getX() != pole.getX())) {
                pole.setX(points[i + 1].getX());
                spread.push_back(pole);
            }
            if (!comes && !leaves) spread.push_back(pole);
        }
        line.setNumPoints(static_cast<int>(spread.size()));
        for (std::size_t i = 0; i < spread.size(); ++i) line.setPoint(static_cast<int>(i), &spread[i]);
    });
}

map_seam::map_seam(const OGRSpatialReference& from, const OGRSpatialReference& map, OGRCoordinateTransformation& way)
    : from_{from}, map_{map}, way_{&way}, metres_{map.GetLinearUnits()} {}

// Halves of an edge that is whole come closer and closer; of a torn one, those on both sides of the tear do not.
bool map_seam::tears_edge(OGRRawPoint a, OGRRawPoint b) const {
    const gdal::quiet silence;
    double first = 0, last = 0;
    for (int halving = 0; halving < 20; ++halving) {
        const auto m = middle(a, b);
        std::vector<double> x{a.x, m.x, b.x}, y{a.y, m.y, b.y};
        if (!gdal::transform_all(*way_, x, y)) return false;
        const double before = std::hypot(x[1] - x[0], y[1] - y[0]), behind = std::hypot(x[2] - x[1], y[2] - y[1]);
        last = std::max(before, behind);
        if (halving == 0) first = last;
        (before > behind ? b : a) = m;
    }
    return last > 0.01 * first && last * metres_ > least_tear;
}

bool map_seam::tears(const OGRGeometry& shape, const OGRGeometry& there) const {
    const gdal::quiet silence;
    std::vector<std::size_t> ends, same_ends;
    const auto on_map = line_vertices(there, ends);
    const double degrees = from_.IsGeographic() ? gdal::detail::degrees_per_unit(from_) : 0;
    std::vector<OGRRawPoint> given;
    for (std::size_t line = 0, i = 0; line < ends.size(); i = ends[line++])
        for (; i + 1 < ends[line]; ++i) {
            const double length = apart(on_map[i], on_map[i + 1]);
            if (length * metres_ <= least_tear && degrees == 0) continue;
            if (given.empty()) given = line_vertices(shape, same_ends);
            if (same_ends != ends) return false;
            const auto &a = given[i], &b = given[i + 1];
            // The ends of a long edge may come to lie on each other.
            if (length * metres_ <= least_tear && std::abs(b.x - a.x) * degrees < 90) continue;
            const auto m = middle(a, b);
            std::vector<double> x{m.x}, y{m.y};
            if (!gdal::transform_all(*way_, x, y)) continue;
            constexpr double bent = 0.35;  // of its length; half of it where the edge goes the other way around
            if (apart(middle(on_map[i], on_map[i + 1]), {x[0], y[0]}) > bent * length && tears_edge(a, b)) return true;
        }
    return false;
}

std::unique_ptr<OGRGeometry> map_seam::in_degrees(const OGRGeometry& shape) {
    if (!home_) {
        home_.emplace(gdal::own_geographic_of(map_));
        if (*home_) {
            to_home_.reset(OGRCreateCoordinateTransformation(&from_, home_->crs.get()));
            onto_map_.reset(OGRCreateCoordinateTransformation(home_->crs.get(), &map_));
        }
    }
    if (!to_home_ || !onto_map_ || std::abs(gdal::detail::degrees_per_unit(*home_->crs) - 1) > 1e-9) return nullptr;
    std::unique_ptr<OGRGeometry> flat{gdalmcp::gdal::straightened(shape)};
    flat->flattenTo2D();
    flat->setMeasured(FALSE);
    auto degrees = from_.IsGeographic() ? gdal::detail::moved_in_turn(*flat, from_, *home_->crs, *to_home_)
                                        : gdal::detail::transform_densified(*flat, *to_home_, true);
    if (degrees && !gdal::invalid_reason(*degrees).empty()) degrees = gdal::valid_form(*degrees);
    return degrees;
}

std::unique_ptr<OGRGeometry> map_seam::cut(const OGRGeometry& shape) {
    const gdal::quiet silence;
    const auto degrees = in_degrees(shape);
    const int dimension = shape.getDimension();
    if (!degrees || dimension == 0) return nullptr;
    constexpr double inside = 1e-9;  // degrees: it must be clear which end of the map is meant
    double meridian = 0;
    for (const char* name : {SRS_PP_CENTRAL_MERIDIAN, SRS_PP_LONGITUDE_OF_CENTER})
        if (meridian == 0) meridian = map_.GetNormProjParm(name, 0.0);
    const auto world = gdal::detail::rectangle(meridian - 180 + inside, -90, meridian + 180 - inside, 90);
    std::unique_ptr<OGRGeometryCollection> all;
    if (dimension == 2)
        all = std::make_unique<OGRMultiPolygon>();
    else
        all = std::make_unique<OGRMultiLineString>();
    for (const double turn : {-720.0, -360.0, 0.0, 360.0, 720.0}) {
        const std::unique_ptr<OGRGeometry> moved{degrees->clone()};
        gdal::detail::shift_x(*moved, turn);
        if (!moved->Intersects(world.get())) continue;
        const std::unique_ptr<OGRGeometry> piece{moved->Intersection(world.get())};
        if (!piece) return nullptr;
        OGRGeometryCollection parts;
        gdal::detail::add_parts(*piece, dimension, parts);
        // The cut is one long edge along a meridian, which many maps bend: by less than 3 m in such steps.
        parts.segmentize(0.1);
        for (const auto* part : parts) {
            const auto placed = gdal::detail::transformed(*part, *onto_map_);
            OGREnvelope box;
            if (placed) placed->getEnvelope(&box);
            if (!placed || !std::isfinite(box.MinX + box.MaxX + box.MinY + box.MaxY)) return nullptr;
            // A map that ends elsewhere is torn there still.
            if (map_seam{*home_->crs, map_, *onto_map_}.tears(*part, *placed)) return nullptr;
            gdal::detail::add_parts(*placed, dimension, *all);
        }
    }
    if (all->IsEmpty()) return nullptr;
    if (all->getNumGeometries() == 1) return std::unique_ptr<OGRGeometry>{all->getGeometryRef(0)->clone()};
    return all;
}

}  // namespace gdalmcp_vector
