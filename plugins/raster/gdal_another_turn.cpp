#include "gdal_another_turn.hpp"

#include <gdalmcp/gdal_extent.hpp>
#include <gdalmcp/gdal_same_crs.hpp>

#include <algorithm>

namespace gdalmcp_raster {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

bool beyond_half_turn(const OGREnvelope& degrees) {
    return degrees.MinX < -180 - rounding_of_degrees || degrees.MaxX > 180 + rounding_of_degrees;
}

bool may_repeat(const grid& source, const OGRSpatialReference& target, bool extent_given) {
    if (!gdal::detail::geographic(source.crs) || target.IsGeographic()) return false;
    constexpr double world = 350;  // degrees
    const auto box = source.extent();
    return beyond_half_turn(box) || (extent_given && box.MaxX - box.MinX > world);
}

void refuse_a_turn_apart(const std::string& path, const grid& source, const grid& other) {
    if (gdal::detail::geographic(source.crs) && beyond_half_turn(source.extent()))
        refuse_another_turn(path, source, other.crs, other.extent());
}

void refuse_another_turn(const std::string& path, const grid& source, const OGRSpatialReference& target,
                         const std::optional<OGREnvelope>& box) {
    const auto own = source.extent();
    const bool from_degrees = gdal::detail::geographic(source.crs), to_degrees = gdal::detail::geographic(target);
    const bool one = gdal::detail::coincide(source.crs, target);
    bool torn = from_degrees ? beyond_half_turn(own) && !(one && !box) : to_degrees && box && beyond_half_turn(*box);
    if (from_degrees && to_degrees && box) {
        const double least = one ? rounding_of_degrees : 0.01;  // datums differ
        torn = false;
        for (const double turn : {-360.0, 360.0})
            torn = torn || std::min(own.MaxX + turn, box->MaxX) - std::max(own.MinX + turn, box->MinX) > least;
    }
    if (!torn) return;
    if (from_degrees && beyond_half_turn(own))
        throw error{
            GDALMCP_INVALID_ARGUMENT,
            "the longitudes of " + path + " run from " + gdal::coordinate_text(own.MinX) + " to " +
                gdal::coordinate_text(own.MaxX) + ", and its cells would count at these alone, not a turn away",
            "bring it to -180 to 180 first: raster_reproject with nearest, its own resolution and bounds [-180, " +
                gdal::coordinate_text(own.MinY) + ", 180, " + gdal::coordinate_text(own.MaxY) + "]"};
    throw error{GDALMCP_INVALID_ARGUMENT,
                "the grid runs from longitude " + gdal::coordinate_text(box->MinX) + " to " +
                    gdal::coordinate_text(box->MaxX) + ", and the cells of " + path +
                    " would count from -180 to 180 alone, not a turn away",
                "give bounds from -180 to 180; raster_reproject with nearest then moves the result"};
}

}  // namespace gdalmcp_raster
