// flow_shares.hpp — flow that leaves a cell towards several neighbours: D-infinity and multiple flow directions.
//
// D. Tarboton: "A new method for the determination of flow directions and upslope areas in grid digital elevation
// models", Water Resources Research 33 (1997), for D-infinity: the steepest slope on eight triangular facets, its flow
// shared between the two neighbours beside it by angle.
// T. Freeman: "Calculating catchment area with divergent flow based on a regular grid", Computers & Geosciences 17
// (1991), for MFD: shared among all lower neighbours by slope to a power, 1.1 by default there.
//
// Where no neighbour is lower, both take the D8 direction, which crosses flats and leaves the terrain.
#pragma once
#include "accumulation.hpp"
#include "cell_sizes.hpp"
#include "footprint.hpp"
#include "neighbour_rows.hpp"

namespace gdalmcp_hydrology {

// Angles of a D-infinity grid: radians counter-clockwise from east, 0 to 2 pi, on the ground.
inline constexpr float undrained_angle = -1;
inline constexpr float no_angle = -2;  // no terrain

// d8: directions of the same surface, flats resolved. Instantiated for the types of fill().
template <class T>
grid<float> d_infinity(const grid<T>& surface, const grid<std::uint8_t>& d8, const cell_sizes& sizes,
                       const progress& tick = {}, const team& by = {});

// The share of a cell's flow towards each direction of `direction`; they sum to 1, or to 0 where it is undrained.
template <class F>
using shares = std::array<F, 8>;

// In the order of the grid; all 0 without terrain.
template <class T>
std::vector<shares<float>> multiple_flow(const grid<T>& surface, const grid<std::uint8_t>& d8, const cell_sizes& sizes,
                                         double exponent, const progress& tick = {}, const team& by = {});

// Flow between two directions side by side, counter-clockwise; share: of the second.
struct shared_by_two {
    direction first, second;
    double share;
};

// How the two directions beside an angle share the flow: in proportion to how near they are.
class angle_shares {
public:
    angle_shares(const cell_sizes& sizes, std::size_t rows);
    shared_by_two of(float angle, std::size_t row) const;  // REQUIRES: not negative

private:
    std::vector<std::array<double, 9>> turns_;  // by row: angles of the directions counter-clockwise from east, to 2 pi
};

// The receivers of cells, for accumulate_shares(). find_receivers() writes them, a bit for each direction towards
// terrain, for a row, from its directions; each() visits those of a cell with their shares, once their row was found.
class flow_by_angles {
public:
    flow_by_angles(grid<float> angles, const cell_sizes& sizes);
    void find_receivers(std::size_t row, const neighbour_rows<std::uint8_t>::three& directions, std::uint8_t* towards);
    template <class Visit>
    void each(std::size_t cell, std::uint8_t towards, Visit&& visit) const;  // visit(direction, share)

private:
    angle_shares by_angle_;
    // Angles; of rows that were found the share of the only receiver, or the smaller share, that of the first below 0.
    grid<float> shares_;
};
class flow_by_shares {
public:
    explicit flow_by_shares(std::vector<shares<float>> all);
    void find_receivers(std::size_t row, const neighbour_rows<std::uint8_t>::three& directions, std::uint8_t* towards);
    template <class Visit>
    void each(std::size_t cell, std::uint8_t towards, Visit&& visit) const;

private:
    std::vector<shares<float>> shares_;
};

// The flow through each cell; what goes to neighbours without terrain has left. directions: `no_terrain` without any.
// own: as accumulate() takes it. Instantiated for the two above.
template <class Flow>
accumulation<double> accumulate_shares(Flow by, const grid<std::uint8_t>& directions, grid<double> own,
                                       const progress& tick = {}, const team& workers = {});

}  // namespace gdalmcp_hydrology
