// support.hpp — how well the cells of a grid carry the statistics of a zone: how many they are, how many of them its
// outline cuts, how far counting centres is off, and how much a few values weigh.
#pragma once
#include <optional>

#include "zone.hpp"

namespace gdalmcp_aggregation {

// Of all rings, in cell sides.
double perimeter_of(const zone& outline);

// Cells whose inside an outline passes; along a border of cells it passes none. Beyond 2000 crossed borders, where it
// hardly matters any more, the number of crossings is taken, which counts a cell again each time the outline comes
// back.
double cut_cells(const zone& outline);

// Share of the cells of a zone that its outline cuts, 0..1. area: in cells; a cut cell is taken to be half inside.
double boundary_share(double area, double cut);

// Expected relative error (one standard deviation) of a zone's area when cells are counted by their centres, for a grid
// laid over it anywhere. The variance of the count is c times the perimeter, with c = sum over the grid's reciprocal
// lattice of |m|^-3 / (4 pi^3) = 0.0728: D. Kendall, "On the number of lattice points inside a random oval", Quarterly
// Journal of Mathematics 19 (1948). Below one cell the count is 0 or 1 and the error sqrt((1 - n) / n).
double centre_rule_error(double area, double perimeter);

// Over the values of a sample. Nothing of an empty one; a share of the sum only where no value is negative.
struct value_spread {
    double mean = 0, median = 0, stdev = 0;  // population form
    double skew = 0;                         // (mean - median) / stdev; 0 where all values are alike
    std::optional<double> top_share;         // of the sum, in the greatest 1 % of the values (at least one)
};
std::optional<value_spread> spread_of(std::vector<double> values);

// Of the middle rank; the mean of the two middle ones. REQUIRES: not empty.
double median_of(std::vector<double> values);

}  // namespace gdalmcp_aggregation
