// gdalmcp/gdal_carrying.hpp — shapes carried into the CRS of a dataset without being torn. Header-only; link GDAL and
// PROJ.
//
//   const gdal::carrier way{crs_of_the_zones, crs_of_the_raster, extent_of_the_raster};
//   auto found = way.carry(polygon);
//   if (!found.shape) ... found.why
#pragma once
#include <gdalmcp/gdal_area.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gdalmcp::gdal {

namespace detail {

// So far that the end of a map of the world, or its far point, may lie between.
inline bool reaches_far(const OGRGeometry& shape, const OGRSpatialReference& crs) {
    constexpr double far = 5e6;  // m
    OGREnvelope box;
    shape.getEnvelope(&box);
    const double metres = geographic(crs) ? degrees_per_unit(crs) * 111'000 : crs.GetLinearUnits();
    return !(std::max(box.MaxX - box.MinX, box.MaxY - box.MinY) * metres < far);
}

// From longitude and latitude to those of another datum, vertex by vertex: each in the turn around the Earth that it
// was in.
inline geometry_ptr moved_in_turn(const OGRGeometry& shape, const OGRSpatialReference& from,
                                  const OGRSpatialReference& to, OGRCoordinateTransformation& t) {
    const quiet silence;
    geometry_ptr there{shape.clone()};
    std::vector<double> before;
    for_each_vertex(*there, [&](const OGRPoint& p) { before.push_back(p.getX()); });
    if (there->transform(&t) != OGRERR_NONE) return nullptr;
    const double was = degrees_per_unit(from), is = degrees_per_unit(to);
    std::size_t i = 0;
    for_each_vertex(*there, [&](OGRPoint& p) {
        p.setX(p.getX() + 360 / is * std::round((before[i++] * was - p.getX() * is) / 360));
    });
    return there;
}

}  // namespace detail

// Most maps of the world end at a meridian, and what crosses it would reach the whole way back; others turn what holds
// their far point inside out. Polygons that have another area on the Earth afterwards (by more than 1 %) are cut at
// that meridian and around the dataset, and carried in pieces. Edges are straight in the source CRS. Not to be used by
// several threads at once.
class carrier {
public:
    // extent: of the dataset, in `to`; not initialised: unknown.
    carrier(const OGRSpatialReference& from, const OGRSpatialReference& to, const OGREnvelope& extent)
        : from_{from}, to_{to}, extent_{extent}, area_before_{from}, area_after_{to} {
        from_.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
        to_.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
        const quiet silence;
        way_.reset(OGRCreateCoordinateTransformation(&from_, &to_));
    }

    explicit operator bool() const { return way_ != nullptr; }

    struct carried {
        geometry_ptr shape;  // in the CRS of the dataset; empty where the shape does not reach it; nullptr: see `why`
        std::string why;
        bool cut = false;  // only the part around the dataset
    };

    // own: its area on the Earth, m², where that is known.
    carried carry(const OGRGeometry& shape, std::optional<double> own = std::nullopt) const {
        carried out{onto(to_, shape, *way_), {}};
        if (shape.getDimension() != 2) {
            if (!out.shape) out.why = "some of its vertices do not exist there";
            return out;
        }
        if (!own) own = area_before_.of(shape);
        if (out.shape && (!own || keeps(shape, *own, *out.shape, *way_, out.why))) return out;
        if (out.why.empty()) out.why = "some of its vertices do not exist there";
        out.shape = own ? in_pieces(shape, *own, out.cut) : nullptr;
        return out;
    }

private:
    // The shape in another CRS by `way`, whole.
    geometry_ptr onto(const OGRSpatialReference& to, const OGRGeometry& shape, OGRCoordinateTransformation& way) const {
        if (detail::geographic(from_) && detail::geographic(to)) return detail::moved_in_turn(shape, from_, to, way);
        return detail::transform_densified(shape, way, detail::geographic(to));
    }

    // shape: what is `there` in the CRS of the dataset, in `from`, whence `way` leads there; area: its own.
    bool keeps(const OGRGeometry& shape, double area, const OGRGeometry& there, OGRCoordinateTransformation& way,
               std::string& why) const {
        constexpr double close = 0.01, large = 5e13;  // m², a tenth of the Earth
        const double metres = detail::geographic(to_) ? 0 : to_.GetLinearUnits();
        if (area < large && std::abs(detail::extent_measure(there) * metres * metres - area) <= close * area)
            return true;
        auto after = area_after_.of(there);
        if (!after) after = area_after_.of(*drawn_in(there));
        if (after && std::abs(*after - area) <= close * area) {
            if (!detail::reaches_far(there, to_) || holds_its_inside(shape, there, way)) return true;
            why = "it would be turned inside out";
        } else {
            why = after ? "its area changes from " + number_text(area) + " to " + number_text(*after) + " m²"
                        : "parts of it have no place on the Earth there";
        }
        return false;
    }

