#include "flats.hpp"

#include <algorithm>

namespace gdalmcp_hydrology {
namespace {

constexpr std::array<direction, 8> sides_first{east, south, west, north, southeast, southwest, northwest, northeast};

template <class T>
class flat_drainage {
public:
    flat_drainage(const grid<T>& surface, grid<std::uint8_t>& directions)
        : surface_{surface}, directions_{directions}, number_{surface.extent()} {}

    resolved_flats run() {
        resolved_flats report;
        for (std::size_t i = 0; i < directions_.size(); ++i) {
            if (directions_[i] != undrained || number_[i]) continue;
            collect(i);
            if (!climb_from_low()) {
                report.undrained += cells_.size();
                continue;
            }
            climb_away_from_high();
            assign();
            ++report.flats;
            report.cells += cells_.size();
        }
        return report;
    }

private:
    // The cells of the flat, each with its number from 1.
    void collect(std::size_t seed) {
        cells_.clear();
        add(seed);
        for (std::size_t k = 0; k < cells_.size(); ++k)
            around(cells_[k], [&](std::size_t n) {
                if (directions_[n] == undrained && !number_[n] && surface_[n] == surface_[seed]) add(n);
            });
        relief_.assign(cells_.size(), 0);
    }
    void add(std::size_t cell) {
        cells_.push_back(static_cast<cell_index>(cell));
        number_[cell] = static_cast<cell_index>(cells_.size());
    }

    template <class Visit>
    void around(std::size_t cell, Visit visit) const {
        surface_.extent().around(cell, [&](std::size_t n, std::size_t) {
            if (directions_[n] != no_terrain) visit(n);
        });
    }
    bool in_flat(std::size_t cell) const {
        const auto number = number_[cell];
        return number && number <= cells_.size() && cells_[number - 1] == cell;
    }
    // A cell beside the flat, as high, that drains.
    bool is_low_edge(std::size_t cell, T height) const { return !number_[cell] && surface_[cell] == height; }

    // Breadth-first from the cells that `begins` picks; visit(number of the cell from 0, ring from 1) once for each
    // cell reached.
    template <class Begins, class Visit>
    bool spread(Begins begins, Visit visit) {
        ring_.assign(cells_.size(), 0);
        front_.clear();
        for (std::size_t k = 0; k < cells_.size(); ++k) {
            bool first = false;
            around(cells_[k], [&](std::size_t n) { first = first || begins(n, surface_[cells_[k]]); });
            if (!first) continue;
            ring_[k] = 1;
            front_.push_back(static_cast<cell_index>(k));
        }
        for (std::size_t at = 0; at < front_.size(); ++at) {
            const auto k = front_[at];
            visit(k, ring_[k]);
            around(cells_[k], [&](std::size_t n) {
                if (!in_flat(n) || ring_[number_[n] - 1]) return;
                ring_[number_[n] - 1] = ring_[k] + 1;
                front_.push_back(number_[n] - 1);
            });
        }
        return !front_.empty();
    }

    // Twice the steps to a low edge, which itself has 2.
    bool climb_from_low() {
        return spread([&](std::size_t n, T height) { return is_low_edge(n, height); },
                      [&](std::size_t k, std::uint32_t ring) { relief_[k] = 2 * (ring + 1); });
    }
    // The steps from higher terrain, turned around so that they fall away from it.
    void climb_away_from_high() {
        std::uint32_t reach = 0;
        const auto higher = [&](std::size_t n, T height) { return surface_[n] > height; };
        if (!spread(higher, [&](std::size_t, std::uint32_t ring) { reach = ring; })) return;
        for (std::size_t k = 0; k < cells_.size(); ++k) relief_[k] += reach - ring_[k];
    }

    void assign() {
        for (std::size_t k = 0; k < cells_.size(); ++k) chosen_.push_back(steepest(k));
        for (std::size_t k = 0; k < cells_.size(); ++k) directions_[cells_[k]] = chosen_[k];
        chosen_.clear();
    }
    std::uint8_t steepest(std::size_t k) const {
        constexpr std::uint32_t low_edge = 2;
        std::uint8_t best = undrained;
        auto lowest = relief_[k];
        for (const auto d : sides_first) {
            const auto n = surface_.extent().neighbour(cells_[k], d);
            if (n == off_grid || directions_[n] == no_terrain) continue;
            const bool inside = in_flat(n);
            if (!inside && !is_low_edge(n, surface_[cells_[k]])) continue;
            const auto height = inside ? relief_[number_[n] - 1] : low_edge;
            if (height >= lowest) continue;
            lowest = height;
            best = d;
        }
        return best;
    }

    const grid<T>& surface_;
    grid<std::uint8_t>& directions_;
    grid<cell_index> number_;  // of the cell in its flat, from 1; 0: in none that was looked at
    std::vector<cell_index> cells_, front_;
    std::vector<std::uint32_t> ring_, relief_;
    std::vector<std::uint8_t> chosen_;
};

}  // namespace

template <class T>
resolved_flats resolve_flats(const grid<T>& surface, grid<std::uint8_t>& directions) {
    return flat_drainage<T>{surface, directions}.run();
}

#define GDALMCP_FLATS(T) template resolved_flats resolve_flats<T>(const grid<T>&, grid<std::uint8_t>&)
GDALMCP_FLATS(std::uint8_t);
GDALMCP_FLATS(std::int16_t);
GDALMCP_FLATS(std::uint16_t);
GDALMCP_FLATS(std::int32_t);
GDALMCP_FLATS(std::uint32_t);
GDALMCP_FLATS(float);
GDALMCP_FLATS(double);
#undef GDALMCP_FLATS

}  // namespace gdalmcp_hydrology
