// overlap_count.hpp — where zones overlap: the share of each cell of a block covered by the zones so far.
//
//     taken.begin(block);
//     taken.add(spans, zone);  // names the zone, and the one it overlaps, if it covers a cell beyond its whole area
#pragma once
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "coverage.hpp"

namespace gdalmcp_aggregation {

class overlap_count {
public:
    // Cells outside `block` are counted in other blocks. Six bytes per cell.
    void begin(const window& block);

    // The spans of a zone, by rows.
    void add(const std::vector<span>& covered, std::size_t zone);

    std::size_t cells() const { return cells_; }  // of all blocks, covered beyond their whole area
    // Both zones of each pair that covers a cell beyond its area; where only three or more do, the one that did.
    const std::set<std::size_t>& zones() const { return zones_; }

private:
    void add_span(const span& covered, std::size_t zone);
    void name(std::size_t zone, std::size_t other);

    window block_;
    std::vector<unsigned char> taken_, largest_;  // shares: of all zones, of the one in owner_
    std::vector<std::uint32_t> owner_;            // meaningful where taken_ is above 0
    std::set<std::size_t> zones_;
    std::pair<std::size_t, std::size_t> last_{-1, -1};  // the pair named last: neighbours are mostly alike
    std::size_t cells_ = 0;
};

}  // namespace gdalmcp_aggregation
