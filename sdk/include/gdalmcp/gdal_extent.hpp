// gdalmcp/gdal_extent.hpp — extents in their own CRS and in WGS 84, as results and in messages. Header-only; link GDAL
// and PROJ.
#pragma once
#include <ogr_core.h>
#include <gdalmcp/gdal_transformation.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace gdalmcp::gdal {

namespace detail {

inline double degrees_per_unit(const OGRSpatialReference& geographic) {
    return geographic.GetAngularUnits() * 180 / 3.14159265358979323846;
}

// x and y of points in rows across an extent, its corners among them.
inline std::array<std::vector<double>, 2> points_across(const OGREnvelope& box) {
    constexpr int steps = 16;
    std::array<std::vector<double>, 2> points;
    for (int row = 0; row <= steps; ++row)
        for (int column = 0; column <= steps; ++column) {
            points[0].push_back(box.MinX + (box.MaxX - box.MinX) * column / steps);
            points[1].push_back(box.MinY + (box.MaxY - box.MinY) * row / steps);
        }
    return points;
}

// Whether coordinates cannot be longitudes and latitudes: beyond a pole, or farther than a turn and a half from
// Greenwich. Grids that place cell centres on the poles reach half a cell over them.
inline bool beyond_degrees(const OGREnvelope& box, const OGRSpatialReference& srs) {
    constexpr double half_a_cell = 2;
    if (!srs.IsGeographic()) return false;
    const double unit = degrees_per_unit(srs);
    return std::max(std::abs(box.MinY), std::abs(box.MaxY)) * unit > 90 + half_a_cell ||
           std::max(std::abs(box.MinX), std::abs(box.MaxX)) * unit > 540;
}

inline bool within_degrees(const OGREnvelope& b) {
    return b.MinX >= -180 && b.MaxX <= 180 && b.MinY >= -90 && b.MaxY <= 90;
}

// Longitudes from any turn, as the record promises them: within -180 to 180, west > east across the antimeridian.
inline std::array<double, 4> within_one_turn(double west, double south, double east, double north) {
    constexpr double rounding = 1e-9;
    south = std::max(south, -90.0);
    north = std::min(north, 90.0);
    if (west >= -180 - rounding && east <= 180 + rounding)
        return {std::max(west, -180.0), south, std::min(east, 180.0), north};
    if (east - west >= 360 - rounding) return {-180, south, 180, north};
    const auto wrapped = [](double x) { return x - 360 * std::floor((x + 180) / 360); };  // [-180, 180)
    const double w = wrapped(west), e = wrapped(east);
    return {w, south, e == -180 ? 180 : e, north};
}

// From one datum to another, away from the poles and the antimeridian, edges stay edges. TransformBounds() makes the
// inverse as well, to look for the poles, and for an old datum that means copying dozens of operations.
inline std::optional<std::array<double, 4>> shifted_bounds(const OGREnvelope& box, const OGRSpatialReference& srs,
                                                           OGRCoordinateTransformation& to_wgs84) {
    const bool degrees = srs.IsGeographic() && std::abs(degrees_per_unit(srs) - 1) < 1e-9;
    if (!degrees || box.MinX < -179 || box.MaxX > 179 || box.MinY < -89 || box.MaxY > 89) return std::nullopt;
    constexpr int steps = 22;  // along an edge, as many as TransformBounds() makes of 21 points
    std::vector<double> x, y;
    for (int i = 0; i <= steps; ++i) {
        const double along_x = box.MinX + (box.MaxX - box.MinX) * i / steps,
                     along_y = box.MinY + (box.MaxY - box.MinY) * i / steps;
        x.insert(x.end(), {along_x, along_x, box.MinX, box.MaxX});
        y.insert(y.end(), {box.MinY, box.MaxY, along_y, along_y});
    }
    if (!transform_all(to_wgs84, x, y)) return std::nullopt;
    const auto [west, east] = std::minmax_element(x.begin(), x.end());
    const auto [south, north] = std::minmax_element(y.begin(), y.end());
    return std::array{*west, *south, *east, *north};
}

struct point {
    double x = 0, y = 0;
};

// Longitude and latitude of the points that have a place, and one from which the way back leads to the point again.
inline std::vector<std::optional<point>> places_of(const std::vector<point>& points, double near,
                                                   OGRCoordinateTransformation& there,
                                                   OGRCoordinateTransformation& back) {
    std::vector<double> x, y;
    for (const auto& p : points) x.push_back(p.x), y.push_back(p.y);
    const auto placed = transform_each(there, x, y);
    auto x_again = x, y_again = y;
    const auto returned = transform_each(back, x_again, y_again);
    std::vector<std::optional<point>> places(points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
        if (placed[i] && returned[i] && std::hypot(x_again[i] - points[i].x, y_again[i] - points[i].y) <= near)
            places[i] = point{x[i], y[i]};
    return places;
}

// How far from a point the way back may lead, in units of the CRS: a rounding of the extent, or what ways between
// datums lose in metres where the extent is small, as a point is.
inline double near_enough(const OGREnvelope& box, const OGRSpatialReference& srs) {
    constexpr double metres = 10;
    return std::max(1e-6 * std::hypot(box.MaxX - box.MinX, box.MaxY - box.MinY), metres / srs.GetLinearUnits());
}

// Of an extent larger than the map of the Earth in its CRS: a world in Mollweide, a satellite's full disk, the
// outermost tile of a sinusoidal grid. Some of its edges are nowhere, so the outline of what has a place is looked for
// between neighbours in a lattice, and halved until it is a millionth of a step wide.
inline std::optional<std::array<double, 4>> covered_bounds(const OGREnvelope& box, double near,
                                                           OGRCoordinateTransformation& there,
                                                           OGRCoordinateTransformation& back) {
    constexpr std::size_t side = 101;
    const double step_x = (box.MaxX - box.MinX) / (side - 1), step_y = (box.MaxY - box.MinY) / (side - 1);
    std::vector<point> lattice;
    for (std::size_t i = 0; i < side * side; ++i)
        lattice.push_back(
            {box.MinX + step_x * static_cast<double>(i % side), box.MinY + step_y * static_cast<double>(i / side)});
    auto found = places_of(lattice, near, there, back);
    std::vector<point> inside, outside;
    const auto border = [&](std::size_t a, std::size_t b) {
        if (found[a].has_value() == found[b].has_value()) return;
        inside.push_back(lattice[found[a] ? a : b]);
        outside.push_back(lattice[found[a] ? b : a]);
    };
    for (std::size_t i = 0; i < side * side; ++i) {
        if (i % side + 1 < side) border(i, i + 1);
        if (i + side < side * side) border(i, i + side);
    }
    for (int halving = 0; halving < 20; ++halving) {
        std::vector<point> middle;
        for (std::size_t i = 0; i < inside.size(); ++i)
            middle.push_back({(inside[i].x + outside[i].x) / 2, (inside[i].y + outside[i].y) / 2});
        const auto at = places_of(middle, near, there, back);
        for (std::size_t i = 0; i < inside.size(); ++i) (at[i] ? inside : outside)[i] = middle[i];
    }
    const auto outline = places_of(inside, near, there, back);
    found.insert(found.end(), outline.begin(), outline.end());
    std::vector<double> longitudes;
    double south = 90, north = -90;
    for (const auto& place : found) {
        if (!place) continue;
        longitudes.push_back(place->x);
        south = std::min(south, place->y);
        north = std::max(north, place->y);
    }
    if (longitudes.empty()) return std::nullopt;
    // The widest gap between longitudes is outside; around the world there is none wider than between two points.
    std::sort(longitudes.begin(), longitudes.end());
    constexpr double between_points = 10;
    double west = longitudes.front(), east = longitudes.back(), gap = std::max(west + 360 - east, between_points);
    for (std::size_t i = 1; i < longitudes.size(); ++i)
        if (longitudes[i] - longitudes[i - 1] > gap) {
            gap = longitudes[i] - longitudes[i - 1];
            west = longitudes[i];
            east = longitudes[i - 1];
        }
    return std::array{west, south, east, north};
}

// Whether a corner of the extent is nowhere.
inline bool corner_is_nowhere(const OGREnvelope& box, double near, OGRCoordinateTransformation& there,
                              OGRCoordinateTransformation& back) {
    const auto corners = places_of(
        {{box.MinX, box.MinY}, {box.MaxX, box.MinY}, {box.MinX, box.MaxY}, {box.MaxX, box.MaxY}}, near, there, back);
    return !std::all_of(corners.begin(), corners.end(), [](const auto& c) { return c.has_value(); });
}

}  // namespace detail

// [west, south, east, north] in degrees of WGS 84, densified on the way, longitudes within -180 to 180; west > east
// where it crosses the antimeridian. nullopt without CRS, for coordinates the CRS cannot have, and if PROJ fails.
inline std::optional<std::array<double, 4>> wgs84_bounds(const OGREnvelope& box, const OGRSpatialReference& srs) {
    const auto wgs84 = parse_crs("EPSG:4326");
    if (undefined(srs) || !wgs84 || !box.IsInit() || detail::beyond_degrees(box, srs)) return std::nullopt;
    if (detail::same_but_axes(srs, *wgs84)) return detail::within_one_turn(box.MinX, box.MinY, box.MaxX, box.MaxY);
    const auto t = to_wgs84(srs);
    if (!t) return std::nullopt;
    const quiet silence;
    if (const auto shifted = detail::shifted_bounds(box, srs, *t)) return shifted;
    const std::unique_ptr<OGRCoordinateTransformation> back{srs.IsGeographic() ? nullptr : t->GetInverse()};
    const double near = detail::near_enough(box, srs);
    if (back && detail::corner_is_nowhere(box, near, *t, *back)) return detail::covered_bounds(box, near, *t, *back);
    std::array<double, 4> b{};
    if (!t->TransformBounds(box.MinX, box.MinY, box.MaxX, box.MaxY, &b[0], &b[1], &b[2], &b[3], 21))
        return std::nullopt;
    for (double v : b)
        if (!std::isfinite(v)) return std::nullopt;
    return b;
}

// The result record `bounds{native, crs, wgs84}`.
struct bounds_record {
    field<std::vector<double>> native{"native", "[minx, miny, maxx, maxy] in the units of 'crs', x first"};
    field<std::string> crs{"crs", "CRS of 'native': AUTHORITY:CODE or name; empty when the data has none"};
    field<std::vector<double>> wgs84 =
        field<std::vector<double>>{
            "wgs84",
            "[west, south, east, north] in OGC:CRS84; west > east crosses the antimeridian; left "
            "out when the data has no CRS",
            "degrees"}
            .optional();
    record all;
    bounds_record(const char* member, const char* about) : all{member, about, {native, crs, wgs84}} {}
    void put(place& p, const OGREnvelope& box, const OGRSpatialReference& srs) const {
        auto at = p.at(all);
        at.put(native, {box.MinX, box.MinY, box.MaxX, box.MaxY});
        at.put(crs, crs_label(srs));
        const auto b = wgs84_bounds(box, srs);
        if (!b) return;
        std::vector<double> degrees{b->begin(), b->end()};
        if (!srs.IsGeographic())  // where they are computed, a tenth of a millimetre
            for (auto& v : degrees) v = std::round(v * 1e9) / 1e9;
        at.put(wgs84, degrees);
    }
};

// A coordinate for messages: no exponent on Earth, nanodegrees or tenths of a millimetre, no trailing zeros.
inline std::string coordinate_text(double v) {
    char b[40];
    if (!(std::abs(v) <= 1e15)) return {b, std::to_chars(b, b + sizeof b, v, std::chars_format::general, 6).ptr};
    std::string s{b, std::to_chars(b, b + sizeof b, v, std::chars_format::fixed, std::abs(v) <= 360 ? 9 : 4).ptr};
    s.erase(s.find_last_not_of('0') + 1);
    if (s.back() == '.') s.pop_back();
    return s == "-0" ? "0" : s;
}

// For messages: "[19.9,-34.1,20.2,-33.9]".
inline std::string box_text(double minx, double miny, double maxx, double maxy) {
    return "[" + coordinate_text(minx) + "," + coordinate_text(miny) + "," + coordinate_text(maxx) + "," +
           coordinate_text(maxy) + "]";
}
inline std::string box_text(const OGREnvelope& b) { return box_text(b.MinX, b.MinY, b.MaxX, b.MaxY); }

// Refuses coordinates beyond any place on Earth, whatever the CRS and its unit: PROJ and GEOS may never finish on them.
// (The circumference of the Earth is 4e13 micrometres.)
inline void check_coordinates(const char* argument, const OGREnvelope& box) {
    constexpr double most = 1e15;
    if (box.MinX >= -most && box.MaxX <= most && box.MinY >= -most && box.MaxY <= most) return;
    char furthest[32];
    std::snprintf(furthest, sizeof furthest, "%g",
                  std::max({std::abs(box.MinX), std::abs(box.MaxX), std::abs(box.MinY), std::abs(box.MaxY)}));
    throw error{GDALMCP_INVALID_ARGUMENT,
                "'" + std::string{argument} + "' holds the coordinate " + furthest +
                    "; none on Earth is further than 1e15 from 0, in any unit",
                "give coordinates in the units of their CRS"};
}

// Whether an extent lies further from an area of use than so many degrees. Both are west, south, east, north; west >
// east crosses the antimeridian.
inline bool lies_apart(const std::array<double, 4>& extent, const std::array<double, 4>& area, double longitude,
                       double latitude) {
    const auto turn = [](double from, double to) { return to >= from ? to - from : to - from + 360; };
    const double from = area[0] - longitude, width = std::min(360.0, turn(area[0], area[2]) + 2 * longitude);
    const auto within = [&](double lon) { return std::fmod(lon - from + 720, 360) <= width; };
    const bool beyond_meridians =
        !within(extent[0]) && !within(extent[2]) && std::fmod(from - extent[0] + 720, 360) > turn(extent[0], extent[2]);
    return beyond_meridians || extent[1] > area[3] + latitude || extent[3] < area[1] - latitude;
}

// Countries use one zone beyond its edge: Norway's data are in UTM 33N from 4 to 31 degrees east.
inline constexpr double beside_area = 5, beside_zone = 15;  // degrees; the second of longitude, of a projected CRS

// Why an extent does not go with its CRS, for hints: coordinates that cannot be degrees, or a place far outside the
// CRS's area of use. "" when nothing speaks against it, or PROJ does not know. What looks like degrees under a
// projected CRS is near nothing.
inline std::string misplaced(const OGREnvelope& box, const OGRSpatialReference& srs) {
    if (undefined(srs) || !box.IsInit() || srs.IsGeocentric()) return {};
    if (detail::beyond_degrees(box, srs))
        return "the coordinates " + box_text(box) + " cannot be degrees of " + crs_label(srs) +
               ": the CRS is wrong; give the true one as src_crs of raster_reproject or vector_reproject";
    double west = 0, south = 0, east = 0, north = 0;
    const auto code = crs_code(srs);
    const auto registered = code.empty() ? std::nullopt : parse_crs(code);
    const auto b = registered && registered->GetAreaOfUse(&west, &south, &east, &north, nullptr)
                       ? wgs84_bounds(box, srs)
                       : std::nullopt;
    if (!b) {
        // PROJ has no place for it. It is far off where the area of use has one elsewhere.
        const auto to = registered && east > west ? to_wgs84(srs) : nullptr;
        const std::unique_ptr<OGRCoordinateTransformation> back{to ? to->GetInverse() : nullptr};
        const quiet silence;
        OGREnvelope there;
        if (!back ||
            !back->TransformBounds(west, south, east, north, &there.MinX, &there.MinY, &there.MaxX, &there.MaxY, 21))
            return {};
        if (!std::isfinite(there.MinX + there.MaxX + there.MinY + there.MaxY) || there.Intersects(box)) return {};
        return "the coordinates " + box_text(box) + " lie outside the area of use of " + code + ", which there is " +
               box_text(there) + ": check the CRS";
    }
    const bool may_be_beside = srs.IsGeographic() || !detail::within_degrees(box);
    const double beside = may_be_beside ? beside_area : 0;
    if (!lies_apart(*b, {west, south, east, north}, may_be_beside && srs.IsProjected() ? beside_zone : beside, beside))
        return {};
    return "it lies at " + box_text((*b)[0], (*b)[1], (*b)[2], (*b)[3]) + ", outside the area of use of " + code +
           ", " + box_text(west, south, east, north) + ": check the CRS";
}

// Whether two boxes of wgs84_bounds() that do not cross the antimeridian meet; others may.
inline bool may_meet(const std::array<double, 4>& a, const std::array<double, 4>& b) {
    if (a[1] > b[3] || b[1] > a[3]) return false;
    return a[2] < a[0] || b[2] < b[0] || (a[0] <= b[2] && b[0] <= a[2]);
}

// For messages: the extent in its own CRS and in WGS 84.
inline std::string extent_text(const OGREnvelope& box, const OGRSpatialReference& srs) {
    std::string s = box_text(box) + (undefined(srs) ? " (no CRS)" : " in " + crs_label(srs));
    if (const auto b = wgs84_bounds(box, srs); b && crs_code(srs) != "OGC:CRS84" && crs_code(srs) != "EPSG:4326")
        s += ", " + box_text((*b)[0], (*b)[1], (*b)[2], (*b)[3]) + " in OGC:CRS84";
    return s;
}

}  // namespace gdalmcp::gdal
