#include "ogr_ground.hpp"

#include <gdalmcp/gdal_arcs.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace gdalmcp_vector {

namespace gdal = gdalmcp::gdal;

void measures::add(const measures& other) {
    const auto sum = [](std::optional<double>& to, const std::optional<double>& more) {
        if (more) to = to.value_or(0) + *more;
    };
    sum(area, other.area);
    sum(length, other.length);
    sum(perimeter, other.perimeter);
}

namespace {

// Calls one function for each polygon and one for each line of a linear geometry.
void for_each_part(const OGRGeometry& geometry, const std::function<void(const OGRPolygon&)>& polygon,
                   const std::function<void(const OGRLineString&)>& line) {
    const auto type = wkbFlatten(geometry.getGeometryType());
    if (OGR_GT_IsSubClassOf(type, wkbGeometryCollection)) {
        for (const auto* part : *geometry.toGeometryCollection()) for_each_part(*part, polygon, line);
    } else if (type == wkbPolyhedralSurface || type == wkbTIN) {
        for (const auto* part : *geometry.toPolyhedralSurface()) for_each_part(*part, polygon, line);
    } else if (OGR_GT_IsSubClassOf(type, wkbPolygon)) {
        polygon(*geometry.toPolygon());
    } else if (type == wkbLineString) {
        line(*geometry.toLineString());
    }
}

std::string degrees_text(double v) { return gdalmcp::gdal::number_text(std::round(v * 1e6) / 1e6); }

}  // namespace

std::unique_ptr<OGRGeometry> linear(const OGRGeometry& geometry) {
    constexpr double step = 0.1;  // degrees of an arc: a circle loses half a millionth of its area
    std::unique_ptr<OGRGeometry> copy{gdalmcp::gdal::straightened(geometry, step)};
    copy->flattenTo2D();
    copy->setMeasured(FALSE);
    return copy;
}

std::string percent(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2g %%", share * 100);
    return text;
}

std::optional<OGRPoint> planar_centroid(const OGRGeometry& geometry) {
    const auto found = [](const OGRGeometry& g) {
        std::optional<OGRPoint> middle{std::in_place};
        if (g.Centroid(&*middle) != OGRERR_NONE || middle->IsEmpty()) middle.reset();
        return middle;
    };
    const gdal::quiet silence;
    if (const auto middle = found(geometry)) return middle;
    // GEOS finds none of a polygon with an empty hole.
    struct visitor : OGRDefaultGeometryVisitor {
        using OGRDefaultGeometryVisitor::visit;
        void visit(OGRPolygon* p) override {
            for (int i = p->getNumInteriorRings(); i-- > 0;)
                if (p->getInteriorRing(i)->IsEmpty()) p->removeRing(i + 1);
        }
    } drop_empty_holes;
    const std::unique_ptr<OGRGeometry> copy{geometry.clone()};
    copy->accept(&drop_empty_holes);
    return found(*copy);
}

measures planar_measures(const OGRGeometry& geometry) {
    measures all;
    const auto shape = linear(geometry);
    for_each_part(
        *shape,
        [&](const OGRPolygon& p) {
            double perimeter = 0;
            for (const auto* ring : p) perimeter += ring->get_Length();
            all.add({p.get_Area(), std::nullopt, perimeter});
        },
        [&](const OGRLineString& l) {
            all.add({std::nullopt, l.get_Length(), std::nullopt});
        });
    return all;
}

ground::ground(const OGRSpatialReference& crs) : areas_{crs} {
    if (crs.IsEmpty() || crs.IsLocal() || crs.IsGeocentric())
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             crs.IsEmpty() ? std::string{"the layer has no CRS, so its place on Earth is not known"}
                                           : "the layer's CRS '" + gdal::crs_label(crs) + "' has no place on Earth",
                             "state the CRS of its coordinates with vector_convert and its 'crs', or measure in the "
                             "layer's own units where the tool allows it"};
    const double a = crs.GetSemiMajor(), inverse = crs.GetInvFlattening();
    geod_init(&ellipsoid_, a, inverse > 0 ? 1 / inverse : 0);
    geographic_ = crs.IsGeographic() != FALSE;
    if (geographic_) {
        unit_ = gdal::detail::degrees_per_unit(crs);
        return;
    }
    metres_ = crs.GetLinearUnits();
    own_ = gdal::own_geographic_of(crs);
    if (own_) {
        unit_ = gdal::detail::degrees_per_unit(*own_.crs);
        back_.reset(own_.way->GetInverse());
    }
    if (!back_)
        throw gdalmcp::error{GDALMCP_UNSUPPORTED,
                             "PROJ has no way from " + gdal::crs_label(crs) + " to longitude and latitude and back",
                             "reproject the layer with vector_reproject first"};
}

