// kernel_share.hpp — the share of a kernel that lies inside an outline, over plain arrays.
//
// The kernel's integral over each cell around its centre, weighed by the share of the cell that the outline covers. 1
// where the kernel reaches no edge. Cells larger than the kernel's form allows are divided, so that at a straight edge
// a share is off by a few thousandths at most, as long as a cell is no wider than three bandwidths.
#pragma once
#include "aggregation/zone.hpp"
#include "point_density.hpp"

namespace gdalmcp_aggregation_more {

// Does not change once made, so threads may share it.
class kernel_share {
public:
    // outline: valid, in cells of a grid (see aggregation/zone.hpp). cell, bandwidth: m.
    kernel_share(gdalmcp_aggregation::zone outline, double cell, kernel_shape shape, double bandwidth);

    // Of kernels at the centres of the cells, row by row. Those outside the outline may stay 0. A cell has the same
    // value, to the last bit, in every window.
    void fill(const gdalmcp_aggregation::window& cells, double* out) const;

    double part() const { return cell_ / static_cast<double>(parts_); }  // m: side of the parts of a cell

private:
    using window = gdalmcp_aggregation::window;
    void fill_tile(const window& tile, const window& cells, double* out) const;

    gdalmcp_aggregation::zone outline_;  // in parts of cells
    double cell_;
    std::size_t parts_;            // along a side of a cell; odd, so that one has its centre
    std::size_t reach_;            // of the kernel, in parts
    std::vector<double> weights_;  // the kernel's integral over the parts around its centre; all: 1
};

}  // namespace gdalmcp_aggregation_more
