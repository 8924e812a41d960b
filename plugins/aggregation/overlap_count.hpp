// overlap_count.hpp — where zones overlap: how much of each cell the zones so far have taken.
//
//     overlap_count taken{rows, columns};
//     taken.add(block, shares);   // true when this zone covers a cell beyond its whole area
#pragma once
#include "zone.hpp"

namespace gdalmcp_aggregation {

class overlap_count {
public:
    // One byte per cell; a grid above 2^28 cells is too large and nothing is counted.
    overlap_count(std::size_t rows, std::size_t columns);

    bool too_large() const { return too_large_; }

    // shares: of the cells of `block`, 0..1, row-major.
    bool add(const window& block, const std::vector<double>& shares);

    std::size_t cells() const { return cells_; }  // covered beyond their whole area

private:
    std::size_t columns_;
    bool too_large_;
    std::vector<unsigned char> taken_;
    std::size_t cells_ = 0;
};

}  // namespace gdalmcp_aggregation
