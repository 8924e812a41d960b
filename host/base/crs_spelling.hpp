// How callers write the codes of coordinate reference systems.
#pragma once
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace gdalmcp::base {

// "EPSG 4326", "epsg:4326", "EPSG4326" and "4326" as AUTHORITY:CODE, EPSG:4326; ESRI as well, which must be named.
// Whatever else PROJ may understand stays as it is.
std::string crs_spelling(std::string_view text);

// The same for a value: a number is a code of EPSG.
void spell_crs(json::value& v);

}  // namespace gdalmcp::base
