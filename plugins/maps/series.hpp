// series.hpp — rows as the bars and the lines of a chart: one number for each category, or for each x of a series.
// Plain numbers and texts.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fields/summary.hpp"

namespace gdalmcp_maps {

enum class statistic { count, sum, mean, median };

// REQUIRES: `of` is finished, and keeps its values for the median.
double value_of(const gdalmcp_fields::number_summary& of, statistic what);

struct bar {
    std::string label;
    std::int64_t rows = 0;  // with a value
    double value = 0;
    bool others = false;  // of several categories together
};

struct category {
    std::string label;
    gdalmcp_fields::number_summary values;  // finished, kept
};

// A bar for each category that has a value, largest first; beyond `most` the smallest are one bar together, which comes
// last. `in_order`: the bars shown are in the order of the categories.
std::vector<bar> bars_of(const std::vector<category>& all, statistic what, std::size_t most, bool in_order);

struct point_row {
    double x, y;
    std::int32_t series = 0;
};

struct series {
    std::string name;
    std::int64_t rows = 0;
    std::vector<double> x, y;  // by x, each once
};

// The `most` series with the most rows, by name; y: the statistic of the rows with the same x.
std::vector<series> series_of(const std::vector<point_row>& rows, const std::vector<std::string>& names, statistic what,
                              std::size_t most);

struct pixel_place {
    double column = 0, row = 0;  // pixels
};

// The places that a line through all of them needs: of those within a column of pixels the first, the highest, the
// lowest and the last (M4: U. Jugel et al., "M4: a visualization-oriented time series data aggregation", 2014). Cairo's
// time grows with the square of a path that crosses itself.
std::vector<pixel_place> drawn_places(const std::vector<pixel_place>& line);

}  // namespace gdalmcp_maps
