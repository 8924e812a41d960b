// field_classes.hpp — the values of a field as classes with colours, over plain arrays.
#pragma once
#include <array>
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

enum class class_method { automatic, quantile, equal_interval, natural_breaks, standard_deviation };

struct class_wish {
    class_method method = class_method::automatic;
    std::optional<std::size_t> count;  // of classes
    std::optional<double> midpoint;    // between two classes, where blue turns to red
};

// Classes of numbers, NaN has none. A value equal to a break belongs to the class above it. Without a wish: the values
// themselves where there are at most five different ones; classes of equal width to both sides of zero where both signs
// matter; otherwise five quantile classes, fewer where values repeat. Dark to light, or blue to red around zero, the
// midpoint or the mean. With a midpoint each side has half of the classes, rounded up: of equal width on both sides, or
// by the method. REQUIRES: neither count nor midpoint for standard_deviation.
classification classes_of_numbers(const std::vector<double>& values, const class_wish& wish = {});

// Two numbers of a feature at once: three classes of each make nine, the first field growing fastest.
struct two_field_classes {
    classification nine;
    std::array<std::vector<std::string>, 2> edges;  // of each field's three classes: four texts
};
// By quantile unless equal_interval or natural_breaks is wished. nullopt where one field has fewer than three classes.
std::optional<two_field_classes> classes_of_two(const std::vector<double>& a, const std::vector<double>& b,
                                                class_method method, const std::array<std::string, 2>& names);

// Categories; nullopt has none. Beyond the nine commonest all are "others", in grey.
classification classes_of_texts(const std::vector<std::optional<std::string>>& values);

// The first 60 characters or so of a text, whole ones, with "…" where it was longer.
std::string short_text(const std::string& text);

// Whole numbers whole, others with four digits, or with all before the point: "0.25", "1200000", "702713" for 702712.8.
std::string short_number(double v);

}  // namespace gdalmcp_maps
