#include "footprint.hpp"

#include <algorithm>
#include <numeric>

namespace gdalmcp_hydrology {
namespace {

// Turns the region of `from` cells connected to `seed` into `to`; returns how many cells changed.
std::size_t recolour(grid<footprint>& land, std::size_t seed, footprint from, footprint to) {
    std::vector<std::size_t> open{seed};
    land[seed] = to;
    std::size_t cells = 0;
    while (!open.empty()) {
        const auto index = open.back();
        open.pop_back();
        ++cells;
        land.extent().around(index, [&](std::size_t n, std::size_t) {
            if (land[n] != from) return;
            land[n] = to;
            open.push_back(n);
        });
    }
    return cells;
}

}  // namespace

grid<footprint> trace_footprint(const grid<std::uint8_t>& valid, nodata_holes holes, const team& by) {
    const auto unvalued = holes == nodata_holes::outlet ? footprint::outside : footprint::hole;
    grid<footprint> land{valid.extent(), unset{}};
    strips{valid.extent(), by}.each({}, [&](const strip& s) {
        for (auto i = s.first; i < s.last; ++i) land[i] = valid[i] ? footprint::terrain : unvalued;
    });
    if (holes == nodata_holes::outlet || valid.size() == 0) return land;

    const auto from_edge = [&](std::size_t row, std::size_t column) {
        const auto index = row * valid.width() + column;
        if (land[index] == footprint::hole) recolour(land, index, footprint::hole, footprint::outside);
    };
    for (std::size_t column = 0; column < valid.width(); ++column) {
        from_edge(0, column);
        from_edge(valid.height() - 1, column);
    }
    for (std::size_t row = 0; row < valid.height(); ++row) {
        from_edge(row, 0);
        from_edge(row, valid.width() - 1);
    }
    return land;
}

std::size_t count_cells(const grid<footprint>& land, footprint of, const team& by) {
    const strips parts{land.extent(), by};
    std::vector<std::size_t> found(parts.count());
    parts.each({}, [&](const strip& s) {
        found[s.number] = static_cast<std::size_t>(std::count(land.row(0) + s.first, land.row(0) + s.last, of));
    });
    return std::accumulate(found.begin(), found.end(), std::size_t{0});
}

hole_count count_holes(const grid<std::uint8_t>& valid) {
    return count_holes(trace_footprint(valid, nodata_holes::missing));
}

hole_count count_holes(grid<footprint> land) {
    hole_count found;
    for (std::size_t i = 0; i < land.size(); ++i) {
        if (land[i] != footprint::hole) continue;
        found.cells += recolour(land, i, footprint::hole, footprint::outside);
        ++found.holes;
    }
    return found;
}

bool is_outlet(const grid<footprint>& land, std::size_t index) {
    std::size_t enclosing = 0;
    land.extent().around(index, [&](std::size_t n, std::size_t) { enclosing += land[n] != footprint::outside; });
    return enclosing < neighbours.size();
}

}  // namespace gdalmcp_hydrology
