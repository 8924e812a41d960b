// composite.hpp — the statistics of aggregate_temporal by name, for all bands of a run of cells at once.
#pragma once
#include <string>
#include <vector>

#include "cell_stack.hpp"

namespace gdalmcp_temporal {

enum class statistic { max, min, mean, median, percentile, count, last_valid, medoid, trend };

// REQUIRES: one of their names.
statistic statistic_named(const std::string& name);

// The order of observations in time matters to the result.
inline bool needs_dates(statistic s) { return s == statistic::last_valid || s == statistic::trend; }
// Every value is one that was observed.
inline bool picks(statistic s) {
    return s == statistic::max || s == statistic::min || s == statistic::last_valid || s == statistic::medoid;
}
// All bands of a cell come from one observation.
inline bool keeps_observations_whole(statistic s) { return s == statistic::last_valid || s == statistic::medoid; }
// Of every input band: a slope and its probability.
inline std::size_t outputs_of(statistic s) { return s == statistic::trend ? 2 : 1; }

struct recipe {
    statistic what = statistic::mean;
    double percent = 50;        // of percentile
    std::vector<double> years;  // of the observations, for trend
};

// The stacks of all bands of a run of cells, and what is made of them.
struct composition {
    std::vector<cell_stack> bands;
    std::vector<std::vector<std::uint32_t>> seen;  // observations of each cell that counted, by band
    std::vector<std::vector<double>> made;         // outputs_of() rows for each band, one band after the other

    // Reorders the values of `bands`.
    void make(const recipe& r);

private:
    void make_band(const recipe& r, std::size_t band);
    std::vector<std::uint32_t> which_;
};

}  // namespace gdalmcp_temporal
