// surface_look.hpp — what the heights that flow is directed over look like as a whole: water at the edge, or no
// heights.
#pragma once
#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "footprint.hpp"
#include "neighbour_rows.hpp"
#include "strips.hpp"

namespace gdalmcp_hydrology {

struct surface_look {
    double lowest = 0, highest = 0, plain = 0;       // plain: the height that most cells at the edge have
    std::size_t cells = 0, in_plain = 0, below = 0;  // with a height; with that of the plain; lower
    bool may_be_angles = false;                      // floating-point, 0 to 2 pi throughout, or -1
};

// The most frequent of them. REQUIRES: at least one.
double most_frequent(std::vector<double> heights);

template <class T>
surface_look look_of(const grid<T>& surface, const grid<footprint>& land, const team& by) {
    constexpr double circle = 6.2833, undirected = -1;
    const strips parts{land.extent(), by};
    const auto width = land.width();
    surface_look seen{.lowest = 1e300, .highest = -1e300, .may_be_angles = std::is_floating_point_v<T>};
    std::vector<surface_look> looks(parts.count(), seen);
    std::vector<std::vector<double>> edges(parts.count());
    parts.each({}, [&](const strip& s) {
        auto look = looks[s.number];
        neighbour_rows<footprint> rows{land, footprint::outside};
        for (auto r = s.top; r < s.bottom; ++r) {
            const auto near = rows.at(r);
            const auto outside = [&](std::ptrdiff_t c) {
                return near.above[c] == footprint::outside || near.here[c] == footprint::outside ||
                       near.below[c] == footprint::outside;
            };
            for (std::size_t c = 0; c < width; ++c) {
                if (near.here[c] != footprint::terrain) continue;
                const auto height = static_cast<double>(surface(r, c));
                look.lowest = std::min(look.lowest, height);
                look.highest = std::max(look.highest, height);
                look.may_be_angles &= (height >= 0 && height < circle) || height == undirected;
                ++look.cells;
                const auto at = static_cast<std::ptrdiff_t>(c);
                if (outside(at - 1) || outside(at) || outside(at + 1)) edges[s.number].push_back(height);
            }
        }
        looks[s.number] = look;
    });
    std::vector<double> at_edge;
    for (std::size_t k = 0; k < looks.size(); ++k) {
        seen.lowest = std::min(seen.lowest, looks[k].lowest);
        seen.highest = std::max(seen.highest, looks[k].highest);
        seen.may_be_angles = seen.may_be_angles && looks[k].may_be_angles;
        seen.cells += looks[k].cells;
        at_edge.insert(at_edge.end(), edges[k].begin(), edges[k].end());
    }
    if (at_edge.empty()) return seen;
    seen.plain = most_frequent(std::move(at_edge));
    parts.each({}, [&](const strip& s) {
        std::size_t in_plain = 0, below = 0;
        for (auto i = s.first; i < s.last; ++i) {
            const bool terrain = land[i] == footprint::terrain;
            const auto height = static_cast<double>(surface[i]);
            in_plain += terrain && height == seen.plain;
            below += terrain && height < seen.plain;
        }
        looks[s.number].in_plain = in_plain;
        looks[s.number].below = below;
    });
    for (const auto& look : looks) seen.in_plain += look.in_plain, seen.below += look.below;
    return seen;
}

}  // namespace gdalmcp_hydrology
