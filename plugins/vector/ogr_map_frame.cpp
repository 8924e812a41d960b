#include "ogr_map_frame.hpp"

#include <gdalmcp/gdal_collect.hpp>

#include <cmath>

namespace gdalmcp_vector {

namespace gdal = gdalmcp::gdal;

namespace {

std::unique_ptr<OGRLinearRing> ring_of(const lonlat_path& path) {
    auto ring = std::make_unique<OGRLinearRing>();
    ring->setPoints(static_cast<int>(path.size()), path.longitude.data(), path.latitude.data());
    return ring;
}

lonlat_path degrees_of(const OGRLinearRing& ring, const azimuthal_plane& plane) {
    lonlat_path path;
    for (int i = 0; i < ring.getNumPoints(); ++i) {
        const auto [longitude, latitude] = plane.inverse(ring.getX(i), ring.getY(i));
        path.longitude.push_back(longitude);
        path.latitude.push_back(latitude);
    }
    return path;
}

std::unique_ptr<OGRGeometry> shifted(const OGRGeometry& shape, double turn) {
    std::unique_ptr<OGRGeometry> copy{shape.clone()};
    gdal::for_each_vertex(*copy, [turn](OGRPoint& p) { p.setX(p.getX() + turn); });
    return copy;
}

std::unique_ptr<OGRGeometry> checked(OGRGeometry* result) {
    if (!result) throw unusable{"GEOS cannot cut it at the end of the map"};
    return std::unique_ptr<OGRGeometry>{result};
}

// The ring's area in unwrapped longitudes; one around a pole goes on along the pole.
std::unique_ptr<OGRPolygon> unwrapped(const OGRLinearRing& in_plane, const azimuthal_plane& plane) {
    auto ring = ring_of(degrees_of(in_plane, plane));
    if (const long turns = gdal::detail::unwrap(*ring); turns != 0) {
        const auto north = plane.forward(0, 90), south = plane.forward(0, -90);
        const OGRPoint n{north.x, north.y}, s{south.x, south.y};
        const bool has_north = in_plane.isPointInRing(&n, FALSE) != FALSE;
        if (has_north == (in_plane.isPointInRing(&s, FALSE) != FALSE) || std::abs(turns) > 1)
            throw unusable{"it reaches around more of the Earth than a map in degrees can show"};
        const int end = ring->getNumPoints() - 1;
        for (int i = 0; i < end; ++i) ring->setPoint(i, gdal::detail::exact_in_turns(ring->getX(i)), ring->getY(i));
        const double pole = has_north ? 90 : -90, first = ring->getX(0),
                     last = first + 360.0 * static_cast<double>(turns);
        ring->setPoint(end, last, ring->getY(0));
        constexpr int pieces = 4;  // no edge of more than half a turn, whose way around is not known
        for (int i = 0; i <= pieces; ++i) ring->addPoint(last + (first - last) * i / pieces, pole);
        ring->closeRings();
    } else {
        ring->setPoint(ring->getNumPoints() - 1, ring->getX(0), ring->getY(0));
    }
    auto polygon = std::make_unique<OGRPolygon>();
    ring->flattenTo2D();
    polygon->addRingDirectly(ring.release());
    return polygon;
}

// Whether the map keeps together what is together: the middle of an edge comes between its ends.
bool whole(const lonlat_path& ends, const lonlat_path& middles) {
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
        const double dx = ends.longitude[i + 1] - ends.longitude[i], dy = ends.latitude[i + 1] - ends.latitude[i];
        const double off = std::hypot(middles.longitude[i] - ends.longitude[i] - dx / 2,
                                      middles.latitude[i] - ends.latitude[i] - dy / 2);
        if (off > 0.35 * std::hypot(dx, dy) + 1e-3) return false;
    }
    return true;
}

OGRLinearRing middles_of(const OGRLinearRing& ring) {
    OGRLinearRing middles;
    for (int i = 0; i + 1 < ring.getNumPoints(); ++i)
        middles.addPoint((ring.getX(i) + ring.getX(i + 1)) / 2, (ring.getY(i) + ring.getY(i + 1)) / 2);
    return middles;
}

// Calls `each` for the polygons of a geometry.
template <class F>
void for_each_polygon(const OGRGeometry& shape, F&& each) {
    if (OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbGeometryCollection))
        for (const auto* part : *shape.toGeometryCollection()) for_each_polygon(*part, each);
    else if (OGR_GT_IsSubClassOf(shape.getGeometryType(), wkbPolygon) && !shape.IsEmpty())
        each(*shape.toPolygon());
}

}  // namespace

map_frame::map_frame(const ground& earth, const OGREnvelope& extent) : earth_{earth} {
    constexpr double slack = 0.5;  // degrees: grids reach half a cell over the antimeridian
    if (!earth.geographic() || !extent.IsInit()) return;
    const double unit = earth.degrees_per_unit(), west = extent.MinX * unit, east = extent.MaxX * unit;
    if (west < -180 - slack || east > 180 + slack) west_ = east - west < 360 ? (west + east) / 2 - 180 : west;
}

