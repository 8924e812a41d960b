// How callers write the codes of coordinate reference systems.
#pragma once
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace gdalmcp::base {

// "EPSG 4326", "epsg:4326", "EPSG4326" and "4326" become AUTHORITY:CODE, EPSG:4326; ESRI codes as well, which must name
// the authority. "CRS84" becomes OGC:CRS84. Other spellings PROJ accepts are unchanged.
std::string crs_spelling(std::string_view text);

// The same for a value: a number is a code of EPSG.
void spell_crs(json::value& v);

}  // namespace gdalmcp::base
