#include "flats.hpp"

#include <algorithm>

namespace gdalmcp_hydrology {
namespace {

constexpr std::array<direction, 8> sides_first{east, south, west, north, southeast, southwest, northwest, northeast};

// The flats of a strip that do not reach its border, which others may be changing; `deferred` holds the cells of the
// rest. Flats of equal height do not touch, so they are resolved in any order.
template <class T>
class flat_drainage {
public:
    // number: of the cell in its flat, from 1; 0: in none that was looked at.
    flat_drainage(const grid<T>& surface, grid<std::uint8_t>& directions, grid<cell_index>& number)
        : surface_{surface}, directions_{directions}, number_{number} {}

    void run(const strip& s) {
        std::fill(number_.row(s.top), number_.row(s.top) + (s.last - s.first), cell_index{0});
        for (auto i = s.first; i < s.last; ++i)
            if (directions_[i] == undrained && !number_[i]) resolve(i, s);
    }
    // Afterwards, where nobody else is at work.
    void run(const std::vector<cell_index>& cells) {
        const strip whole{0, 0, surface_.height(), 0, surface_.size()};
        for (const auto cell : cells)
            if (directions_[cell] == undrained && !number_[cell]) resolve(cell, whole);
    }

    resolved_flats report;
    std::vector<cell_index> deferred;
    progress poll{};  // called where many cells are looked at, with 0

private:
    void look() {
        if (poll && ++looked_ % progress_interval == 0) poll(0);
    }
    void resolve(std::size_t seed, const strip& s) {
        if (!collect(seed, s)) {
            deferred.insert(deferred.end(), cells_.begin(), cells_.end());
            return;
        }
        if (!climb_from_low()) {
            report.undrained += cells_.size();
            return;
        }
        climb_away_from_high();
        assign();
        ++report.flats;
        report.cells += cells_.size();
    }

    // The cells of the flat, each with its number from 1. False where it reaches the border of the strip.
    bool collect(std::size_t seed, const strip& s) {
        const auto width = surface_.width();
        const auto inner_first = s.first + (s.top > 0 ? width : 0);
        const auto inner_last = s.last - (s.bottom < surface_.height() ? width : 0);
        bool inside = true;
        cells_.clear();
        add(seed);
        for (std::size_t k = 0; k < cells_.size(); ++k) {
            look();
            inside = inside && cells_[k] >= inner_first && cells_[k] < inner_last;
            surface_.extent().around(cells_[k], [&](std::size_t n, std::size_t) {
                if (!s.holds(n) || directions_[n] != undrained) return;
                if (!number_[n] && surface_[n] == surface_[seed]) add(n);
            });
        }
        relief_.assign(cells_.size(), 0);
        return inside;
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
            look();
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
    grid<cell_index>& number_;
    std::vector<cell_index> cells_, front_;
    std::vector<std::uint32_t> ring_, relief_;
    std::vector<std::uint8_t> chosen_;
    std::size_t looked_ = 0;
};

template <class T>
resolved_flats drain(const grid<T>& surface, grid<std::uint8_t>& directions, const progress& tick, const team& by) {
    grid<cell_index> number{surface.extent(), unset{}};
    const strips parts{surface.extent(), by};
    std::vector<flat_drainage<T>> drained(parts.count() + 1, flat_drainage<T>{surface, directions, number});
    parts.each(part_of(tick, 0, 0.8), [&](const strip& s) { drained[s.number].run(s); });
    drained.back().poll = part_of(tick, 0.8, 1);
    for (const auto& part : drained)
        for (const auto cell : part.deferred) number[cell] = 0;
    for (const auto& part : drained) drained.back().run(part.deferred);
    drained.back().poll = {};
    resolved_flats all;
    for (const auto& part : drained) {
        all.flats += part.report.flats;
        all.cells += part.report.cells;
        all.undrained += part.report.undrained;
    }
    return all;
}

}  // namespace

template <class T>
resolved_flats resolve_flats(const grid<T>& surface, grid<std::uint8_t>& directions, const progress& tick,
                             const team& by) {
    return drain(surface, directions, tick, by);
}

#define GDALMCP_FLATS(T) \
    template resolved_flats resolve_flats<T>(const grid<T>&, grid<std::uint8_t>&, const progress&, const team&)
GDALMCP_FLATS(std::uint8_t);
GDALMCP_FLATS(std::int16_t);
GDALMCP_FLATS(std::uint16_t);
GDALMCP_FLATS(std::int32_t);
GDALMCP_FLATS(std::uint32_t);
GDALMCP_FLATS(float);
GDALMCP_FLATS(double);
#undef GDALMCP_FLATS

}  // namespace gdalmcp_hydrology
