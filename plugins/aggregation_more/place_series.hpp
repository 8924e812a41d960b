// place_series.hpp — values of places over time: for each place one of every observation.
#pragma once
#include <limits>
#include <vector>

namespace gdalmcp_aggregation_more {

struct place_series {
    // shares: of areas, whose shares with a value are kept.
    place_series(std::size_t places, std::size_t of_each, bool shares)
        : observations{of_each},
          value(places * of_each, std::numeric_limits<double>::quiet_NaN()),
          excluded(places * of_each, 0.0),
          data_share(shares ? places * of_each : 0, 0.0) {}

    std::size_t at(std::size_t place, std::size_t observation) const { return place * observations + observation; }
    std::vector<double> of(std::size_t place) const {
        const auto first = value.begin() + static_cast<std::ptrdiff_t>(at(place, 0));
        return {first, first + static_cast<std::ptrdiff_t>(observations)};
    }

    std::size_t observations;
    // All by at().
    std::vector<double> value;       // NaN: none
    std::vector<double> excluded;    // 0 to 1: share of the place whose value the mask took out
    std::vector<double> data_share;  // 0 to 1: share of the area on cells with a value; of areas only
    // Over all places and observations, the cells with a value that the mask's rule took out, and those whose quality
    // is nodata; of areas by the covered share.
    double excluded_cells = 0, without_quality = 0;
};

}  // namespace gdalmcp_aggregation_more
