// trial.hpp — the effect of a resampling on the values of a piece of raster, over plain arrays.
#pragma once
#include <cstddef>
#include <optional>
#include <vector>

namespace gdalmcp_raster {

struct cells {
    int columns = 0, rows = 0;
    std::vector<double> values;        // row by row
    std::vector<unsigned char> valid;  // 0 = without a value

    std::size_t at(int column, int row) const {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
    }
};

// Share of the cells valid in both whose values differ; 0 when there is none. REQUIRES: equal shapes.
double share_differing(const cells& a, const cells& b);

// Share of the cells valid in at least one of the two that are not alike: another value, or a value in one only; 0 when
// there is none. REQUIRES: equal shapes.
double share_unlike(const cells& a, const cells& b);

// Greatest relative difference of a cell among results: (highest - lowest) / its largest magnitude, or the range of all
// values where that is smaller (heights from 3000 to 3002 m, kelvins); at least 0.01 for a cell that only some have.
// Differences up to a millionth of the median magnitude count as none: beside zero they are rounding.
// REQUIRES: at least one, equal shapes.
double largest_relative_difference(const std::vector<cells>& results);

// Root mean square of what `rounded` differs from `exact`, over the cells valid in both, as a share of the standard
// deviation of `exact` there; 0 where that is 0. REQUIRES: equal shapes.
double loss_of_type(const cells& rounded, const cells& exact);

// Share of the valid cells of `out` whose value no valid cell of `in` has within `reach` columns and rows of the place
// it was taken from; x, y: that place in columns and rows of `in` (from the corner), one per cell of `out`.
double share_foreign(const cells& out, const cells& in, const std::vector<double>& x, const std::vector<double>& y,
                     int reach);

// How the share of a value among the valid cells changed.
struct share_change {
    double value = 0, before = 0, after = 0;  // shares, 0..1
    double relative() const { return after / before - 1; }
};

struct value_share {
    double value = 0, share = 0;  // of the valid cells, 0..1
};

// The (at most eight) commonest values with at least 1 % of the valid cells, the commonest first.
std::vector<value_share> commonest(const cells& c);

// Of the values `before`, the one whose share changed most, relative to what it was. nullopt if there is none.
std::optional<share_change> largest_change(const std::vector<value_share>& before, const cells& out);

// Leaves valid in each of the results only the cells that are valid in all, so that figures of them are of the same
// cells: a mean reaches further over an edge than a single cell does. REQUIRES: equal shapes.
void keep_common(std::vector<cells>& results);

struct value_range {
    double min = 0, max = 0, variance = 0, mean = 0;  // variance: population form
};
std::optional<value_range> range_of(const cells& c);  // nullopt without a valid cell

// The 99th percentile of the gradient (rise over run) by Horn's 3 x 3 weights (1981), of cells whose eight neighbours
// are valid. dx, dy: cell size. nullopt without such a cell.
std::optional<double> steep_gradient(const cells& c, double dx, double dy);

}  // namespace gdalmcp_raster
