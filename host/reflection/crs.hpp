// Spellings of coordinate reference systems, identified by the caller through PROJ, which this folder does not use.
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/problem.hpp"

namespace gdalmcp::reflection {

struct crs_identity {
    std::string normal;       // "EPSG:3857", or "projjson-sha256:<hex>" where no authority code fits
    bool geographic = false;  // coordinates in degrees
    std::string name{};       // "WGS 84 / Pseudo-Mercator"
    double unit_m = 0;        // metres per unit of the horizontal axes, 0 for degrees
    std::optional<std::array<double, 4>> area_of_use{};  // west, south, east, north in degrees, where PROJ knows it
    std::string label{};  // for people: the code or codes ("EPSG:26916+6360"), else the name
};

// Any spelling PROJ accepts -> its identity; an unknown spelling is a problem. Called from the gate's calling thread;
// the provider should cache it (about 10 ms in a fresh process, a table look-up after that).
using crs_lookup = std::function<base::result<crs_identity>(std::string_view spelling)>;

}  // namespace gdalmcp::reflection
