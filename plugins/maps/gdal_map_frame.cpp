#include "gdal_map_frame.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gdalmcp_maps {
namespace {

namespace gdal = gdalmcp::gdal;

using degrees_box = std::array<double, 4>;  // west, south, east, north; east may be past 180

double area(const degrees_box& b) { return (b[2] - b[0]) * (b[3] - b[1]); }

double common_area(const degrees_box& a, const degrees_box& b) {
    double widest = 0;
    for (const double turn : {-360.0, 0.0, 360.0})
        widest = std::max(widest, std::min(a[2] + turn, b[2]) - std::max(a[0] + turn, b[0]));
    return widest * std::max(0.0, std::min(a[3], b[3]) - std::max(a[1], b[1]));
}

std::optional<degrees_box> degrees_of(const layer_place& layer) {
    auto b = gdal::wgs84_bounds(layer.across_180.IsInit() ? layer.across_180 : layer.extent, layer.crs);
    if (b && (*b)[0] > (*b)[2]) (*b)[2] += 360;
    return b;
}

// All boxes together, on the side of the globe where that is narrower.
degrees_box together(const std::vector<degrees_box>& boxes) {
    degrees_box best{};
    double narrowest = 1e9;
    for (const double cut : {-180.0, 0.0}) {
        degrees_box all{1e9, 90, -1e9, -90};
        for (auto b : boxes) {
            const double turn = b[0] < cut ? 360 : 0;
            all[0] = std::min(all[0], b[0] + turn);
            all[2] = std::max(all[2], b[2] + turn);
            all[1] = std::min(all[1], b[1]);
            all[3] = std::max(all[3], b[3]);
        }
        if (all[2] - all[0] < narrowest) {
            narrowest = all[2] - all[0];
            best = all;
        }
    }
    return best;
}

std::string place_text(double longitude, double latitude) {
    const auto half = [](double v, const char* positive, const char* negative) {
        return gdal::coordinate_text(std::abs(v)) + "°" + (v < 0 ? negative : positive);
    };
    return half(latitude, "N", "S") + " " + half(longitude, "E", "W");
}

map_plane projection_for(const degrees_box& b) {
    constexpr double wide = 120, polar = 30;
    const auto rounded = [](double v) { return std::round(v * 100) / 100; };
    double longitude = rounded((b[0] + b[2]) / 2), latitude = rounded((b[1] + b[3]) / 2);
    if (b[2] - b[0] > 350) longitude = 0;
    if (longitude > 180) longitude -= 360;
    std::string definition, name;
    const auto around = " +lon_0=" + gdal::coordinate_text(longitude) + " +datum=WGS84 +units=m";
    if (b[2] - b[0] > wide && b[1] < polar && b[3] > -polar) {
        definition = "+proj=eqearth" + around;
        name = "Equal Earth around " + gdal::coordinate_text(longitude) + "°";
    } else {
        if (b[2] - b[0] > wide) latitude = latitude > 0 ? 90 : -90;
        definition = "+proj=laea +lat_0=" + gdal::coordinate_text(latitude) + around;
        name = "Lambert azimuthal equal-area around " + place_text(longitude, latitude);
    }
    auto crs = gdal::parse_crs(definition);
    if (!crs) gdal::raise("cannot make the projection " + definition);
    crs->SetProjCS(name.c_str());
    return {*crs, "equal-area around what is shown; no layer has a projected CRS for it"};
}

}  // namespace

map_plane plane_for(const std::vector<layer_place>& layers, const std::optional<layer_place>& shown,
                    const std::optional<gdalmcp::crs>& asked) {
    std::vector<const layer_place*> with, without;
    for (const auto& l : layers)
        if (l.extent.IsInit()) (l.crs.IsEmpty() || l.crs.IsLocal() ? without : with).push_back(&l);
    if (!with.empty() && !without.empty())
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "'" + without.front()->name + "' has no CRS, but '" + with.front()->name + "' is in " +
                                 gdal::crs_label(with.front()->crs) + ": they cannot be drawn on one map",
                             "assign the true CRS with raster_reproject or vector_reproject (src_crs and dst_crs)"};
    if (with.empty()) {
        if (asked)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 "'crs' is " + asked->text + ", but the layers state no CRS to transform from",
                                 "leave 'crs' out to draw their own coordinates"};
        return {OGRSpatialReference{}, "the layers state no CRS: their own coordinates"};
    }
    if (asked) {
        auto crs = gdal::crs_argument(asked->text, "crs");
        crs.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
        return {crs, crs.IsGeographic() ? "as asked; degrees drawn as squares distort shapes" : "as asked"};
    }
    std::vector<degrees_box> boxes;
    for (const auto* l : with)
        if (const auto b = degrees_of(*l)) boxes.push_back(*b);
    if (boxes.empty()) {
        const auto& first = *with.front();
        if (!gdal::to_wgs84(first.crs))
            return {first.crs, "the CRS of '" + first.name + "', which PROJ cannot relate to WGS 84"};
        const auto why = gdal::misplaced(first.extent, first.crs);
        throw gdalmcp::error{
            GDALMCP_INVALID_ARGUMENT,
            "no layer has a place on the Earth: " +
                (why.empty() ? "'" + first.name + "' reaches " + gdal::extent_text(first.extent, first.crs) +
                                   ", which has none in WGS 84"
                             : why),
            "give the true CRS as src_crs of raster_reproject or vector_reproject"};
    }
    const auto given = shown ? degrees_of(*shown) : std::nullopt;
    const auto all = given ? *given : together(boxes);
    for (const auto* l : with)
        if (l->crs.IsProjected())
            if (const auto own = degrees_of(*l); own && common_area(*own, all) >= area(all) / 2)
                return {l->crs, "the CRS of '" + l->name + "'"};
    return projection_for(all);
}

