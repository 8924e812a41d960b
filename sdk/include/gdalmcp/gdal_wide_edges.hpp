// gdalmcp/gdal_wide_edges.hpp — edges in degrees that span more than half a turn: nothing says whether they go around
// the Earth, as their coordinates do, or were meant to cross the antimeridian. Header-only; link GDAL.
//
//   gdal::wide_edges wide{crs};
//   for (...) wide.see(geometry, fid);
//   wide.tell(call, "the features of 'a'");
#pragma once
#include <ogr_geometry.h>
#include <gdalmcp/gdal_extent.hpp>
#include <gdalmcp/tool.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace gdalmcp::gdal {

// Longitudes of its ends, in degrees.
struct wide_edge {
    double from, to;

    // "taken as 340 degrees wide, through longitude 0; if the narrow way is meant, split it at 180 or write longitudes
    // to 190"
    std::string taken_as(const char* them) const {
        const double west = std::min(from, to), east = std::max(from, to);
        const auto text = [](double v) { return number_text(std::round(v * 1e6) / 1e6); };
        const bool through_zero = west < 0;  // else between 0 and 360
        return "taken as " + text(east - west) + " degrees wide, through longitude " + (through_zero ? "0" : "180") +
               "; if the narrow way is meant, split " + them + " at " + (through_zero ? "180" : "0") +
               " or write longitudes " + (through_zero ? "to " + text(west + 360) : "from " + text(east - 360));
    }
};

// The first in a geometry, in its linear parts. An edge of a whole turn is none: it ends where it began and can only go
// around, and one along a pole is a point. Of a ring that has no other, one of almost a whole turn is none either: ends
// at ±180 may be rounded, as those of Antarctica often are.
inline std::optional<wide_edge> first_wide_edge(const OGRGeometry& shape, double degrees_per_unit) {
    const auto type = wkbFlatten(shape.getGeometryType());
    const auto first_of = [&](const auto& parts) -> std::optional<wide_edge> {
        for (const auto* part : parts)
            if (const auto found = first_wide_edge(*part, degrees_per_unit)) return found;
        return std::nullopt;
    };
    if (OGR_GT_IsSubClassOf(type, wkbGeometryCollection)) return first_of(*shape.toGeometryCollection());
    if (type == wkbPolyhedralSurface || type == wkbTIN) return first_of(*shape.toPolyhedralSurface());
    if (OGR_GT_IsSubClassOf(type, wkbPolygon)) return first_of(*shape.toPolygon());
    if (type != wkbLineString) return std::nullopt;
    const auto& line = *shape.toLineString();
    constexpr double rounding = 1e-4;
    const bool ring = std::string_view{line.getGeometryName()} == "LINEARRING";
    std::optional<wide_edge> first;
    for (int i = 1; i < line.getNumPoints(); ++i) {
        const double from = line.getX(i - 1) * degrees_per_unit, to = line.getX(i) * degrees_per_unit,
                     span = std::abs(to - from);
        const bool at_pole =
            std::min(std::abs(line.getY(i - 1)), std::abs(line.getY(i))) * degrees_per_unit >= 90 - 1e-9;
        if (span <= 180 || std::abs(span - 360) <= 1e-9 || at_pole) continue;
        if (first || !ring || std::abs(span - 360) > rounding) return first.value_or(wide_edge{from, to});
        first = wide_edge{from, to};
    }
    return std::nullopt;
}

// Counts the geometries that have one. Of a map in metres there are none.
class wide_edges {
public:
    wide_edges() = default;  // sees none
    explicit wide_edges(const OGRSpatialReference& crs)
        : degrees_per_unit_{crs.IsEmpty() || !crs.IsGeographic() ? 0 : detail::degrees_per_unit(crs)} {}

    // `id`: of the feature, a number or text.
    template <class Id>
    void see(const OGRGeometry& shape, const Id& id) {
        if (degrees_per_unit_ == 0) return;
        const auto found = first_wide_edge(shape, degrees_per_unit_);
        if (!found || count_++ > 0) return;
        first_ = *found;
        if constexpr (std::is_arithmetic_v<Id>)
            first_id_ = std::to_string(id);
        else
            first_id_ = id;
    }

    // What was taken for granted; "" where there was none. `all`: "the zones", "the features of 'a'". `taken`: how the
    // edges are taken, where not as wide as they say.
    std::string warning(const std::string& all, const std::string& taken = {}) const {
        if (count_ == 0) return {};
        return std::to_string(count_) + " of " + all + (count_ == 1 ? " has" : " have") +
               " edges of more than 180 degrees of longitude, the first is " + first_id_ + " (longitude " +
               number_text(first_.from) + " to " + number_text(first_.to) +
               "): " + (taken.empty() ? first_.taken_as("them") : taken);
    }
    void tell(call& c, const std::string& all) const {
        if (const auto text = warning(all); !text.empty()) c.warn(text);
    }

private:
    double degrees_per_unit_ = 0;  // 0: not in degrees
    std::int64_t count_ = 0;
    wide_edge first_{};
    std::string first_id_;
};

}  // namespace gdalmcp::gdal
