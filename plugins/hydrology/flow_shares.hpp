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

namespace gdalmcp_hydrology {

// Angles of a D-infinity grid: radians counter-clockwise from east, 0 to 2 pi, on the ground.
inline constexpr float undrained_angle = -1;
inline constexpr float no_angle = -2;  // no terrain

// d8: directions of the same surface, flats resolved. Instantiated for the types of fill().
template <class T>
grid<float> d_infinity(const grid<T>& surface, const grid<std::uint8_t>& d8, const cell_sizes& sizes,
                       const progress& tick = {});

// The share of a cell's flow towards each direction of `direction`; they sum to 1, or to 0 where it is undrained.
template <class F>
using shares = std::array<F, 8>;

// In the order of the grid; all 0 without terrain.
template <class T>
std::vector<shares<float>> multiple_flow(const grid<T>& surface, const grid<std::uint8_t>& d8, const cell_sizes& sizes,
                                         double exponent, const progress& tick = {});

// The shares of angles: of the two directions beside it, in proportion to how near they are.
class angle_shares {
public:
    angle_shares(const cell_sizes& sizes, std::size_t rows);
    shares<double> of(float angle, std::size_t row) const;  // all 0 for a negative one

private:
    std::vector<std::array<double, 9>> turns_;  // by row: angles of the directions counter-clockwise from east, to 2 pi
};

// The flow through each cell. shares_at(cell): its shares; what goes to neighbours without terrain has left. terrain:
// not 0 where there is any. own: as accumulate() takes it, not empty.
accumulation<double> accumulate_shares(const std::function<shares<double>(std::size_t)>& shares_at,
                                       const grid<std::uint8_t>& terrain, grid<double> own, const progress& tick = {});

}  // namespace gdalmcp_hydrology
