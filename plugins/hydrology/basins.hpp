// basins.hpp — which outlet each cell drains through.
#pragma once
#include "flow_path.hpp"
#include "strips.hpp"

namespace gdalmcp_hydrology {

// The cells by which flow leaves the terrain or at which it ends, in the order of the grid. directions: values of
// `direction`.
std::vector<std::size_t> flow_ends(const grid<std::uint8_t>& directions, const team& by = {});

// For each cell the number, from 1, of the first of `outlets` that its flow passes, itself included; 0 = none, or no
// terrain. An outlet upstream of another cuts its basin out of the lower one. Throws flow_loop.
grid<std::int32_t> label_basins(const grid<std::uint8_t>& directions, const std::vector<std::size_t>& outlets,
                                const progress& tick = {}, const team& by = {});

// For each outlet the number of the next one downstream, 0 = none.
std::vector<std::int32_t> next_basins(const grid<std::uint8_t>& directions, const grid<std::int32_t>& labels,
                                      const std::vector<std::size_t>& outlets);

}  // namespace gdalmcp_hydrology
