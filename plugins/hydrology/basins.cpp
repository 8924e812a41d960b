#include "basins.hpp"

namespace gdalmcp_hydrology {

std::vector<std::size_t> flow_ends(const grid<std::uint8_t>& directions) {
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < directions.size(); ++i)
        if (directions[i] != no_terrain && receiver(directions, i) == off_grid) ends.push_back(i);
    return ends;
}

grid<std::int32_t> label_basins(const grid<std::uint8_t>& directions, const std::vector<std::size_t>& outlets,
                                const progress& tick) {
    grid<std::int32_t> labels{directions.extent()};
    for (std::size_t k = 0; k < outlets.size(); ++k) labels[outlets[k]] = static_cast<std::int32_t>(k + 1);
    visit_downstream_first(directions, tick, [&](std::size_t cell, std::size_t below) {
        if (labels[cell] == 0 && below != off_grid) labels[cell] = labels[below];
    });
    return labels;
}

std::vector<std::int32_t> next_basins(const grid<std::uint8_t>& directions, const grid<std::int32_t>& labels,
                                      const std::vector<std::size_t>& outlets) {
    std::vector<std::int32_t> next;
    for (const auto outlet : outlets) {
        const auto below = receiver(directions, outlet);
        next.push_back(below == off_grid ? 0 : labels[below]);
    }
    return next;
}

}  // namespace gdalmcp_hydrology
