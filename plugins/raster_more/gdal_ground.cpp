#include "gdal_ground.hpp"

#include <cmath>

#include "datasets/gdal_cell_size.hpp"

namespace gdalmcp_raster_more {
namespace {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;

std::string percent(double share) { return gdal::number_text(std::round(1000 * share) / 10) + " %"; }

// The step out of an unsuitable CRS: the UTM zone of the middle of the raster, where there is one.
std::string projecting(const grid& on) {
    const std::string step = "reproject it to a projected CRS with raster_reproject";
    const auto b = gdal::wgs84_bounds(on.extent(), on.crs);
    if (!b || (*b)[0] > (*b)[2] || (*b)[2] - (*b)[0] > 12 || (*b)[1] < -80 || (*b)[3] > 84) return step;
    const int zone = std::clamp(static_cast<int>(std::floor(((*b)[0] + (*b)[2]) / 2 / 6)) + 31, 1, 60);
    const bool north = (*b)[1] + (*b)[3] >= 0;
    return step + ", such as EPSG:" + std::to_string((north ? 32600 : 32700) + zone) + " (UTM zone " +
           std::to_string(zone) + (north ? "N)" : "S)");
}

}  // namespace

void require_upright(const std::string& path, const grid& on) {
    if (!on.georeferenced)
        throw error{GDALMCP_UNSUPPORTED, path + " has no geotransform, so the size of its cells is unknown",
                    "georeference it first"};
    if (on.rotated() || on.mirrored())
        throw error{GDALMCP_UNSUPPORTED, path + " lies on a rotated or mirrored grid",
                    "bring it to a north-up grid of its own CRS with raster_reproject"};
}

double ground_metres(const std::string& path, const grid& on, std::vector<std::string>& notes) {
    require_upright(path, on);
    if (on.crs.IsEmpty())
        throw error{GDALMCP_INVALID_ARGUMENT, path + " has no CRS, so the unit of its cells is unknown",
                    "state it with raster_reproject and 'src_crs'"};
    if (on.crs.IsLocal()) {
        notes.push_back(gdal::crs_label(on.crs) +
                        " is a local CRS: lengths in its unit are taken as those on the ground");
        return on.crs.GetLinearUnits();
    }
    if (!on.crs.IsProjected())
        throw error{
            GDALMCP_UNSUPPORTED,
            path + " is in " + gdal::crs_label(on.crs) + ", whose units are not lengths: cells are narrower than high",
            projecting(on)};
    const double metre = on.crs.GetLinearUnits();
    const auto ratios = length_ratios(on);
    if (!ratios)
        throw error{GDALMCP_UNSUPPORTED,
                    "the cells of " + path + " have no true length: " + gdal::crs_label(on.crs) +
                        " cannot be turned into degrees there",
                    "check the CRS with raster_info"};
    const auto [low, high] = *ratios;
    if (low >= 0.99 && high <= 1.01) return metre;
    const double middle = (low + high) / 2, spread = (high - low) / (high + low);
    const std::string scales = gdal::crs_label(on.crs) + " shows lengths here as " +
                               gdal::number_text(std::round(1000 * low) / 1000) + " to " +
                               gdal::number_text(std::round(1000 * high) / 1000) + " times the true ones";
    if (spread > 0.1)
        throw error{GDALMCP_UNSUPPORTED, scales + ": no distance across " + path + " is right", projecting(on)};
    notes.push_back(scales + ": distances are corrected by " + gdal::number_text(std::round(1000 * middle) / 1000) +
                    " everywhere, and off by up to " + percent(spread));
    return metre / middle;
}

double square_side(const std::string& path, const grid& on, std::vector<std::string>& notes) {
    const double width = on.cell_width(), height = on.cell_height();
    const double difference = std::abs(width - height) / std::max(width, height);
    if (difference > 0.01)
        throw error{GDALMCP_UNSUPPORTED,
                    "the cells of " + path + " are " + gdal::coordinate_text(width) + " wide and " +
                        gdal::coordinate_text(height) + " high, and distances are counted over square ones",
                    "resample it to square cells with raster_reproject and 'resolution'"};
    if (difference > 1e-3)
        notes.push_back("cells are not quite square: distances are off by up to " + percent(difference / 2));
    return (width + height) / 2;
}

}  // namespace gdalmcp_raster_more
