#include "stream_links.hpp"

namespace gdalmcp_hydrology {
namespace {

std::vector<std::uint8_t> count_donors(const channel_tree& channels) {
    std::vector<std::uint8_t> donors(channels.size());
    for (std::size_t i = 0; i < channels.size(); ++i)
        if (channels.below(i) != off_grid) ++donors[channels.below(i)];
    return donors;
}

std::vector<unsigned> magnitudes(const channel_tree& channels, const std::vector<std::uint8_t>& donors) {
    std::vector<unsigned> sources(channels.size());
    for (std::size_t i = 0; i < channels.size(); ++i) {
        if (donors[i] == 0) sources[i] = 1;
        if (channels.below(i) != off_grid) sources[channels.below(i)] += sources[i];
    }
    return sources;
}

std::vector<std::uint8_t> link_beginnings(const channel_tree& channels, const std::vector<std::uint8_t>& donors,
                                          const std::vector<std::uint8_t>& ends) {
    std::vector<std::uint8_t> begins(channels.size());
    for (std::size_t i = 0; i < channels.size(); ++i) {
        begins[i] |= donors[i] != 1;
        if (!ends.empty() && ends[i] && channels.below(i) != off_grid) begins[channels.below(i)] = 1;
    }
    return begins;
}

// Nodes: each link's upper end, then the ends of those that join none.
void number_nodes(std::vector<stream_link>& links) {
    auto next = links.size();
    for (std::size_t k = 0; k < links.size(); ++k) {
        links[k].from_node = k + 1;
        links[k].to_node = links[k].below == off_grid ? ++next : links[k].below + 1;
    }
}

}  // namespace

std::vector<stream_link> links_of(const channel_tree& channels, stream_order by,
                                  const std::vector<std::uint8_t>& ends) {
    const auto donors = count_donors(channels);
    const auto begins = link_beginnings(channels, donors, ends);
    std::vector<unsigned> orders(channels.size());
    if (by == stream_order::strahler) orders = channels.network(0).orders;
    if (by == stream_order::shreve) orders = magnitudes(channels, donors);

    std::vector<stream_link> links;
    std::vector<std::size_t> link_of(channels.size(), off_grid);
    for (std::size_t i = 0; i < channels.size(); ++i) {
        if (begins[i]) {
            link_of[i] = links.size();
            links.emplace_back().order = orders[i];
        }
        auto& link = links[link_of[i]];
        link.cells.push_back(i);
        link.length += channels.step(i);
        const auto below = channels.below(i);
        if (below != off_grid && !begins[below]) {
            link_of[below] = link_of[i];
            continue;
        }
        link.joins = below;
        link.drop = channels.height(link.cells.front()) - channels.height(below == off_grid ? i : below);
    }
    for (auto& link : links)
        if (link.joins != off_grid) link.below = link_of[link.joins];
    number_nodes(links);
    return links;
}

}  // namespace gdalmcp_hydrology
