#include <vector/field_directions.hpp>

#include <limits>
#include <string>
#include <vector>

#include "catch.hpp"

using gdalmcp_vector::field_directions;
using gdalmcp_vector::names_directions;

namespace {

bool directions_among(const std::string& name, const std::vector<double>& values) {
    field_directions d{name};
    for (const double v : values) d.see(v);
    return d.found();
}

}  // namespace

TEST_CASE("whole words name directions, in any case") {
    for (const char* name : {"bearing", "AZIMUTH", "aspect_deg", "Heading", "wind direction", "WindDirection", "wdir",
                             "wdir10", "wind_dir", "windDir", "orientation", "course", "mean.aspect", "dir"})
        CHECK(names_directions(name));
    for (const char* name : {"temp", "aspects", "recourse", "subdir", "directions_url", "wind", "dir_wind", ""})
        CHECK_FALSE(names_directions(name));
}

TEST_CASE("directions fill more than half of the circle") {
    CHECK(directions_among("bearing", {1, 359}));
    CHECK(directions_among("bearing", {0, 90, 360}));
    CHECK_FALSE(directions_among("bearing", {10, 190}));      // no wider than a half
    CHECK_FALSE(directions_among("bearing", {1, 359, 361}));  // no degrees of a circle
    CHECK_FALSE(directions_among("bearing", {-1, 359}));
    CHECK_FALSE(directions_among("bearing", {}));
    CHECK_FALSE(directions_among("temp", {1, 359}));
    CHECK(directions_among("bearing", {1, std::numeric_limits<double>::quiet_NaN(), 359}));
}
