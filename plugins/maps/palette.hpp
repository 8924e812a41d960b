// palette.hpp — colours of layers and series, told apart without colour vision.
#pragma once
#include <array>

#include "raster/picture.hpp"

namespace gdalmcp_maps {

// The bright scheme of Tol, P. (2021), Colour Schemes, SRON/EPS/TN/09-002.
inline constexpr std::array<gdalmcp_raster::color, 6> bright_colors{{{68, 119, 170, 255},
                                                                     {238, 102, 119, 255},
                                                                     {34, 136, 51, 255},
                                                                     {204, 187, 68, 255},
                                                                     {102, 204, 238, 255},
                                                                     {170, 51, 119, 255}}};

}  // namespace gdalmcp_maps
