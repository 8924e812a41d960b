// zone_result.hpp — the result of a zone once its cells are counted.
#pragma once
#include <algorithm>
#include <limits>
#include <string>

#include "coverage.hpp"
#include "zone_statistics.hpp"

namespace gdalmcp_aggregation {

struct band_result {
    std::size_t cells = 0, unweighted = 0, unplaced = 0;  // as in zone_statistics
    double count = 0, nodata = 0, nan = 0, infinite = 0;
    double least = 0, greatest = 0;  // of the cells
    std::vector<double> values;      // of the statistics wanted, in their order; NaN = undefined, or no number
    std::vector<double> quantiles;   // of the shares wanted, in their order; NaN = undefined
    std::optional<cell_place> lowest, highest;
    std::vector<value_share> classes;  // by value; only for frac

    band_result() = default;
    band_result(zone_statistics& s, const std::vector<statistic>& wanted, const std::vector<double>& shares)
        : cells{s.cells()},
          unweighted{s.unweighted()},
          unplaced{s.unplaced()},
          count{s.count()},
          nodata{s.nodata()},
          nan{s.nan()},
          infinite{s.infinite()},
          least{s.least()},
          greatest{s.greatest()},
          lowest{s.lowest()},
          highest{s.highest()} {
        constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
        for (const auto w : wanted) {
            if (w == statistic::frac) classes = s.classes();
            values.push_back(is_number(w) ? s.value_of(w).value_or(undefined) : undefined);
        }
        for (const double share : shares) quantiles.push_back(s.quantile_of(share).value_or(undefined));
    }
};

// The share of a zone's area, in cells, that lies on cells with a value, which it covers by `cells` in all.
inline double share_of_zone(double cells, double zone_area) {
    const double share = zone_area > 0 ? cells / zone_area : 0;
    return share > 1 - coverage_rounding ? 1 : share;
}

struct zone_result {
    std::string id;
    std::vector<std::string> labels;
    std::optional<double> area;      // m², true area of the whole zone
    std::string problem;             // why it has no statistics; "" if it has them
    double in_cells = 0;             // area of its outline
    bool on_grid = false;            // all of it
    bool whole_cells = false;        // counted, which need not add up to its area
    std::vector<band_result> bands;  // in the requested order; empty with a problem

    double data_share(const band_result& b) const {
        if (!whole_cells) return share_of_zone(b.count, in_cells);
        const double counted = b.count + b.nodata + b.nan + b.infinite;
        return share_of_zone(b.count, on_grid ? counted : std::max(counted, in_cells));
    }
};

}  // namespace gdalmcp_aggregation
