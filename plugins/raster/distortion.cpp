#include "distortion.hpp"

#include <algorithm>
#include <cmath>

namespace gdalmcp_raster {

namespace {
constexpr double degree = 3.14159265358979323846 / 180;
}

double indicatrix::angular_degrees() const {
    return 2 * std::asin((longest - shortest) / (longest + shortest)) / degree;
}

std::optional<indicatrix> indicatrix_of(double longest, double shortest) {
    if (!(shortest > 0) || !(longest >= shortest) || !(longest < 1e5)) return std::nullopt;
    return indicatrix{longest, shortest};
}

distortion summarise(const std::vector<std::optional<indicatrix>>& at, const std::vector<double>& weights) {
    distortion d;
    double weight = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
        if (!at[i]) {
            ++d.undefined;
            continue;
        }
        const bool first = d.points++ == 0;
        const double s = at[i]->areal();
        d.areal_mean += weights[i] * s;
        weight += weights[i];
        d.areal_min = first ? s : std::min(d.areal_min, s);
        d.areal_max = first ? s : std::max(d.areal_max, s);
        d.angular_max = std::max(d.angular_max, at[i]->angular_degrees());
        d.shortest = first ? at[i]->shortest : std::min(d.shortest, at[i]->shortest);
        d.longest = first ? at[i]->longest : std::max(d.longest, at[i]->longest);
    }
    if (d.points > 0) d.areal_mean /= weight;
    return d;
}

double greatest_departure(const distortion& d) {
    double greatest = 0;
    for (const double scale : {d.areal_min, d.areal_max, d.shortest, d.longest})
        greatest = std::max(greatest, std::abs(scale - 1));
    return greatest;
}

nodes simpson_nodes() { return {{0, 0.25, 0.5, 0.75, 1}, {1.0 / 12, 4.0 / 12, 2.0 / 12, 4.0 / 12, 1.0 / 12}}; }

nodes midpoint_nodes(std::size_t n) {
    nodes all{{0}, {0}};
    const double part = 1 / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
        all.at.push_back((static_cast<double>(i) + 0.5) * part);
        all.weights.push_back(part);
    }
    all.at.push_back(1);
    all.weights.push_back(0);
    return all;
}

double relative_area(double latitude, const gdalmcp::ellipsoid& earth) {
    return earth.parallel_radius(latitude * degree) * earth.meridian_radius(latitude * degree) /
           (earth.a * earth.a * (1 - earth.e2));
}

degree_size degree_at(double latitude, const gdalmcp::ellipsoid& earth) {
    return {earth.parallel_radius(latitude * degree) * degree, earth.meridian_radius(latitude * degree) * degree};
}

}  // namespace gdalmcp_raster
