#include "gdal_class_areas.hpp"

#include <cmath>

namespace gdalmcp_raster {

// Cells without a place on the Earth, such as the corners of a map of the world, have no area.
double true_areas::of(cell_place first, std::int64_t n) const {
    const auto one = [&](std::int64_t column) {
        const double area = cells.at(static_cast<double>(column) + 0.5, first.row);
        if (std::isfinite(area)) return area;
        missing_ = true;
        return 0.0;
    };
    if (n == 1) return one(first.column);
    const double whole = cells.of_run(static_cast<int>(first.column), static_cast<int>(n), first.row);
    if (std::isfinite(whole)) return whole;
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += one(first.column + i);
    return sum;
}

void true_areas::tell_missing(gdalmcp::call& call) const {
    if (missing_) call.warn("some cells have no place on the Earth, and were given no area");
}

std::optional<gdalmcp::gdal::cell_areas> areas_of(gdalmcp::call& call, const grid& g) {
    auto areas =
        g.georeferenced ? gdalmcp::gdal::cell_areas::of(g.crs, g.geotransform, g.width, g.height) : std::nullopt;
    if (!areas)
        call.warn(std::string{"classes have no area_m2: the raster has "} +
                  (!g.georeferenced  ? "no geotransform"
                   : g.crs.IsEmpty() ? "no CRS"
                                     : "a CRS whose coordinates PROJ cannot turn into degrees"));
    return areas;
}

}  // namespace gdalmcp_raster
