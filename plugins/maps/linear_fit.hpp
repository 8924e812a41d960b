// linear_fit.hpp — the straight line through points with the least squares. Plain numbers.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

namespace gdalmcp_maps {

struct linear_fit {
    double slope, intercept;
    std::optional<double> r_squared;  // the share of y's variance that the line explains; none: y is constant
};

// y = slope x + intercept. nullopt for fewer than two points and where all x are the same. REQUIRES: as many x as y,
// finite.
std::optional<linear_fit> fit_of(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace gdalmcp_maps