    // Whether a point inside `there` comes from inside the shape.
    static bool holds_its_inside(const OGRGeometry& shape, const OGRGeometry& there, OGRCoordinateTransformation& way) {
        const quiet silence;
        const transformation back{way.GetInverse()};
        const geometry_ptr inside{
            OGRGeometry::FromHandle(OGR_G_PointOnSurface(OGRGeometry::ToHandle(const_cast<OGRGeometry*>(&there))))};
        if (!back || !inside || inside->IsEmpty() || inside->transform(back.get()) != OGRERR_NONE) return true;
        for (const double turn : {0.0, 360.0, -360.0}) {
            const geometry_ptr again{inside->clone()};
            detail::shift_x(*again, turn);
            if (shape.Intersects(again.get())) return true;
        }
        return false;
    }

    // A ten-thousandth smaller, about its middle: points at the end of a map often have no way back to the Earth.
    static geometry_ptr drawn_in(const OGRGeometry& shape) {
        OGREnvelope box;
        shape.getEnvelope(&box);
        geometry_ptr smaller{shape.clone()};
        for_each_vertex(*smaller, [x = (box.MinX + box.MaxX) / 2, y = (box.MinY + box.MaxY) / 2](OGRPoint& p) {
            p.setX(x + (p.getX() - x) * 0.9999);
            p.setY(y + (p.getY() - y) * 0.9999);
        });
        return smaller;
    }

    struct domain {
        double west, south, east, north;
    };

    // Longitudes and latitudes, of the datum of the dataset, that the map holds, or the dataset on it with a margin.
    domain domain_of(OGRCoordinateTransformation& back) const {
        constexpr double inside = 1e-9;  // degrees: of two ends of a map it must be clear which is meant
        double meridian = 0;
        for (const char* name : {SRS_PP_CENTRAL_MERIDIAN, SRS_PP_LONGITUDE_OF_CENTER})
            if (meridian == 0) meridian = to_.GetNormProjParm(name, 0.0);
        domain all{meridian - 180 + inside, -90, meridian + 180 - inside, 90};
        OGREnvelope b;
        if (!extent_.IsInit() || !back.TransformBounds(extent_.MinX, extent_.MinY, extent_.MaxX, extent_.MaxY, &b.MinX,
                                                       &b.MinY, &b.MaxX, &b.MaxY, 21))
            return all;
        if (b.MaxX < b.MinX) b.MaxX += 360;
        if (!holds_all(b, back)) return all;  // a dataset that reaches beyond the map
        const double width = b.MaxX - b.MinX, beside = 0.05 * width + 0.01, above = 0.05 * (b.MaxY - b.MinY) + 0.01;
        all.south = std::max(all.south, b.MinY - above);
        all.north = std::min(all.north, b.MaxY + above);
        if (!(width + 2 * beside < 360)) return all;
        const double turns = 360 * std::round((meridian - (b.MinX + b.MaxX) / 2) / 360);
        all.west = std::max(all.west, b.MinX - beside + turns);
        all.east = std::min(all.east, b.MaxX + beside + turns);
        return all;
    }

    // Whether the longitudes of the dataset's points lie within the bounds.
    bool holds_all(const OGREnvelope& bounds, OGRCoordinateTransformation& back) const {
        auto [x, y] = detail::points_across(extent_);
        const auto placed = transform_each(back, x, y);
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double from_west = x[i] - bounds.MinX, east = from_west - 360 * std::floor(from_west / 360);
            if (placed[i] && east > bounds.MaxX - bounds.MinX + 1e-6) return false;
        }
        return true;
    }

    geometry_ptr in_pieces(const OGRGeometry& shape, double area, bool& cut) const {
        const quiet silence;
        if (!home_) home_.emplace(own_geographic_of(to_));
        const auto& home = *home_;
        if (!home || detail::geographic(to_) || std::abs(detail::degrees_per_unit(*home.crs) - 1) > 1e-9)
            return nullptr;
        const transformation to_degrees{OGRCreateCoordinateTransformation(&from_, home.crs.get())},
            onto_map{OGRCreateCoordinateTransformation(home.crs.get(), &to_)};
        const auto degrees = to_degrees && onto_map ? onto(*home.crs, shape, *to_degrees) : nullptr;
        if (!degrees) return nullptr;
        const auto on = domain_of(*home.way);
        const auto bounds = detail::rectangle(on.west, on.south, on.east, on.north);
        const ellipsoidal_areas measure{*home.crs};
        auto all = std::make_unique<OGRMultiPolygon>();
        double whole = 0;
        for (const double turn : {-720.0, -360.0, 0.0, 360.0, 720.0}) {
            const geometry_ptr moved{degrees->clone()};
            detail::shift_x(*moved, turn);
            if (!moved->Intersects(bounds.get())) continue;
            const geometry_ptr piece{moved->Intersection(bounds.get())};
            if (!piece) return nullptr;
            if (piece->IsEmpty() || piece->getDimension() < 2) continue;
            const auto own = measure.of(*piece);
            const auto placed = detail::transform_densified(*piece, *onto_map, false);
            std::string ignored;
            if (!own || !placed || !keeps(*piece, *own, *placed, *onto_map, ignored)) return nullptr;
            whole += *own;
            for (const auto* part : detail::polygons_of(*placed)) all->addGeometry(part);
        }
        cut = whole < (1 - 1e-6) * area;
        return all;
    }

    OGRSpatialReference from_, to_;
    OGREnvelope extent_;
    transformation way_;
    ellipsoidal_areas area_before_, area_after_;
    mutable std::optional<own_geographic> home_;  // of the dataset's CRS
};

}  // namespace gdalmcp::gdal
