// gdal_png.hpp — a picture as a PNG file in memory.
#pragma once
#include "picture.hpp"

namespace gdalmcp_raster {

// pixels: row by row from the top, width × height. Up to 256 colours make a file of one band with a palette, which
// takes a quarter of the work. Fails the call where GDAL has no PNG driver.
std::string png_of(const std::vector<color>& pixels, int width, int height);

}  // namespace gdalmcp_raster
