// overlap_count.hpp — where zones overlap: the share of each cell of a block covered by the zones so far.
//
//     taken.begin(block);
//     taken.add(span);   // true when this zone covers a cell beyond its whole area
#pragma once
#include "coverage.hpp"

namespace gdalmcp_aggregation {

class overlap_count {
public:
    // Cells outside `block` are counted in other blocks. One byte per cell.
    void begin(const window& block);

    bool add(const span& covered);

    std::size_t cells() const { return cells_; }  // of all blocks, covered beyond their whole area

private:
    window block_;
    std::vector<unsigned char> taken_;
    std::size_t cells_ = 0;
};

}  // namespace gdalmcp_aggregation