void ground::check_degrees(const OGRGeometry& shape) const {
    if (!geographic_ || shape.IsEmpty()) return;
    OGREnvelope box;
    shape.getEnvelope(&box);
    if (!(box.MinY * unit_ >= -90 - 1e-9 && box.MaxY * unit_ <= 90 + 1e-9 && box.MinX * unit_ >= -540 &&
          box.MaxX * unit_ <= 540))
        throw unusable{"its coordinates " + gdal::box_text(box) + " are no longitudes and latitudes"};
    if (const auto wide = gdal::first_wide_edge(shape, unit_))
        throw unusable{"an edge goes from longitude " + degrees_text(wide->from) + " to " + degrees_text(wide->to) +
                       ": whether across the antimeridian or around the Earth is not known; cut it at ±180"};
}

void ground::check_turns(const OGRGeometry& geometry) const { check_degrees(*linear(geometry)); }

std::unique_ptr<OGRGeometry> ground::to_degrees(const OGRGeometry& geometry) const {
    auto shape = linear(geometry);
    check_degrees(*shape);
    if (own_) {
        const gdal::quiet silence;
        shape = gdal::detail::transformed(*shape, *own_.way);
        if (!shape) throw unusable{"PROJ has no place for some of its vertices"};
    }
    gdal::scale_coordinates(*shape, unit_);
    bool finite = true;
    gdal::for_each_vertex(
        *shape, [&](const OGRPoint& p) { finite = finite && std::isfinite(p.getX()) && std::isfinite(p.getY()); });
    if (!finite) throw unusable{"PROJ has no place for some of its vertices"};
    return shape;
}

void ground::from_degrees(OGRGeometry& shape) const {
    gdal::scale_coordinates(shape, 1 / unit_);
    if (!back_) return;
    const gdal::quiet silence;
    if (shape.transform(back_.get()) != OGRERR_NONE) throw unusable{"PROJ has no place for it in the layer's CRS"};
}

// Geodesics between points of the line, closer and closer until the sum no longer changes.
double ground::line_length(const OGRSimpleCurve& line) const {
    const int n = line.getNumPoints();
    if (n < 2) return 0;
    const auto sum = [&](int pieces) {
        std::vector<double> x, y;
        for (int i = 0; i + 1 < n; ++i)
            for (int k = 0; k < pieces; ++k) {
                const double t = static_cast<double>(k) / pieces;
                x.push_back(line.getX(i) + t * (line.getX(i + 1) - line.getX(i)));
                y.push_back(line.getY(i) + t * (line.getY(i + 1) - line.getY(i)));
            }
        x.push_back(line.getX(n - 1));
        y.push_back(line.getY(n - 1));
        if (own_ && !gdal::transform_all(*own_.way, x, y)) throw unusable{"PROJ has no place for some of its vertices"};
        double total = 0, distance = 0;
        for (std::size_t i = 0; i + 1 < x.size(); ++i) {
            geod_inverse(&ellipsoid_, y[i] * unit_, x[i] * unit_, y[i + 1] * unit_, x[i + 1] * unit_, &distance,
                         nullptr, nullptr);
            total += distance;
        }
        return total;
    };
    const gdal::quiet silence;
    // A whole turn between two vertices looks like none.
    double coarse = sum(3);
    constexpr int most = 2'000'000;  // points; edges that end at a pole of the map hardly come closer
    for (int pieces = 6; pieces <= 3 << 12 && pieces <= most / n; pieces *= 2) {
        const double fine = sum(pieces);
        if (std::abs(fine - coarse) <= 1e-8 * fine) return fine;
        coarse = fine;
    }
    return coarse;
}

