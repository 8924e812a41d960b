// gdal_drawing.hpp — bands at the size of a picture as colours: palettes, classes, ramps, shaded relief,
// red-green-blue.
#pragma once
#include "gdal_reduced_view.hpp"
#include "picture.hpp"

namespace gdalmcp_raster {

// What is drawn.
struct view {
    GDALDataset& source;
    window w;
    std::vector<int> bands;    // one, or red, green and blue
    const OGRGeometry* shape;  // outside is transparent; nullptr = none
    grid on;
    kind k;
};

// The bands marked as red, green and blue, in this order; fewer where one is missing.
std::vector<int> marked_bands(GDALDataset& source);

struct drawing_style {
    std::string stretch;   // percent, minmax or none
    std::string colormap;  // auto, relief, or a name of ramp()
};

struct picture {
    int width = 0, height = 0;
    std::vector<color> pixels;
    std::vector<std::array<double, 2>> ranges;       // per channel, scale and offset applied
    std::map<std::int64_t, color> shown;             // classes
    std::map<std::int64_t, std::int64_t> pixels_of;  // of each class
    std::string kind;                                // palette, classes, ramp, relief or rgb
    std::string colormap;                            // of ramp and relief
};

// cells: of each band of the view.
picture drawn(const view& v, const std::vector<reduced_cells>& cells, const drawing_style& style);

// Turns the pixels: north at the top and east on the right, unless the grid is rotated or has no place.
void turn_north_up(picture& p, const grid& on);

}  // namespace gdalmcp_raster
