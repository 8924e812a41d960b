// stream_network.hpp — the channels of a terrain: cells whose contributing area reaches a threshold, as links and
// Strahler streams, with their lengths and drops.
//
//     const auto cells = channel_cells(area, 1e6);
//     channel_tree channels{directions, heights, sizes, cells};
//     channels.network(0).links;   // of all of `cells`;  network(n): without the first n
//
// A. Strahler: "Hypsometric (area-altitude) analysis of erosional topography", GSA Bulletin 63 (1952);
// D. Tarboton, R. Bras, I. Rodriguez-Iturbe: "On the extraction of channel networks from digital elevation data",
// Hydrological Processes 5 (1991).
#pragma once
#include <optional>

#include "cell_sizes.hpp"
#include "strips.hpp"

namespace gdalmcp_hydrology {

// The cells whose value is at least `threshold`, each before the cells downstream of it.
// REQUIRES: values that grow downstream, as accumulate() gives them from positive contributions.
std::vector<std::size_t> channel_cells(const grid<double>& values, double threshold, const team& by = {});

// The cells where `begins` is not 0 and all those downstream of them, in the order of channel_cells(area, …).
// area: grows downstream, as above.
std::vector<std::size_t> channels_from(const grid<std::uint8_t>& begins, const grid<std::uint8_t>& directions,
                                       const grid<double>& area);

// A stream reaches from its source, or from where two streams of the order below meet, to where its water joins one of
// higher order or leaves the channels.
struct stream {
    unsigned order = 1;  // Strahler
    double length = 0;   // m
    double drop = 0;     // from its first cell to the cell it joins, units of the heights
};

struct stream_network {
    std::size_t links = 0;  // stretches between sources, junctions and outlets
    double length = 0;      // of all of them, m
    unsigned highest_order = 0;
    std::vector<stream> streams;
    std::vector<unsigned> orders;  // of the cells, in their order
};

class channel_tree {
public:
    // cells: each before those downstream of it. Where water leaves the cells a stream ends. heights: empty where none
    // are known, which makes all drops 0.
    channel_tree(const grid<std::uint8_t>& directions, const grid<double>& heights, const cell_sizes& sizes,
                 const std::vector<std::size_t>& cells);

    // The same with heights of any type: height_of(cell).
    channel_tree(const grid<std::uint8_t>& directions, const std::function<double(std::size_t)>& height_of,
                 const cell_sizes& sizes, const std::vector<std::size_t>& cells);

    // Of the cells from number `first` on. Cells in the order of channel_cells make the network of a higher threshold.
    stream_network network(std::size_t first) const;

    // Of the cells, by their numbers in the order given.
    std::size_t size() const { return receiver_.size(); }
    std::size_t below(std::size_t number) const { return receiver_[number]; }  // the next channel cell, or off_grid
    double step(std::size_t number) const { return step_[number]; }            // m to it
    double height(std::size_t number) const { return height_[number]; }

private:
    std::vector<std::size_t> receiver_;  // number of the next cell, or off_grid
    std::vector<double> step_, height_;  // m to it; units of the heights
};

// Student's t of the mean drop of first-order streams against that of all higher orders, variances pooled. An absolute
// value under 2 means a constant drop: these are channels (Tarboton et al. 1991). nullopt with fewer than two streams
// on either side, or without any variance.
struct drop_test {
    double t = 0, first_order_mean = 0, higher_order_mean = 0;
    std::size_t first_order = 0, higher_order = 0;
};
std::optional<drop_test> test_constant_drop(const std::vector<stream>& streams);
inline constexpr double constant_drop_limit = 2;

}  // namespace gdalmcp_hydrology