double ground::cut_length(const OGRGeometry& shape) const {
    constexpr double rounding = 1e-9;  // degrees
    OGREnvelope box;
    shape.getEnvelope(&box);
    if (!geographic_ || std::abs((box.MaxX - box.MinX) * unit_ - 360) > rounding) return 0;
    using span = std::pair<double, double>;  // south and north end of an edge
    std::vector<span> west, east;
    const auto sort_edges = [&](const OGRPolygon& p) {
        for (const auto* ring : p)
            for (int i = 1; i < ring->getNumPoints(); ++i)
                for (auto& [at, found] : {std::pair{box.MinX, &west}, std::pair{box.MaxX, &east}})
                    if (std::abs(ring->getX(i - 1) - at) * unit_ <= rounding &&
                        std::abs(ring->getX(i) - at) * unit_ <= rounding)
                        found->push_back(std::minmax({ring->getY(i - 1), ring->getY(i)}));
    };
    for_each_part(shape, sort_edges, [](const OGRLineString&) {});
    std::sort(west.begin(), west.end());
    std::sort(east.begin(), east.end());
    double total = 0;
    for (std::size_t i = 0, j = 0; i < west.size() && j < east.size(); ++(west[i].second < east[j].second ? i : j)) {
        const double south = std::max(west[i].first, east[j].first), north = std::min(west[i].second, east[j].second);
        if (south >= north) continue;
        double distance = 0;
        geod_inverse(&ellipsoid_, south * unit_, 0, north * unit_, 0, &distance, nullptr, nullptr);
        total += 2 * distance;
    }
    return total;
}

double ground::longest_edge(double off, double latitude) const {
    constexpr double degree = 3.14159265358979323846 / 180;
    return std::sqrt(8 * off * ellipsoid_.a / std::max(1.0, std::tan(std::min(89.9, std::abs(latitude)) * degree)));
}

lonlat_path ground::degrees(std::vector<double> x, std::vector<double> y) const {
    const gdal::quiet silence;
    if (own_ && !gdal::transform_all(*own_.way, x, y)) throw unusable{"PROJ has no place for some of its vertices"};
    for (auto& v : x) v *= unit_;
    for (auto& v : y) v *= unit_;
    return {std::move(x), std::move(y)};
}

lonlat_path ground::path(const OGRSimpleCurve& line, double off) const {
    constexpr double degree = 3.14159265358979323846 / 180;
    constexpr std::size_t most = 1'000'000;  // vertices of one line; some seconds of GEOS
    const auto n = static_cast<std::size_t>(line.getNumPoints());
    std::vector<double> x(n), y(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = line.getX(static_cast<int>(i));
        y[i] = line.getY(static_cast<int>(i));
    }
    auto whole = degrees(x, y);
    std::vector<double> dense_x, dense_y;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const double south = whole.latitude[i], north = whole.latitude[i + 1];
        const double widest = south * north < 0 ? 1 : std::cos(std::min(std::abs(south), std::abs(north)) * degree);
        double turn = std::abs(whole.longitude[i + 1] - whole.longitude[i]);
        if (own_ && turn > 180) turn = 360 - turn;  // PROJ's are within ±180
        const double length = std::hypot(turn * widest, north - south) * degree * ellipsoid_.a;
        const double longest = std::min(75'000.0, longest_edge(off, std::max(std::abs(south), std::abs(north))));
        const auto pieces = static_cast<std::size_t>(std::max(1.0, std::ceil(length / longest)));
        if (dense_x.size() + pieces > most)
            throw unusable{"it is too long for so small a distance: more than " + std::to_string(most) + " vertices"};
        for (std::size_t k = 0; k < pieces; ++k) {
            const double t = static_cast<double>(k) / static_cast<double>(pieces);
            dense_x.push_back(x[i] + t * (x[i + 1] - x[i]));
            dense_y.push_back(y[i] + t * (y[i + 1] - y[i]));
        }
    }
    if (n == 0 || dense_x.size() + 1 == n) return whole;
    dense_x.push_back(x.back());
    dense_y.push_back(y.back());
    return degrees(std::move(dense_x), std::move(dense_y));
}

bool ground::place(lonlat_path& path) const {
    for (auto& v : path.longitude) v /= unit_;
    for (auto& v : path.latitude) v /= unit_;
    if (!back_) return true;
    const gdal::quiet silence;
    return gdal::transform_all(*back_, path.longitude, path.latitude);
}

