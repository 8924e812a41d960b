#include "tiled_holes.hpp"

namespace gdalmcp_hydrology {
namespace {

grid<footprint> all_holes(const grid<std::uint8_t>& valid) {
    grid<footprint> land{valid.extent()};
    for (std::size_t i = 0; i < valid.size(); ++i) land[i] = valid[i] ? footprint::terrain : footprint::hole;
    return land;
}

// Takes each region of holes that reaches the rim out of `land`, in the order of the rim:
// visit(its cells).
template <class Visit>
void each_on_rim(grid<footprint>& land, Visit&& visit) {
    std::vector<std::size_t> region;
    rim{land.extent()}.each([&](std::size_t, std::size_t row, std::size_t column) {
        const auto seed = row * land.width() + column;
        if (land[seed] != footprint::hole) return;
        region.assign(1, seed);
        land[seed] = footprint::outside;
        for (std::size_t next = 0; next < region.size(); ++next)
            land.extent().around(region[next], [&](std::size_t n, std::size_t) {
                if (land[n] != footprint::hole) return;
                land[n] = footprint::outside;
                region.push_back(n);
            });
        visit(region);
    });
}

}  // namespace

hole_message find_holes(const grid<std::uint8_t>& valid) {
    auto land = all_holes(valid);
    hole_message message;
    for (std::size_t i = 0; i < valid.size(); ++i) message.terrain_cells += valid[i] != 0;
    const rim edge{valid.extent()};
    message.on_rim.assign(edge.size(), 0);
    if (message.terrain_cells == valid.size()) return message;
    each_on_rim(land, [&](const std::vector<std::size_t>& region) {
        message.cells.push_back(region.size());
        for (const auto cell : region)
            if (const auto place = edge.place_of(cell))
                message.on_rim[*place] = static_cast<std::uint32_t>(message.cells.size());
    });
    message.within = count_holes(std::move(land));
    return message;
}

void tiled_holes::add(std::size_t tile, hole_message message) {
    terrain_cells_ += message.terrain_cells;
    within_.holes += message.within.holes;
    within_.cells += message.within.cells;
    regions_.add(tile, std::move(message.on_rim), message.cells.size());
    cells_[tile] = std::move(message.cells);
}

hole_count tiled_holes::count() {
    auto found = within_;
    std::vector<std::uint8_t> seen(regions_.size());
    seen[joined_regions::edge] = 1;
    for (std::size_t tile = 0; tile < cells_.size(); ++tile)
        for (std::size_t k = 0; k < cells_[tile].size(); ++k) {
            const auto root = regions_.root(tile, k + 1);
            if (root == joined_regions::edge) continue;
            found.cells += cells_[tile][k];
            found.holes += !seen[root];
            seen[root] = 1;
        }
    return found;
}

grid<footprint> tiled_holes::trace(std::size_t tile, const grid<std::uint8_t>& valid, nodata_holes holes) {
    if (holes == nodata_holes::outlet) return trace_footprint(valid, holes);
    auto land = all_holes(valid);
    std::size_t region = 0;
    std::vector<std::size_t> enclosed;
    each_on_rim(land, [&](const std::vector<std::size_t>& cells) {
        if (regions_.root(tile, ++region) != joined_regions::edge)
            enclosed.insert(enclosed.end(), cells.begin(), cells.end());
    });
    for (const auto cell : enclosed) land[cell] = footprint::hole;
    return land;
}

}  // namespace gdalmcp_hydrology
