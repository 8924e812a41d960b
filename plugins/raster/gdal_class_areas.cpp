#include "gdal_class_areas.hpp"

namespace gdalmcp_raster {

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
