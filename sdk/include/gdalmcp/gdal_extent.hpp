// gdalmcp/gdal_extent.hpp — extents in their own CRS and in WGS 84, as results and in messages. Header-only; link GDAL
// and PROJ.
#pragma once
#include <ogr_core.h>
#include <gdalmcp/gdal_crs.hpp>

#include <cstdio>

namespace gdalmcp::gdal {

// [minx, miny, maxx, maxy], densified on the way, in degrees of WGS 84; west > east where it crosses the antimeridian.
// Nothing for a dataset without CRS, or where PROJ cannot say.
inline std::optional<std::array<double, 4>> wgs84_bounds(const OGREnvelope& box, const OGRSpatialReference& srs) {
    const auto wgs84 = parse_crs("EPSG:4326");  // x first inside; the way to OGC:CRS84 costs PROJ 5 ms more
    if (undefined(srs) || !wgs84 || !box.IsInit()) return std::nullopt;
    if (detail::same_but_axes(srs, *wgs84)) return std::array{box.MinX, box.MinY, box.MaxX, box.MaxY};
    const quiet silence;
    OGRSpatialReference from{srs};
    from.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
    // Degrees say where the data lie, which spares PROJ the datum operations of other places.
    OGRCoordinateTransformationOptions around;
    if (from.IsGeographic()) around.SetAreaOfInterest(box.MinX, box.MinY, box.MaxX, box.MaxY);
    const std::unique_ptr<OGRCoordinateTransformation> t{OGRCreateCoordinateTransformation(&from, &*wgs84, around)};
    std::array<double, 4> b{};
    if (!t || !t->TransformBounds(box.MinX, box.MinY, box.MaxX, box.MaxY, &b[0], &b[1], &b[2], &b[3], 21))
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
        if (const auto b = wgs84_bounds(box, srs)) at.put(wgs84, {b->begin(), b->end()});
    }
};

// A coordinate for messages: never an exponent, nanodegrees or tenths of a millimetre, no trailing zeros.
inline std::string coordinate_text(double v) {
    char b[400];
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

// Refuses coordinates that no place on Earth has, whatever the CRS and its unit: PROJ and GEOS can take for ever over
// them. (The circumference of the Earth is 4e13 micrometres.)
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

// For messages: the extent in its own CRS and in WGS 84.
inline std::string extent_text(const OGREnvelope& box, const OGRSpatialReference& srs) {
    std::string s = box_text(box) + (undefined(srs) ? " (no CRS)" : " in " + crs_label(srs));
    if (const auto b = wgs84_bounds(box, srs); b && crs_code(srs) != "OGC:CRS84" && crs_code(srs) != "EPSG:4326")
        s += ", " + box_text((*b)[0], (*b)[1], (*b)[2], (*b)[3]) + " in OGC:CRS84";
    return s;
}

}  // namespace gdalmcp::gdal