std::optional<double> ground::scale_error(const OGREnvelope& box) const {
    if (geographic_ || !box.IsInit()) return std::nullopt;
    constexpr int side = 7;
    constexpr double reach = 100;  // metres on the map
    std::vector<double> x, y;
    const auto add = [&](double px, double py) {
        x.push_back(px);
        y.push_back(py);
    };
    for (int i = 0; i < side * side; ++i) {
        const double px = box.MinX + (box.MaxX - box.MinX) * (i % side) / (side - 1),
                     py = box.MinY + (box.MaxY - box.MinY) * (i / side) / (side - 1);
        add(px, py);
        for (int k = 0; k < 4; ++k) {  // east, north-east, north, north-west
            constexpr double eighth = 0.78539816339744830962;
            add(px + reach / metres_ * std::cos(k * eighth), py + reach / metres_ * std::sin(k * eighth));
        }
    }
    const gdal::quiet silence;
    if (!gdal::transform_all(*own_.way, x, y)) return std::nullopt;
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (i % 5 == 0) continue;
        double distance = 0;
        const auto from = i - i % 5;
        geod_inverse(&ellipsoid_, y[from] * unit_, x[from] * unit_, y[i] * unit_, x[i] * unit_, &distance, nullptr,
                     nullptr);
        if (!(distance > 0)) return std::nullopt;
        worst = std::max(worst, std::abs(reach / distance - 1));
    }
    return worst;
}

double ground::area_of(const OGRPolygon& polygon) const {
    const auto area = areas_.of(polygon);
    if (!area || !std::isfinite(*area)) throw unusable{"PROJ has no place for some of its vertices"};
    return *area;
}

double ground::area(const OGRGeometry& geometry) const {
    const auto shape = linear(geometry);
    check_degrees(*shape);
    double sum = 0;
    for_each_part(
        *shape, [&](const OGRPolygon& p) { sum += area_of(p); }, [](const OGRLineString&) {});
    return sum;
}

measures ground::measure(const OGRGeometry& geometry) const {
    const auto shape = linear(geometry);
    check_degrees(*shape);
    measures all;
    for_each_part(
        *shape,
        [&](const OGRPolygon& p) {
            const double area = area_of(p);
            double perimeter = 0;
            for (const auto* ring : p) perimeter += line_length(*ring);
            all.add({area, std::nullopt, perimeter});
        },
        [&](const OGRLineString& l) {
            all.add({std::nullopt, line_length(l), std::nullopt});
        });
    if (all.perimeter) *all.perimeter -= cut_length(*shape);
    return all;
}

azimuthal_plane ground::plane_around(OGRGeometry& degrees) const {
    constexpr double degree = 3.14159265358979323846 / 180;
    double x = 0, y = 0, z = 0;
    gdal::for_each_vertex(degrees, [&](const OGRPoint& p) {
        const double lon = p.getX() * degree, lat = p.getY() * degree;
        x += std::cos(lat) * std::cos(lon);
        y += std::cos(lat) * std::sin(lon);
        z += std::sin(lat);
    });
    return {ellipsoid_, std::atan2(y, x) / degree, std::atan2(z, std::hypot(x, y)) / degree};
}

OGRPoint ground::centroid(const OGRGeometry& geometry) const {
    constexpr double bends = 0.05;  // degrees across, from which an edge of the map is followed
    auto shape = to_degrees(geometry);
    OGREnvelope box;
    shape->getEnvelope(&box);
    if (geometry.getDimension() > 0 && std::max(box.MaxX - box.MinX, box.MaxY - box.MinY) > bends) {
        std::unique_ptr<OGRGeometry> followed{gdalmcp::gdal::straightened(geometry)};
        followed->getEnvelope(&box);
        followed->segmentize(std::max(box.MaxX - box.MinX, box.MaxY - box.MinY) / 200);
        shape = to_degrees(*followed);
    }
    const auto plane = plane_around(*shape);
    gdal::for_each_vertex(*shape, [&](OGRPoint& p) {
        const auto [x, y] = plane.forward(p.getX(), p.getY());
        p.setX(x);
        p.setY(y);
    });
    auto middle = planar_centroid(*shape);
    if (!middle) throw unusable{"it has no centroid"};
    const auto [longitude, latitude] = plane.inverse(middle->getX(), middle->getY());
    middle->setX(longitude);
    middle->setY(latitude);
    from_degrees(*middle);
    return *middle;
}

}  // namespace gdalmcp_vector
