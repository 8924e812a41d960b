#include "reflection/digits.hpp"

#include <charconv>
#include <cmath>

namespace gdalmcp::reflection {

double significant(double v, int digits) {
    if (!std::isfinite(v)) return v;
    char text[40];
    const auto end = std::to_chars(std::begin(text), std::end(text), v, std::chars_format::scientific, digits - 1).ptr;
    double rounded = v;
    std::from_chars(std::begin(text), end, rounded);
    return rounded;
}

void round_numbers(boost::json::value& v, int digits) {
    if (v.is_double()) {
        v = significant(v.get_double(), digits);
    } else if (auto* o = v.if_object()) {
        for (auto& m : *o) round_numbers(m.value(), digits);
    } else if (auto* a = v.if_array()) {
        for (auto& one : *a) round_numbers(one, digits);
    }
}

}  // namespace gdalmcp::reflection
