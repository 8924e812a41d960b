#include "flats.hpp"

#include <algorithm>

namespace gdalmcp_hydrology {
namespace {

struct flat_edges {
    std::vector<std::size_t> low;   // cells with a direction, beside a cell of equal elevation without one
    std::vector<std::size_t> high;  // cells without a direction, beside a higher cell
};

template <class T>
flat_edges find_edges(const grid<T>& surface, const grid<std::uint8_t>& directions) {
    flat_edges edges;
    for (std::size_t i = 0; i < surface.size(); ++i) {
        if (directions[i] == no_terrain) continue;
        bool low = false, high = false;
        for (std::size_t d = 0; d < neighbours.size(); ++d) {
            const auto n = surface.extent().neighbour(i, d);
            if (n == off_grid || directions[n] == no_terrain) continue;
            if (directions[i] != undrained)
                low |= directions[n] == undrained && surface[n] == surface[i];
            else
                high |= surface[n] > surface[i];
        }
        if (low) edges.low.push_back(i);
        if (high) edges.high.push_back(i);
    }
    return edges;
}

// Numbers the region of equal elevation around each low edge: only those flats can drain.
template <class T>
void label_flats(const grid<T>& surface, const grid<std::uint8_t>& directions, const std::vector<std::size_t>& low,
                 flat_relief& relief) {
    std::vector<std::size_t> open;
    for (const auto seed : low) {
        if (relief.label[seed]) continue;
        const auto label = static_cast<std::uint32_t>(++relief.flats);
        relief.label[seed] = label;
        open.push_back(seed);
        while (!open.empty()) {
            const auto index = open.back();
            open.pop_back();
            for (std::size_t d = 0; d < neighbours.size(); ++d) {
                const auto n = surface.extent().neighbour(index, d);
                if (n == off_grid || directions[n] == no_terrain || relief.label[n]) continue;
                if (surface[n] != surface[seed]) continue;
                relief.label[n] = label;
                open.push_back(n);
            }
        }
    }
}

// Breadth-first rings from `front` over the cells of its flats that have no direction; visit(cell, ring), rings from 1.
// `distance` must be 0 everywhere and holds the rings afterwards.
template <class Visit>
void spread(const grid<std::uint8_t>& directions, const grid<std::uint32_t>& label, std::vector<std::size_t> front,
            grid<std::uint32_t>& distance, Visit visit) {
    for (const auto index : front) distance[index] = 1;
    std::vector<std::size_t> next;
    for (std::uint32_t ring = 1; !front.empty(); ++ring) {
        next.clear();
        for (const auto index : front) {
            visit(index, ring);
            for (std::size_t d = 0; d < neighbours.size(); ++d) {
                const auto n = label.extent().neighbour(index, d);
                if (n == off_grid || distance[n] || directions[n] != undrained || label[n] != label[index]) continue;
                distance[n] = ring + 1;
                next.push_back(n);
            }
        }
        front.swap(next);
    }
}

}  // namespace

template <class T>
flat_relief raise_flats(const grid<T>& surface, const grid<std::uint8_t>& directions) {
    auto edges = find_edges(surface, directions);
    flat_relief relief{grid<std::uint32_t>{surface.extent()}, grid<std::uint32_t>{surface.extent()}, 0};
    label_flats(surface, directions, edges.low, relief);
    edges.high.erase(std::remove_if(edges.high.begin(), edges.high.end(), [&](auto i) { return !relief.label[i]; }),
                     edges.high.end());

    // How far the ring from higher terrain reaches in each flat, so that the gradient can be turned around.
    std::vector<std::uint32_t> reach(relief.flats + 1, 0);
    spread(directions, relief.label, edges.high, relief.height,
           [&](std::size_t index, std::uint32_t ring) { reach[relief.label[index]] = ring; });

    grid<std::uint32_t> from_low{surface.extent()};
    spread(directions, relief.label, edges.low, from_low, [&](std::size_t index, std::uint32_t ring) {
        auto& height = relief.height[index];
        height = 2 * ring + (height ? reach[relief.label[index]] - height : 0);
    });
    return relief;
}

#define GDALMCP_FLATS(T) template flat_relief raise_flats<T>(const grid<T>&, const grid<std::uint8_t>&)
GDALMCP_FLATS(std::uint8_t);
GDALMCP_FLATS(std::int16_t);
GDALMCP_FLATS(std::uint16_t);
GDALMCP_FLATS(std::int32_t);
GDALMCP_FLATS(std::uint32_t);
GDALMCP_FLATS(float);
GDALMCP_FLATS(double);
#undef GDALMCP_FLATS

}  // namespace gdalmcp_hydrology
