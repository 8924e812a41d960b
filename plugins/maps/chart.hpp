// chart.hpp — numbers as a picture: a histogram, bars, points with a line fitted to them, lines of series.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "histogram.hpp"
#include "linear_fit.hpp"
#include "plot.hpp"
#include "series.hpp"

namespace gdalmcp_maps {

// What all charts have. The size is the longer side, in pixels.
struct chart_frame {
    int longer;
    std::vector<std::string> heading;
    std::string x_title, y_title;
    scale x = scale::linear, y = scale::linear;
    bool x_whole = false, y_whole = false;
};

canvas histogram_chart(const chart_frame&, const histogram&);
// Lying bars with their values; frame.y_title names the categories. REQUIRES: at least one.
canvas bar_chart(const chart_frame&, const std::vector<bar>&);
// REQUIRES (both below): at least one point; above zero on logarithmic axes.
canvas scatter_chart(const chart_frame&, const std::vector<point_row>&, const std::optional<linear_fit>&);
// At most six.
canvas line_chart(const chart_frame&, const std::vector<series>&);

}  // namespace gdalmcp_maps
