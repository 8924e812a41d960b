// tile_regions.hpp — connected regions of cells (8 neighbours) that reach across the edges of tiles.
#pragma once
#include "tiling.hpp"

namespace gdalmcp_hydrology {

// Each tile numbers its regions that reach the rim from 1; this finds out which of them are one.
class joined_regions {
public:
    explicit joined_regions(const tiling& tiles) : seams_{tiles}, first_(tiles.count()) {}

    // Once for each tile. on_rim: by place on the rim the number of the region, 0 for none. count: of the regions.
    void add(std::size_t tile, std::vector<std::uint32_t> on_rim, std::size_t count);

    // Once all tiles were added: a number below size() that the parts of a region share; `edge` for a region at the
    // edge of the raster.
    static constexpr std::size_t edge = 0;
    std::size_t root(std::size_t tile, std::size_t region) { return find(first_[tile] + region - 1); }
    std::size_t size() const { return parent_.size(); }

private:
    std::size_t find(std::size_t region);
    void unite(std::size_t a, std::size_t b);

    seams<std::uint32_t> seams_;
    std::vector<std::size_t> first_;
    std::vector<std::size_t> parent_{edge};
};

}  // namespace gdalmcp_hydrology
