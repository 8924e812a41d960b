// encoding.hpp — the codes of D8 directions in rasters of four common programs.
//
//             E    SE    S   SW    W   NW    N   NE   undrained   nodata
// esri        1     2    4    8   16   32   64  128           0      255   (Byte)   ArcGIS, pysheds (flats -1, pits -2)
// whitebox    2     4    8   16   32   64  128    1           0   -32768   (Int16)  WhiteboxTools
// taudem      1     8    7    6    5    4    3    2           0   -32768   (Int16)  TauDEM, counter-clockwise
// grass       8     7    6    5    4    3    2    1           0   -32768   (Int16)  r.watershed; negative = leaves the
//                                                                                   terrain
// The esri and whitebox codes share their values with different meanings: a grid must declare its encoding.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "grid.hpp"

namespace gdalmcp_hydrology {

enum class encoding { esri, whitebox, taudem, grass };

inline constexpr std::array<std::string_view, 4> encoding_names{"esri", "whitebox", "taudem", "grass"};

std::optional<encoding> encoding_named(std::string_view name);
std::string_view name_of(encoding code);

// The value that stands for cells without terrain; it fits the type the table above names.
int nodata_of(encoding code);

// d: 0..7 or undrained. leaves: the step leads off the terrain (only grass writes that down).
int encode(encoding code, std::uint8_t d, bool leaves);

// nullopt if the value is not a direction in this encoding.
std::optional<std::uint8_t> decode(encoding code, double value);

}  // namespace gdalmcp_hydrology
