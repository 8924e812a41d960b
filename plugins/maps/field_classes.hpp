// field_classes.hpp — the values of a field as classes with colours, over plain arrays.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "raster/picture.hpp"

namespace gdalmcp_maps {

using gdalmcp_raster::color;

inline constexpr color no_value_color{200, 200, 200, 255};

struct value_class {
    std::string label;  // "12 to 40", "forest"
    color shown;
    std::int64_t count = 0;
};

struct classification {
    std::vector<value_class> classes;
    std::vector<std::int32_t> class_of;  // of each value; -1: it has none
    std::string method;                  // "5 classes of equal counts (quantiles)"
};

// Classes of numbers, NaN has none: the values themselves where there are at most five different ones; classes of equal
// width to both sides of zero where both signs matter; otherwise five quantile classes, fewer where values repeat. A
// value equal to a break belongs to the class above it. Dark to light, or blue to red around zero.
classification classes_of_numbers(const std::vector<double>& values);

// Categories; nullopt has none. Beyond the nine commonest all are "others", in grey.
classification classes_of_texts(const std::vector<std::optional<std::string>>& values);

// The first 60 characters or so of a text, whole ones, with "…" where it was longer.
std::string short_text(const std::string& text);

// As many digits as tell the breaks apart: "0.25", "1200000".
std::string short_number(double v);

}  // namespace gdalmcp_maps