std::optional<degrees_box> cut_to_use(const map_plane& plane, const layer_place& layer) {
    constexpr double tolerance = 5;
    if (!layer.extent.IsInit() || plane.crs.IsEmpty() || plane.crs.IsGeographic()) return std::nullopt;
    degrees_box use{};
    const auto own = degrees_of(layer);
    if (!own || !plane.crs.GetAreaOfUse(&use[0], &use[1], &use[2], &use[3], nullptr) || use[0] <= -900)
        return std::nullopt;
    if (use[0] >= use[2]) use[2] += 360;
    auto b = *own;
    // The turn of the globe on which the two have most in common; what goes all around it cuts nothing.
    constexpr double around = 359;
    double turn = 0, widest = 0;
    for (const double t : {-360.0, 0.0, 360.0})
        if (const double shared = std::min(use[2] + t, b[2]) - std::max(use[0] + t, b[0]); shared > widest)
            widest = shared, turn = t;
    if (use[2] - use[0] >= around)
        use[0] = b[0], use[2] = b[2];
    else if (b[2] - b[0] >= around)
        b[0] = use[0] - 2 * tolerance, b[2] = use[2] + 2 * tolerance;
    else
        use[0] += turn, use[2] += turn;
    if (b[0] >= use[0] - tolerance && b[2] <= use[2] + tolerance && b[1] >= use[1] - 1e-6 && b[3] <= use[3] + 1e-6)
        return std::nullopt;
    const degrees_box common{std::max(b[0], use[0]), std::max(b[1], use[1]), std::min(b[2], use[2]),
                             std::min(b[3], use[3])};
    if (common[0] >= common[2] || common[1] >= common[3]) return std::nullopt;
    return common;
}

namespace {

constexpr double rounding = 1e-6, inset = 1e-9;  // degrees; inset, so that no edge changes sides

double half_turn(const OGRSpatialReference& degrees) { return 180 / gdal::detail::degrees_per_unit(degrees); }

double centre_of(const OGRSpatialReference& map) {
    return map.GetNormProjParm(SRS_PP_CENTRAL_MERIDIAN, map.GetNormProjParm(SRS_PP_LONGITUDE_OF_CENTER, 0));
}

}  // namespace

std::vector<OGREnvelope> halves_at_edge(const OGREnvelope& box, const OGRSpatialReference& degrees,
                                        const OGRSpatialReference& map) {
    const double half = half_turn(degrees), centre = centre_of(map) * half / 180;
    const double edge = centre + half + std::floor((box.MinX + rounding - centre + half) / (2 * half)) * 2 * half;
    if (edge >= box.MaxX - rounding) return {box};
    OGREnvelope west = box, east = box;
    west.MaxX = edge - inset;
    east.MinX = edge + inset;
    return {west, east};
}

