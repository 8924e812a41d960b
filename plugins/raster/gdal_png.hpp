// gdal_png.hpp — a picture as a PNG file in memory.
#pragma once
#include "picture.hpp"

namespace gdalmcp_raster {

// pixels: row by row from the top, width × height. Fails the call where GDAL has no PNG driver.
std::string png_of(const std::vector<color>& pixels, int width, int height);

}  // namespace gdalmcp_raster
