#include "flats.hpp"

#include <algorithm>

namespace gdalmcp_hydrology {
namespace {

constexpr std::array<direction, 8> sides_first{east, south, west, north, southeast, southwest, northwest, northeast};

// While a flat is worked on, what its cells are in the grid of directions; nothing else is there.
enum flat_cell : std::uint8_t { collected = no_terrain + 1, seen_from_high, seen_from_low, put_off, stuck };

// The cells of a flat, and those of them beside a cell that drains and beside a higher one.
struct flat {
    std::vector<cell_index> cells, low, high;
};

// Flats are resolved in any order: those of equal height do not touch, and of others nothing is looked at but the
// heights. relief: of cells that are being worked on, else anything.
template <class T>
class flat_drainage {
public:
    flat_drainage(const grid<T>& surface, grid<std::uint8_t>& directions, grid<cell_index>& relief)
        : surface_{surface}, directions_{directions}, relief_{relief}, step_{surface.extent().steps()} {}

    // The flats of a strip that do not reach its border, which others may be changing; of each other one a cell is
    // `deferred`.
    void run(const strip& s) {
        for (auto i = s.first; i < s.last; ++i) {
            if (directions_[i] != undrained) continue;
            if (collect(i, s, undrained)) {
                resolve();
                continue;
            }
            for (const auto cell : found_.cells) directions_[cell] = put_off;
            deferred.push_back(static_cast<cell_index>(i));
        }
    }
    // The flats of those cells, once all strips are through.
    void run(const std::vector<cell_index>& cells) {
        const strip whole{0, 0, surface_.height(), 0, surface_.size()};
        for (const auto cell : cells)
            if (directions_[cell] == put_off && collect(cell, whole, put_off)) resolve();
    }

    // Once all are through.
    void finish() {
        for (const auto cell : undrained_) directions_[cell] = undrained;
        report.undrained = undrained_.size();
    }

    resolved_flats report;
    std::vector<cell_index> deferred;
    progress poll{};  // called where many cells are looked at, with 0

private:
    void look() {
        if (poll && ++looked_ % progress_interval == 0) poll(0);
    }

    // visit(neighbour) for each one on the grid: most by steps made once, since this is most of the work.
    template <class Visit>
    void around(std::size_t cell, Visit&& visit) const {
        const auto width = surface_.width(), column = cell % width;
        if (cell < width || cell + width >= surface_.size() || column == 0 || column + 1 == width)
            return surface_.extent().around(cell, [&](std::size_t n, std::size_t) { visit(n); });
        for (const auto step : step_) visit(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(cell) + step));
    }

    // The flat of a cell, all of whose cells are `as`. False where it reaches the border of the strip.
    bool collect(std::size_t seed, const strip& s, std::uint8_t as) {
        const auto width = surface_.width();
        const auto inner_first = s.first + (s.top > 0 ? width : 0);
        const auto inner_last = s.last - (s.bottom < surface_.height() ? width : 0);
        const auto height = surface_[seed];
        auto &cells = found_.cells, &low = found_.low, &high = found_.high;
        for (auto* list : {&cells, &low, &high}) list->clear();
        cells.push_back(static_cast<cell_index>(seed));
        directions_[seed] = collected;
        bool inside = true;
        for (std::size_t k = 0; k < cells.size(); ++k) {
            look();
            const auto cell = cells[k];
            inside = inside && cell >= inner_first && cell < inner_last;
            bool beside_low = false, beside_high = false;
            around(cell, [&](std::size_t n) {
                if (!s.holds(n) || directions_[n] == no_terrain) return;
                beside_high |= surface_[n] > height;
                if (surface_[n] != height) return;
                beside_low |= directions_[n] < undrained;
                if (directions_[n] != as) return;
                directions_[n] = collected;
                cells.push_back(static_cast<cell_index>(n));
            });
            if (beside_low) low.push_back(cell);
            if (beside_high) high.push_back(cell);
        }
        return inside;
    }

    void resolve() {
        const auto& cells = found_.cells;
        if (found_.low.empty()) {
            for (const auto cell : cells) directions_[cell] = stuck;
            undrained_.insert(undrained_.end(), cells.begin(), cells.end());
            return;
        }
        // The steps from higher terrain, turned around so that they fall away from it; where there is none, nothing.
        const auto reach = spread(found_.high, collected, seen_from_high,
                                  [&](std::size_t cell, cell_index ring) { relief_[cell] = ring; });
        const auto passed = found_.high.empty() ? collected : seen_from_high;
        // Twice the steps to a low edge, which itself has 2.
        spread(found_.low, passed, seen_from_low, [&](std::size_t cell, cell_index ring) {
            relief_[cell] = 2 * (ring + 1) + (found_.high.empty() ? 0 : reach - relief_[cell]);
        });
        chosen_.clear();
        for (const auto cell : cells) chosen_.push_back(steepest(cell));
        for (std::size_t k = 0; k < cells.size(); ++k) directions_[cells[k]] = chosen_[k];
        ++report.flats;
        report.cells += cells.size();
    }

    // Breadth-first through the flat from some of its cells, which become `to` where they were `from`; visit(cell, ring
    // from 1) once for each. Returns the last ring.
    template <class Visit>
    cell_index spread(const std::vector<cell_index>& begin, std::uint8_t from, std::uint8_t to, Visit&& visit) {
        front_ = begin;
        for (const auto cell : front_) directions_[cell] = to;
        cell_index ring = 0;
        for (std::size_t at = 0; at < front_.size();) {
            ++ring;
            for (const auto last = front_.size(); at < last; ++at) {
                look();
                const auto cell = front_[at];
                visit(cell, ring);
                around(cell, [&](std::size_t n) {
                    if (directions_[n] != from) return;
                    directions_[n] = to;
                    front_.push_back(static_cast<cell_index>(n));
                });
            }
        }
        return ring;
    }

    std::uint8_t steepest(std::size_t cell) const {
        constexpr cell_index low_edge = 2;
        std::uint8_t best = undrained;
        auto lowest = relief_[cell];
        for (const auto d : sides_first) {
            const auto n = surface_.extent().neighbour(cell, d);
            if (n == off_grid) continue;
            const bool inside = directions_[n] == seen_from_low;
            if (!inside && !(directions_[n] < undrained && surface_[n] == surface_[cell])) continue;
            const auto height = inside ? relief_[n] : low_edge;
            if (height >= lowest) continue;
            lowest = height;
            best = d;
        }
        return best;
    }

    const grid<T>& surface_;
    grid<std::uint8_t>& directions_;
    grid<cell_index>& relief_;
    std::array<std::ptrdiff_t, 8> step_;
    flat found_;
    std::vector<cell_index> front_, undrained_;  // the latter of flats without a way down
    std::vector<std::uint8_t> chosen_;
    std::size_t looked_ = 0;
};

template <class T>
resolved_flats drain(const grid<T>& surface, grid<std::uint8_t>& directions, const progress& tick, const team& by) {
    grid<cell_index> relief{surface.extent(), unset{}};
    const strips parts{surface.extent(), by};
    std::vector<flat_drainage<T>> drained(parts.count() + 1, flat_drainage<T>{surface, directions, relief});
    parts.each(part_of(tick, 0, 0.8), [&](const strip& s) { drained[s.number].run(s); });
    drained.back().poll = part_of(tick, 0.8, 1);
    for (const auto& part : drained) drained.back().run(part.deferred);
    resolved_flats all;
    for (auto& part : drained) {
        part.finish();
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
