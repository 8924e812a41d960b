// coordinates.hpp — coordinates as people write them: decimal (a comma may stand for the point), or degrees, minutes
// and seconds with or without a hemisphere.
#pragma once
#include <optional>
#include <string>

namespace gdalmcp_vector {

struct coordinate {
    double value;
    char hemisphere = 0;  // N, S, E or W as written; the sign of value has it already
    bool sexagesimal = false;
};

// "13.405", "13,405", "5e-05", "52°31'12\"N", "N 52 31.2", "13:24:18 E"; nullopt: none of them, or minutes or seconds
// beyond 60.
std::optional<coordinate> coordinate_of(const std::string& text);

}  // namespace gdalmcp_vector
