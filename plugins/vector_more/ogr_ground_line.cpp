#include "ogr_ground_line.hpp"

#include <gdalmcp/gdal_arcs.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ogr_parts.hpp"

namespace gdalmcp_vector_more {

using gdalmcp_vector::ground;
using gdalmcp_vector::unusable;

ground_line::ground_line(const ground& earth, const OGRSimpleCurve& line) {
    constexpr double off = 1e-3;  // metres between the line and the geodesics
    auto path = earth.path(line, off);
    metres_.push_back(0);
    for (std::size_t i = 1; i < path.size(); ++i) {
        double step = 0;
        geod_inverse(&earth.ellipsoid(), path.latitude[i - 1], path.longitude[i - 1], path.latitude[i],
                     path.longitude[i], &step, nullptr, nullptr);
        metres_.push_back(metres_.back() + step);
    }
    if (!std::isfinite(metres_.back()) || !earth.place(path))
        throw unusable{"PROJ has no place for some of its vertices"};
    for (std::size_t i = 0; i < path.size(); ++i) places_.push_back({path.longitude[i], path.latitude[i]});
    const int n = line.getNumPoints();
    places_.front() = {line.getX(0), line.getY(0)};
    places_.back() = {line.getX(n - 1), line.getY(n - 1)};
}

OGRRawPoint ground_line::at(double metres) const {
    const auto next = std::upper_bound(metres_.begin(), metres_.end(), metres);
    if (next == metres_.begin()) return places_.front();
    if (next == metres_.end()) return places_.back();
    const auto i = static_cast<std::size_t>(next - metres_.begin());
    const double t = (metres - metres_[i - 1]) / (metres_[i] - metres_[i - 1]);
    const auto &a = places_[i - 1], &b = places_[i];
    return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
}

namespace {

// Edges of lines and rings, split in place.
class splitting : public OGRDefaultGeometryVisitor {
public:
    using OGRDefaultGeometryVisitor::visit;
    splitting(const ground* earth, double longest, std::int64_t most) : earth_{earth}, longest_{longest}, left_{most} {}
    void visit(OGRLineString* line) override { split(*line); }
    void visit(OGRLinearRing* ring) override { split(*ring); }

private:
    void split(OGRSimpleCurve& line) {
        const int n = line.getNumPoints();
        std::vector<OGRPoint> all;
        for (int i = 0; i < n; ++i) {
            OGRPoint here;
            line.getPoint(i, &here);
            if (i > 0) add_between(OGRPoint{all.back()}, here, all);
            all.push_back(here);
        }
        line.setNumPoints(static_cast<int>(all.size()), FALSE);
        for (std::size_t i = 0; i < all.size(); ++i) line.setPoint(static_cast<int>(i), &all[i]);
    }
    void add_between(const OGRPoint& from, const OGRPoint& to, std::vector<OGRPoint>& all) {
        const bool back = std::pair{to.getX(), to.getY()} < std::pair{from.getX(), from.getY()};
        const auto &a = back ? to : from, &b = back ? from : to;
        OGRLineString edge;
        edge.setNumPoints(2);
        edge.setPoint(0, a.getX(), a.getY());
        edge.setPoint(1, b.getX(), b.getY());
        std::optional<ground_line> line;
        if (earth_) line.emplace(*earth_, edge);
        const double length = line ? line->length() : edge.get_Length();
        constexpr double rounding = 1e-9;
        const double parts = std::ceil(length / longest_ - rounding);
        if (!(parts > 1)) return;
        if ((left_ -= static_cast<std::int64_t>(std::min(parts, 9e18)) - 1) < 0)
            throw unusable{"so small a distance adds more vertices than this tool makes"};
        const auto n = static_cast<std::int64_t>(parts);
        for (std::int64_t k = 1; k < n; ++k) {
            const double t = static_cast<double>(back ? n - k : k) / parts;
            const auto at =
                line ? line->at(length * t)
                     : OGRRawPoint{a.getX() + t * (b.getX() - a.getX()), a.getY() + t * (b.getY() - a.getY())};
            OGRPoint p{from};  // with z and m, where it has them
            p.setX(at.x);
            p.setY(at.y);
            if (p.Is3D()) p.setZ(a.getZ() + t * (b.getZ() - a.getZ()));
            if (p.IsMeasured()) p.setM(a.getM() + t * (b.getM() - a.getM()));
            all.push_back(p);
        }
    }
    const ground* earth_;
    double longest_;
    std::int64_t left_;
};

}  // namespace

std::unique_ptr<OGRGeometry> densified(const ground* earth, const OGRGeometry& shape, double longest,
                                       std::int64_t most) {
    if (earth) earth->check_turns(shape);
    std::unique_ptr<OGRGeometry> linear{gdalmcp::gdal::straightened(shape)};
    splitting each{earth, longest, most};
    linear->accept(&each);
    return linear;
}

pieces points_along(const ground* earth, const OGRGeometry& shape, double step, std::int64_t most) {
    const auto linear = gdalmcp_vector::linear(shape);
    if (linear->getDimension() == 0) throw unusable{"it is a point, and has no length"};
    if (earth) earth->check_turns(*linear);
    pieces all;
    for_each_line(*linear, [&](const OGRSimpleCurve& line, int part, int ring) {
        std::optional<ground_line> measured;
        if (earth) measured.emplace(*earth, line);
        const double length = earth ? measured->length() : line.get_Length();
        if (!(length / step < static_cast<double>(most) - static_cast<double>(all.size())))
            throw unusable{"so small a distance makes more points than this tool makes"};
        constexpr double rounding = 1e-9;
        const auto last = static_cast<std::int64_t>(std::floor(length / step + rounding));
        const bool meets =
            line.get_IsClosed() && last > 0 && length - static_cast<double>(last) * step < rounding * length;
        for (std::int64_t k = 0; k <= last - meets; ++k) {
            const double along = std::min(static_cast<double>(k) * step, length);
            auto p = std::make_unique<OGRPoint>();
            if (measured) {
                const auto at = measured->at(along);
                p->setX(at.x);
                p->setY(at.y);
            } else {
                line.Value(along, p.get());
            }
            all.push_back({std::move(p), {double(part), double(ring), along}});
        }
    });
    return all;
}

}  // namespace gdalmcp_vector_more
