#include "ogr_ground_buffer.hpp"

#include "ogr_repair.hpp"
#include "ogr_shapes.hpp"

#include <gdalmcp/gdal_collect.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

namespace gdalmcp_vector {

namespace gdal = gdalmcp::gdal;

namespace {

constexpr double degree = 3.14159265358979323846 / 180;
constexpr double reach = 150'000;  // metres around the centre of a plane
constexpr double fidelity = 5e-5;  // of the distance, in which edges are followed

// The direction of the mean of places on the sphere.
class mean_place {
public:
    void add(const lonlat_path& path) {
        for (std::size_t i = 0; i < path.size(); ++i) {
            const double lon = path.longitude[i] * degree, lat = path.latitude[i] * degree;
            x_ += std::cos(lat) * std::cos(lon);
            y_ += std::cos(lat) * std::sin(lon);
            z_ += std::sin(lat);
            farthest_north_ = std::max(farthest_north_, std::abs(path.latitude[i]));
        }
    }
    double latitude() const { return farthest_north_; }  // the farthest from the equator
    azimuthal_plane plane(const geod_geodesic& ellipsoid) const {
        return {ellipsoid, std::atan2(y_, x_) / degree, std::atan2(z_, std::hypot(x_, y_)) / degree};
    }

private:
    double x_ = 0, y_ = 0, z_ = 0, farthest_north_ = 0;
};

// Points of a path in a plane; `farthest`: grows to the largest distance from its centre.
void put_points(OGRSimpleCurve& line, const lonlat_path& path, const azimuthal_plane& plane, double& farthest) {
    std::vector<double> x(path.size()), y(path.size());
    for (std::size_t i = 0; i < path.size(); ++i) {
        const auto p = plane.forward(path.longitude[i], path.latitude[i]);
        x[i] = p.x;
        y[i] = p.y;
        farthest = std::max(farthest, std::hypot(p.x, p.y));
    }
    line.setPoints(static_cast<int>(path.size()), x.data(), y.data());
    line.flattenTo2D();
}

std::unique_ptr<OGRGeometry> united(const OGRMultiPolygon& parts) {
    if (parts.getNumGeometries() == 1) return std::unique_ptr<OGRGeometry>{parts.getGeometryRef(0)->clone()};
    const gdal::quiet silence;
    if (std::unique_ptr<OGRGeometry> all{parts.UnionCascaded()}) return all;
    // Pieces brought to the map may touch themselves: on a grid of a tenth of a millimetre they can be united.
    try {
        OGREnvelope box;
        parts.getEnvelope(&box);
        const double farthest =
            std::max({std::abs(box.MinX), std::abs(box.MaxX), std::abs(box.MinY), std::abs(box.MaxY)});
        // Each by itself: of a whole whose parts overlap, what is common would be cut out.
        std::vector<geos::shape> sound;
        std::vector<const GEOSGeometry*> all;
        for (const auto* part : parts) {
            const auto mended = part->IsValid() ? repaired{} : repair(*part, "a piece of the buffer is invalid");
            sound.push_back(mended.shape ? to_shape(*mended.shape) : to_shape(*part));
            all.push_back(sound.back().get());
        }
        auto whole = geos::owned(GEOSUnaryUnionPrec_r(geos::handle(), geos::collected(all).get(), 1e-11 * farthest));
        whole = geos::only_dimension(std::move(whole), 2);
        if (!whole) throw unusable{"nothing is left of the pieces of its buffer"};
        return to_ogr(*whole);
    } catch (const geos::failure& e) {
        throw unusable{std::string{"GEOS cannot unite the pieces of its buffer: "} + e.what()};
    }
}

// A seam of the map: an outline along ±180 or a pole is none on the ground.
bool has_seam(const OGRGeometry& degrees, double unit) {
    std::unique_ptr<OGRGeometry> copy{degrees.clone()};
    bool seam = false;
    gdal::for_each_vertex(*copy, [&](const OGRPoint& p) {
        seam =
            seam || std::abs(std::abs(p.getX() * unit) - 180) < 1e-9 || std::abs(std::abs(p.getY() * unit) - 90) < 1e-9;
    });
    return seam;
}

}  // namespace

std::unique_ptr<OGRGeometry> planar_buffer(const OGRGeometry& shape, double distance, int segments) {
    const gdal::quiet silence;
    const auto made = [&](const OGRGeometry& of) {
        // For a curve GDAL looks for its arcs in GEOS's result, and loses most of the outline (GDAL 3.6 and 3.10).
        const auto straight = of.hasCurveGeometry() ? linear(of) : nullptr;
        std::unique_ptr<OGRGeometry> out{(straight ? *straight : of).Buffer(distance, segments)};
        if (!out) throw unusable{"GEOS cannot buffer it"};
        out->flattenTo2D();
        return out;
    };
    if (wkbFlatten(shape.getGeometryType()) != wkbPoint || distance < 0) return made(shape);
    struct circle {
        double radius = 0;
        int segments = 0;
        std::unique_ptr<OGRGeometry> shape{};
    };
    thread_local circle last;
    if (last.radius != distance || last.segments != segments) last = {distance, segments, made(OGRPoint{0, 0})};
    std::unique_ptr<OGRGeometry> copy{last.shape->clone()};
    const double x = shape.toPoint()->getX(), y = shape.toPoint()->getY();
    auto& ring = *copy->toPolygon()->getExteriorRing();
    for (int i = 0; i < ring.getNumPoints(); ++i) ring.setPoint(i, ring.getX(i) + x, ring.getY(i) + y);
    return copy;
}

double ground_buffer::distance_error() const {
    const double share = farthest_ / earth_.ellipsoid().a;
    return share * share / 6 + 2 * fidelity;
}

lonlat_path ground_buffer::path(const OGRSimpleCurve& line) const {
    return earth_.path(line, fidelity * std::abs(metres_));
}

std::unique_ptr<OGRGeometry> ground_buffer::grown(const OGRGeometry& flat, double metres, const azimuthal_plane& plane,
                                                  double latitude) const {
    const auto shape = planar_buffer(flat, metres, segments_);
    if (shape->IsEmpty()) return std::make_unique<OGRPolygon>();
    return map_.bring(*shape, plane,
                      earth_.longest_edge(fidelity * std::abs(metres), latitude + std::abs(metres) / 111'000));
}

// The buffer by way of one plane; nullptr for a geometry that reaches too far.
std::unique_ptr<OGRGeometry> ground_buffer::in_one_plane(const OGRGeometry& shape) {
    struct part {
        int dimension;
        std::vector<lonlat_path> paths;  // of a polygon its rings
    };
    std::vector<part> parts;
    mean_place middle;
    const std::function<void(const OGRGeometry&)> add = [&](const OGRGeometry& g) {
        if (OGR_GT_IsSubClassOf(g.getGeometryType(), wkbGeometryCollection)) {
            for (const auto* member : *g.toGeometryCollection()) add(*member);
            return;
        }
        if (g.IsEmpty()) return;
        auto& p = parts.emplace_back(part{g.getDimension(), {}});
        if (p.dimension == 0) {
            OGRLineString one;
            one.addPoint(g.toPoint());
            p.paths.push_back(path(one));
        } else if (p.dimension == 1) {
            p.paths.push_back(path(*g.toLineString()));
        } else {
            for (const auto* ring : *g.toPolygon()) p.paths.push_back(path(*ring));
        }
        for (const auto& r : p.paths) middle.add(r);
    };
    add(shape);
    const auto plane = middle.plane(earth_.ellipsoid());
    OGRGeometryCollection flat;
    double farthest = 0;
    for (const auto& p : parts) {
        if (p.dimension == 2) {
            auto polygon = std::make_unique<OGRPolygon>();
            for (const auto& corners : p.paths) {
                auto ring = std::make_unique<OGRLinearRing>();
                put_points(*ring, corners, plane, farthest);
                ring->closeRings();
                polygon->addRingDirectly(ring.release());
            }
            flat.addGeometryDirectly(polygon.release());
        } else {
            auto line = std::make_unique<OGRLineString>();
            put_points(*line, p.paths.front(), plane, farthest);
            if (p.dimension == 0)
                flat.addGeometryDirectly(new OGRPoint{line->getX(0), line->getY(0)});
            else
                flat.addGeometryDirectly(line.release());
        }
        if (farthest > reach) return nullptr;
    }
    farthest_ = std::max(farthest_, farthest);
    return grown(flat.getNumGeometries() == 1 ? *flat.getGeometryRef(0) : flat, metres_, plane, middle.latitude());
}

// The buffer of a line, piece by piece.
void ground_buffer::add_outline(const OGRSimpleCurve& line, OGRMultiPolygon& into) {
    const auto along = path(line);
    for (std::size_t from = 0; from + 1 < along.size();) {
        lonlat_path piece;
        double length = 0;
        std::size_t at = from;
        for (;; ++at) {
            piece.longitude.push_back(along.longitude[at]);
            piece.latitude.push_back(along.latitude[at]);
            if (at + 1 == along.size()) break;
            double step = 0;
            geod_inverse(&earth_.ellipsoid(), along.latitude[at], along.longitude[at], along.latitude[at + 1],
                         along.longitude[at + 1], &step, nullptr, nullptr);
            if (piece.size() > 1 && length + step > reach) break;
            length += step;
        }
        mean_place middle;
        middle.add(piece);
        const auto plane = middle.plane(earth_.ellipsoid());
        OGRLineString flat;
        put_points(flat, piece, plane, farthest_);
        gdal::detail::add_parts(*grown(flat, std::abs(metres_), plane, middle.latitude()), 2, into);
        if (at + 1 >= along.size()) break;
        from = at;
    }
}

void ground_buffer::add_pieces(const OGRGeometry& shape, OGRMultiPolygon& into) {
    if (OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbGeometryCollection)) {
        for (const auto* part : *shape.toGeometryCollection()) {
            auto whole = part->IsEmpty() ? nullptr : in_one_plane(*part);
            if (whole)
                gdal::detail::add_parts(*whole, 2, into);
            else
                add_pieces(*part, into);
        }
        return;
    }
    if (shape.IsEmpty()) return;
    if (shape.getDimension() < 2) return add_outline(*shape.toSimpleCurve(), into);
    if (metres_ > 0) {
        for (const auto* ring : *shape.toPolygon()) add_outline(*ring, into);
        gdal::detail::add_parts(*map_.bring(shape), 2, into);
        return;
    }
    OGRMultiPolygon rim;
    for (const auto* ring : *shape.toPolygon()) add_outline(*ring, rim);
    const gdal::quiet silence;
    const std::unique_ptr<OGRGeometry> left{map_.bring(shape)->Difference(united(rim).get())};
    if (!left) throw unusable{"GEOS cannot cut its outline off"};
    gdal::detail::add_parts(*left, 2, into);
}

std::unique_ptr<OGRGeometry> ground_buffer::of(const OGRGeometry& geometry) {
    earth_.check_turns(geometry);
    const auto shape = linear(geometry);
    if (metres_ < 0) {
        if (shape->getDimension() < 2) throw unusable{"it has no area that a negative distance could shrink"};
        if (earth_.geographic() && has_seam(*shape, earth_.degrees_per_unit()))
            throw unusable{
                "it ends at longitude 180 or at a pole, and would shrink away from there as well: reproject "
                "the layer to a CRS that shows it whole"};
    }
    auto out = in_one_plane(*shape);
    if (!out) {
        OGRMultiPolygon pieces;
        add_pieces(*shape, pieces);
        if (pieces.IsEmpty()) return nullptr;
        out = united(pieces);
    }
    if (out->IsEmpty()) return nullptr;
    // On the map, vertices of the plane may come to lie on each other.
    const gdal::quiet silence;
    if (!out->IsValid()) out = repair(*out, "the buffer is invalid").shape;
    return out;
}

}  // namespace gdalmcp_vector
