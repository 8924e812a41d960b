// support.hpp — how well a grid supports the statistics of a zone: the number of cells, the share its outline cuts, the
// error of counting centres, and the weight of a few values.
#pragma once
#include <optional>

#include "zone.hpp"

namespace gdalmcp_aggregation {

// Of all rings without what runs along cell borders, in cell sides.
double cutting_length(const zone& outline);

// Cells whose interior an outline crosses; along a cell border it crosses none. Beyond 2000 crossed borders, where the
// difference is negligible, the number of crossings is used, which counts a cell again each time the outline returns.
double cut_cells(const zone& outline);

// Share of the cells of a zone that its outline cuts, 0..1. area: in cells; a cut cell counts as half inside.
double boundary_share(double area, double cut);

// Expected relative error (one standard deviation) of a zone's area when cells are counted by their centres, for a grid
// laid over it anywhere. perimeter: cutting_length(), as counting centres is exact along cell borders. The variance of
// the count is c times the perimeter, with c = sum over the grid's reciprocal lattice of |m|^-3 / (4 pi^3) = 0.0728: D.
// Kendall, "On the number of lattice points inside a random oval", Quarterly Journal of Mathematics 19 (1948). Below
// one cell the count is 0 or 1 and the error sqrt((1 - n) / n).
double centre_rule_error(double area, double perimeter);

// Over the values of a sample. nullopt if it is empty; a share of the sum only if no value is negative.
struct value_spread {
    double mean = 0, median = 0, stdev = 0;  // population form
    double skew = 0;                         // (mean - median) / stdev; 0 if all values are equal
    std::optional<double> top_share;         // of the sum, in the greatest 1 % of the values (at least one)
};
std::optional<value_spread> spread_of(std::vector<double> values);

// A value, the share of its cell that a zone covers, above 0, and the cell's true area in any unit.
struct covered_value {
    double value, share, area = 1;
};

// Values that can stand for a zone, each weighted by the covered shares.
struct typical_values {
    double mean = 0;
    double median = 0;        // as in zone_statistics.hpp
    double trimmed_mean = 0;  // without the lowest and the highest tenth of the covered area
    double mean_by_area = 0;  // weighted by the true areas as well
    double lowest() const;
    double highest() const;
    double relative_difference() const;  // (highest - lowest) / the largest magnitude; 0 where all are 0
};
std::optional<typical_values> typical_of(std::vector<covered_value> cells);  // nullopt if it is empty

// Of the middle rank; the mean of the two middle ones. REQUIRES: not empty.
double median_of(std::vector<double> values);

}  // namespace gdalmcp_aggregation
