// stream_links.hpp — a channel network as links: stretches from a source or junction to the next junction or the end.
//
// R. Shreve: "Statistical law of stream numbers", Journal of Geology 74 (1966), for the magnitude: the number of
// sources upstream.
#pragma once
#include "stream_network.hpp"

namespace gdalmcp_hydrology {

enum class stream_order { strahler, shreve, none };

struct stream_link {
    std::vector<std::size_t> cells;  // numbers in the channel_tree, each before the one below it
    std::size_t joins = off_grid;    // the channel cell it flows into, the first of the link below; off_grid = none
    std::size_t below = off_grid;    // that link, by its place in the list
    std::size_t from_node = 0, to_node = 0;  // sources, junctions and ends, numbered from 1
    unsigned order = 0;                      // 0 with stream_order::none
    double length = 0;                       // m, to the cell it joins
    double drop = 0;                         // to the cell it joins, units of the tree's heights
};

// The links of all cells of the tree, each before the one below it. The link of order n begins in the junction cell.
// ends: by number, not 0 for cells at which a link ends in any case; empty for none.
std::vector<stream_link> links_of(const channel_tree& channels, stream_order by,
                                  const std::vector<std::uint8_t>& ends = {});

}  // namespace gdalmcp_hydrology
