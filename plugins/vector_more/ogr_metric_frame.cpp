#include "ogr_metric_frame.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

namespace gdalmcp_vector_more {

using namespace gdalmcp_vector;
namespace gdal = gdalmcp::gdal;

namespace {

constexpr double small_error = 1e-3;  // of a map's scale, up to which its own plane serves
constexpr double reach = 1'000'000;   // metres around the centre of a plane
constexpr double edge_pieces = 64;    // of the extent: an edge is followed to within 1e-5 of it
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct place_hash {
    std::size_t operator()(const std::pair<double, double>& p) const {
        std::uint64_t x = 0, y = 0;
        std::memcpy(&x, &p.first, sizeof x);
        std::memcpy(&y, &p.second, sizeof y);
        return std::hash<std::uint64_t>{}(x * 0x9e3779b97f4a7c15U ^ y);
    }
};

double farthest_north(OGRGeometry& degrees) {
    double most = 0;
    gdal::for_each_vertex(degrees, [&](const OGRPoint& p) { most = std::max(most, std::abs(p.getY())); });
    return most;
}

}  // namespace

metric_frame::metric_frame(const source_layer& from) : crs_{from.crs} {
    if (crs_.IsEmpty() || crs_.IsLocal()) return;
    earth_.emplace(crs_);
    map_.emplace(*earth_, from.extent);
    const auto off = earth_->scale_error(from.extent);
    planes_ = !off || *off > small_error;
    error_ = planes_ ? 0 : *off;
}

flat_shape metric_frame::flat(const OGRGeometry& own, bool edges) {
    auto shape = linear(own);
    if (!planes_) return {std::move(shape), {}, earth_ ? crs_.GetLinearUnits() : unknown, 0};
    auto followed = edges ? std::unique_ptr<OGRGeometry>{shape->clone()} : nullptr;
    if (followed && followed->getDimension() > 0) {
        OGREnvelope box;
        followed->getEnvelope(&box);
        const double size = std::max(box.MaxX - box.MinX, box.MaxY - box.MinY);
        if (size > 0) followed->segmentize(size / edge_pieces);
    }
    auto degrees = earth_->to_degrees(followed ? *followed : *shape);
    const double latitude = farthest_north(*degrees);
    const auto plane = earth_->plane_around(*degrees);
    double farthest = 0;
    gdal::for_each_vertex(*degrees, [&](OGRPoint& p) {
        const auto [x, y] = plane.forward(p.getX(), p.getY());
        p.setX(x);
        p.setY(y);
        farthest = std::max(farthest, std::hypot(x, y));
    });
    if (farthest > reach) {
        ++beyond_;
        return {std::move(shape), {}, unknown, 0};
    }
    farthest_ = std::max(farthest_, farthest);
    flat_shape done{std::move(degrees), {}, 1, latitude};
    done.plane.emplace(plane);
    return done;
}

std::unique_ptr<OGRGeometry> metric_frame::on_map(const OGRGeometry& polygons) const {
    std::unique_ptr<OGRGeometry> copy{polygons.clone()};
    if (!earth_ || !earth_->geographic()) return copy;
    const double unit = earth_->degrees_per_unit(), west = map_->west();
    const auto world = gdal::detail::rectangle(west / unit, -90 / unit, (west + 360) / unit, 90 / unit);
    OGREnvelope all, own;
    world->getEnvelope(&all);
    copy->getEnvelope(&own);
    const gdal::quiet silence;
    if (!all.Contains(own)) copy.reset(copy->Intersection(world.get()));
    if (!copy) throw unusable{"GEOS cannot cut it at the end of the map"};
    return copy;
}

std::unique_ptr<OGRGeometry> metric_frame::back(const OGRGeometry& polygons, const flat_shape& of) const {
    if (!of.plane) return on_map(polygons);
    OGREnvelope box;  // of all of it, so that neighbours split a common border at the same places
    of.shape->getEnvelope(&box);
    const double size = std::max(box.MaxX - box.MinX, box.MaxY - box.MinY);
    return map_->bring(polygons, *of.plane, std::min(size / 8, earth_->longest_edge(1e-5 * size, of.latitude)));
}

std::unique_ptr<OGRGeometry> metric_frame::back_by_vertices(const OGRGeometry& polygons, const OGRGeometry& own,
                                                            const flat_shape& of) const {
    std::unique_ptr<OGRGeometry> copy{polygons.clone()};
    if (!of.plane) return copy;
    std::vector<OGRRawPoint> places;
    const auto shape = linear(own);
    gdal::for_each_vertex(*shape, [&](const OGRPoint& p) { places.push_back({p.getX(), p.getY()}); });
    std::unordered_map<std::pair<double, double>, OGRRawPoint, place_hash> known;
    std::size_t i = 0;
    gdal::for_each_vertex(*of.shape, [&](const OGRPoint& p) {
        known.emplace(std::pair{p.getX(), p.getY()}, places[i++]);
    });
    gdal::for_each_vertex(*copy, [&](OGRPoint& p) {
        const auto at = known.find({p.getX(), p.getY()});
        OGRPoint made;
        if (at == known.end()) {  // where edges of polygons crossed
            const auto [longitude, latitude] = of.plane->inverse(p.getX(), p.getY());
            made = OGRPoint{longitude, latitude};
            earth_->from_degrees(made);
        }
        p.setX(at == known.end() ? made.getX() : at->second.x);
        p.setY(at == known.end() ? made.getY() : at->second.y);
    });
    return copy;
}

std::string metric_frame::method() const {
    const auto label = crs_.IsEmpty() ? std::string{"a layer without CRS"} : gdal::crs_label(crs_);
    if (!planes_) return "in the plane of " + label;
    return "in azimuthal equidistant planes around each, then in " + label +
           (beyond_ > 0 ? "; what reaches farther than 1000 km, in the plane of " + label : "");
}

std::optional<double> metric_frame::distance_error() const {
    if (!earth_ || beyond_ > 0) return std::nullopt;
    const double share = farthest_ / earth_->ellipsoid().a;
    return planes_ ? share * share / 6 : error_;
}

}  // namespace gdalmcp_vector_more