std::unique_ptr<OGRGeometry> map_frame::within_turn(std::unique_ptr<OGRGeometry> shape) const {
    OGREnvelope box;
    shape->getEnvelope(&box);
    if (box.MinX >= west_ && box.MaxX <= west_ + 360) return shape;
    const auto turn = gdal::detail::rectangle(west_, -90, west_ + 360, 90);
    OGRMultiPolygon all;
    for (const double by : {-720.0, -360.0, 0.0, 360.0, 720.0}) {
        if (box.MaxX + by <= west_ || box.MinX + by >= west_ + 360) continue;
        gdal::detail::add_parts(*checked(shifted(*shape, by)->Intersection(turn.get())), 2, all);
    }
    return checked(all.UnionCascaded());
}

// The same ring by ring on the map itself; nullptr where the map does not keep it whole.
std::unique_ptr<OGRGeometry> map_frame::direct(const OGRPolygon& shape, const azimuthal_plane& plane) const {
    auto out = std::make_unique<OGRPolygon>();
    for (const auto* ring : shape) {
        auto ends = degrees_of(*ring, plane);
        auto middles = degrees_of(middles_of(*ring), plane);
        if (!earth_.place(ends) || !earth_.place(middles) || !whole(ends, middles)) return nullptr;
        auto placed = ring_of(ends);
        placed->setPoint(placed->getNumPoints() - 1, placed->getX(0), placed->getY(0));
        placed->flattenTo2D();
        out->addRingDirectly(placed.release());
    }
    return out;
}

std::unique_ptr<OGRGeometry> map_frame::by_degrees(const OGRPolygon& shape, const azimuthal_plane& plane) const {
    std::unique_ptr<OGRGeometry> area = unwrapped(*shape.getExteriorRing(), plane);
    OGREnvelope box;
    area->getEnvelope(&box);
    for (int i = 0; i < shape.getNumInteriorRings(); ++i) {
        const auto hole = unwrapped(*shape.getInteriorRing(i), plane);
        OGREnvelope own;
        hole->getEnvelope(&own);
        for (const double by : {-360.0, 0.0, 360.0})
            if (own.MinX + by < box.MaxX && own.MaxX + by > box.MinX)
                area = checked(area->Difference(shifted(*hole, by).get()));
    }
    return within_turn(std::move(area));
}

std::unique_ptr<OGRGeometry> map_frame::on_map(const OGRGeometry& degrees) const {
    auto all = std::make_unique<OGRMultiPolygon>();
    for_each_polygon(degrees, [&](const OGRPolygon& p) {
        auto out = std::make_unique<OGRPolygon>();
        for (const auto* ring : p) {
            const auto path = [](const OGRLinearRing& r) {
                lonlat_path at;
                for (int i = 0; i < r.getNumPoints(); ++i) {
                    at.longitude.push_back(r.getX(i));
                    at.latitude.push_back(r.getY(i));
                }
                return at;
            };
            auto ends = path(*ring), middles = path(middles_of(*ring));
            if (!earth_.place(ends) || !earth_.place(middles) || (!earth_.geographic() && !whole(ends, middles)))
                throw unusable{
                    "it reaches over the end of the map: reproject the layer to a CRS that shows both sides"};
            auto placed = ring_of(ends);
            placed->flattenTo2D();
            out->addRingDirectly(placed.release());
        }
        all->addGeometryDirectly(out.release());
    });
    return all;
}

std::unique_ptr<OGRGeometry> map_frame::bring(const OGRGeometry& shape, const azimuthal_plane& plane,
                                              double longest) const {
    const gdal::quiet silence;
    const std::unique_ptr<OGRGeometry> split{shape.clone()};
    split->segmentize(longest);
    OGRMultiPolygon all;
    for_each_polygon(*split, [&](const OGRPolygon& p) {
        auto part = earth_.geographic() ? nullptr : direct(p, plane);
        if (!part) {
            const auto degrees = by_degrees(p, plane);
            // The cut is one long edge along a meridian, which most maps bend.
            if (!earth_.geographic()) degrees->segmentize(longest / 111'000);
            part = on_map(*degrees);
        }
        gdal::detail::add_parts(*part, 2, all);
    });
    if (all.getNumGeometries() == 1) return std::unique_ptr<OGRGeometry>{all.getGeometryRef(0)->clone()};
    return std::unique_ptr<OGRGeometry>{all.clone()};
}

std::unique_ptr<OGRGeometry> map_frame::bring(const OGRGeometry& own) const {
    auto copy = linear(own);
    if (!earth_.geographic()) return copy;
    const gdal::quiet silence;
    const double unit = earth_.degrees_per_unit();
    gdal::scale_coordinates(*copy, unit);
    copy = within_turn(std::move(copy));
    gdal::scale_coordinates(*copy, 1 / unit);
    return copy;
}

}  // namespace gdalmcp_vector