namespace {

OGREnvelope envelope_of(const degrees_box& b) {
    OGREnvelope box;
    box.MinX = b[0], box.MinY = b[1], box.MaxX = b[2], box.MaxY = b[3];
    return box;
}

// The box on the map; nothing where part of it has no place there.
std::optional<OGREnvelope> reach(OGREnvelope from, OGRSpatialReference own, const OGRSpatialReference& map) {
    OGRSpatialReference to{map};
    const gdal::transformation way{OGRCreateCoordinateTransformation(&own, &to)};
    if (!way) return std::nullopt;
    // Degrees past the poles, as grids with cell centres on them have, are nowhere in a projection.
    if (own.IsGeographic()) {
        const double pole = 90 / gdal::detail::degrees_per_unit(own);
        from.MinY = std::max(from.MinY, -pole);
        from.MaxY = std::min(from.MaxY, pole);
    }
    const bool torn = own.IsGeographic() && map.IsProjected();
    if (const double half = torn ? half_turn(own) : 0; torn && from.MaxX - from.MinX >= 2 * half - rounding) {
        from.MinX = centre_of(map) * half / 180 - half;  // all around, from edge to edge
        from.MaxX = from.MinX + 2 * half;
        from.MinX += inset, from.MaxX -= inset;
    }
    OGREnvelope all;
    for (const auto& part : torn ? halves_at_edge(from, own, map) : std::vector{from}) {
        OGREnvelope box;
        if (!way->TransformBounds(part.MinX, part.MinY, part.MaxX, part.MaxY, &box.MinX, &box.MinY, &box.MaxX,
                                  &box.MaxY, 21) ||
            !std::isfinite(box.MinX + box.MaxX + box.MinY + box.MaxY) || box.MinX > box.MaxX)
            return std::nullopt;
        all.Merge(box);
        // A map around a point has the edges of a world on one line.
        constexpr int steps = 90;
        if (!torn || part.MaxX - part.MinX <= half_turn(own)) continue;
        std::vector<double> x, y;
        for (int i = 0; i <= steps; ++i)
            for (int j = 1; j < steps; ++j) {
                x.push_back(part.MinX + (part.MaxX - part.MinX) * i / steps);
                y.push_back(part.MinY + (part.MaxY - part.MinY) * j / steps);
            }
        way->Transform(static_cast<int>(x.size()), x.data(), y.data());  // infinite where there is no place
        for (std::size_t k = 0; k < x.size(); ++k)
            if (std::isfinite(x[k] + y[k])) all.Merge(x[k], y[k]);
    }
    return all;
}

}  // namespace

OGREnvelope extent_in(const map_plane& plane, const layer_place& layer) {
    if (!layer.extent.IsInit() || plane.crs.IsEmpty()) return layer.extent;
    if (layer.across_180.IsInit() && !plane.crs.IsGeographic()) {
        // Narrower only on maps that do not end at 180 degrees themselves. All around the Earth may have no place.
        const auto across = extent_in(plane, {layer.name, layer.crs, layer.across_180});
        try {
            const auto plain = extent_in(plane, {layer.name, layer.crs, layer.extent});
            return across.MaxX - across.MinX < plain.MaxX - plain.MinX ? across : plain;
        } catch (const gdalmcp::error&) {
            return across;
        }
    }
    const gdal::quiet silence;
    OGRSpatialReference own{layer.crs};
    OGREnvelope from = layer.extent;
    if (const auto used = cut_to_use(plane, layer)) {
        own = *gdal::parse_crs("EPSG:4326");
        from = envelope_of(*used);
    }
    auto all = reach(from, own, plane.crs);
    if (!all)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "'" + layer.name + "' reaches " + gdal::extent_text(layer.extent, layer.crs) +
                                 ", parts of which have no place in the map's CRS " + gdal::crs_label(plane.crs),
                             "give a 'crs' that has a place for all layers, or a 'geometry' to show"};
    // The edges of a raster around a pole do not tell that the pole is inside; where it is at infinity, it is not
    // shown.
    if (own.IsProjected() && plane.crs.IsProjected())
        if (const auto degrees = degrees_of(layer); degrees && std::max(-(*degrees)[1], (*degrees)[3]) > 90 - 1e-6)
            if (const auto around = reach(envelope_of(*degrees), *gdal::parse_crs("EPSG:4326"), plane.crs))
                all->Merge(*around);
    return *all;
}

map_frame frame_around(const map_plane& plane, OGREnvelope box, int most_columns, int most_rows) {
    constexpr double margin = 0.02, longest = 8;
    const auto widen = [](double& low, double& high, double by) {
        low -= by / 2;
        high += by / 2;
    };
    double width = box.MaxX - box.MinX, height = box.MaxY - box.MinY;
    if (width == 0 && height == 0) {  // one point: a kilometre around it
        double unit = 1;
        if (!plane.crs.IsEmpty())
            unit = plane.crs.IsGeographic() ? 1.0 / 111'000 / gdal::detail::degrees_per_unit(plane.crs)
                                            : 1 / plane.crs.GetLinearUnits();
        width = height = 1000 * unit;
        widen(box.MinX, box.MaxX, width);
        widen(box.MinY, box.MaxY, height);
    }
    widen(box.MinX, box.MaxX, std::max(2 * margin * width, height / longest - width));
    widen(box.MinY, box.MaxY, std::max(2 * margin * height, width / longest - height));
    width = box.MaxX - box.MinX;
    height = box.MaxY - box.MinY;
    map_frame f{plane.crs, box, 0, 0};
    const double pixel = std::max(width / most_columns, height / most_rows);
    f.width = std::clamp(static_cast<int>(std::lround(width / pixel)), 1, most_columns);
    f.height = std::clamp(static_cast<int>(std::lround(height / pixel)), 1, most_rows);
    widen(f.box.MinX, f.box.MaxX, f.width * pixel - width);
    widen(f.box.MinY, f.box.MaxY, f.height * pixel - height);
    return f;
}

}  // namespace gdalmcp_maps
