#include "tile_regions.hpp"

namespace gdalmcp_hydrology {

void joined_regions::add(std::size_t tile, std::vector<std::uint32_t> on_rim, std::size_t count) {
    first_[tile] = parent_.size();
    for (std::size_t i = 0; i < count; ++i) parent_.push_back(parent_.size());
    seams_.add(
        tile, std::move(on_rim),
        [&](std::uint32_t here, std::uint32_t there, std::size_t other) {
            if (here && there) unite(first_[tile] + here - 1, first_[other] + there - 1);
        },
        [&](std::uint32_t here) {
            if (here) unite(first_[tile] + here - 1, edge);
        });
}

std::size_t joined_regions::find(std::size_t region) {
    while (parent_[region] != region) region = parent_[region] = parent_[parent_[region]];
    return region;
}

// The lower number becomes the root, so that `edge` stays one.
void joined_regions::unite(std::size_t a, std::size_t b) {
    const auto [low, high] = std::minmax({find(a), find(b)});
    parent_[high] = low;
}

}  // namespace gdalmcp_hydrology
