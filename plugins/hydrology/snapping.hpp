// snapping.hpp — a pour point moved to the channel it stands for. A gauge rarely lies on the computed channel, and a
// basin delineated a cell beside it is a hillslope.
#pragma once
#include <optional>

#include "cell_sizes.hpp"
#include "flow_path.hpp"

namespace gdalmcp_hydrology {

// nearest_channel: the channel cell nearest to the point. downstream: the first channel cell its flow reaches.
// most_flow: the cell with the largest value of `flow`.
enum class snap_to { nothing, nearest_channel, downstream, most_flow };

struct snapping_ground {
    const grid<std::uint8_t>& directions;  // values of `direction`
    const cell_sizes& sizes;
    const grid<double>& area;            // contributing area, m²
    const grid<double>& flow;            // what most_flow looks for
    const grid<std::uint8_t>& channels;  // not 0 in channels; empty without
};

struct snap_wish {
    snap_to to = snap_to::nothing;
    double radius = 0;                 // m, from the point to the centre of a cell; its own cell is no way off
    std::optional<double> known_area;  // m²: the candidate within the radius whose area comes closest
    double right = 0, down = 0;        // of the point from the centre of its cell, in cells: -0.5 to 0.5
};

struct snapped_point {
    std::size_t cell = off_grid;  // off_grid: no candidate within the radius
    double moved = 0;             // m, from the point to the centre of the cell; 0 in its own
    // The cell on the point's own flow path that the same rule picks, where that is another stream of an area more than
    // twice as large or less than half: which one is meant is unknown.
    std::optional<std::size_t> rival;
};

// Two readings of a point whose areas differ by more than this factor are different answers.
inline constexpr double ambiguous_ratio = 2;
// A path with less than this share of the area of the cell chosen is a hillslope beside its stream.
inline constexpr double least_share = 0.01;

// REQUIRES: directions without loops; channels for nearest_channel and downstream.
snapped_point snap(const snapping_ground& ground, std::size_t from, const snap_wish& wish);

}  // namespace gdalmcp_hydrology
