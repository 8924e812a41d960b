// gdal_furniture.hpp — what orients a reader on a map: scale bar, north arrow, lines of longitude and latitude.
#pragma once
#include <optional>
#include <string>

#include "canvas.hpp"
#include "gdal_map_frame.hpp"

namespace gdalmcp_maps {

struct furniture {
    std::optional<double> metres_per_pixel;  // in the middle, along a row, on the ellipsoid; none without a CRS
    bool scale_bar = false;                  // drawn: lengths differ by less than a tenth over the map
    bool north_arrow = false;                // drawn: north is up, within 3 degrees, everywhere
};

// Draws the scale bar and the north arrow where they are true; with `graticule` longitudes and latitudes as well. Takes
// what it covers from the room of labels.
furniture draw_furniture(canvas& c, const map_frame& frame, bool graticule, label_room& room);

}  // namespace gdalmcp_maps
