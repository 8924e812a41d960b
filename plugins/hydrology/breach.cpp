#include "breach.hpp"

#include <algorithm>
#include <queue>

namespace gdalmcp_hydrology {
namespace {

template <class T>
class breaching {
public:
    breaching(grid<T>& surface, const grid<footprint>& land, const cell_sizes& sizes, const breach_limits& limits)
        : surface_{surface},
          land_{land},
          sizes_{sizes},
          limits_{limits},
          search_{surface.extent()},
          came_by_{surface.extent()} {}

    breach_report run(const progress& tick) {
        auto pits = find_pits();
        std::sort(pits.begin(), pits.end(), [](const pit& a, const pit& b) {
            return a.height != b.height ? a.height < b.height : a.cell < b.cell;
        });
        report_.pits = pits.size();
        for (std::size_t k = 0; k < pits.size(); ++k) {
            if (tick && k % 1024 == 0) tick(static_cast<double>(k) / static_cast<double>(pits.size()));
            if (surface_[pits[k].cell] < pits[k].height) continue;  // a cut from below passed here
            const auto end = cheapest_way(pits[k].cell);
            if (end == off_grid)
                ++report_.left;
            else
                dig(pits[k].cell, end);
        }
        return report_;
    }

private:
    struct pit {
        T height;
        cell_index cell;
    };
    // A cell within reach: the cost of the way to it, its length in m, the direction of the last step.
    struct place {
        double cost, length;
        cell_index cell;
        std::uint8_t by;
        bool operator>(const place& other) const {
            if (cost != other.cost) return cost > other.cost;
            return length != other.length ? length > other.length : cell > other.cell;
        }
    };

    bool is_terrain(std::size_t cell) const { return land_[cell] == footprint::terrain; }

    std::vector<pit> find_pits() const {
        std::vector<pit> pits;
        grid<std::uint8_t> seen{surface_.extent()};
        std::vector<std::size_t> region;
        for (std::size_t i = 0; i < surface_.size(); ++i) {
            if (!is_terrain(i) || seen[i] || drains(i)) continue;
            region.assign(1, i);
            seen[i] = 1;
            bool drained = false;
            for (std::size_t k = 0; k < region.size(); ++k) {
                drained = drained || drains(region[k]);
                surface_.extent().around(region[k], [&](std::size_t n, std::size_t) {
                    if (seen[n] || !is_terrain(n) || surface_[n] != surface_[i]) return;
                    seen[n] = 1;
                    region.push_back(n);
                });
            }
            if (!drained) pits.push_back({surface_[i], static_cast<cell_index>(i)});
        }
        return pits;
    }
    bool drains(std::size_t cell) const {
        if (is_outlet(land_, cell)) return true;
        bool lower = false;
        surface_.extent().around(cell, [&](std::size_t n, std::size_t) {
            lower = lower || (is_terrain(n) && surface_[n] < surface_[cell]);
        });
        return lower;
    }

    double cut(std::size_t cell, T level) const {
        const double above = static_cast<double>(surface_[cell]) - static_cast<double>(level);
        return std::max(above, 0.0);
    }

    // Dijkstra's search from a pit to the nearest end by cost: a lower cell, or one beside an outlet.
    std::size_t cheapest_way(std::size_t from) {
        const T level = surface_[from];
        open_ = {};
        ++round_;
        open_.push({0, 0, static_cast<cell_index>(from), 0});
        while (!open_.empty()) {
            const auto at = open_.top();
            open_.pop();
            if (search_[at.cell] == round_) continue;
            search_[at.cell] = round_;
            came_by_[at.cell] = at.by;
            if (surface_[at.cell] < level || is_outlet(land_, at.cell)) return at.cell;
            spread(at, level);
        }
        return off_grid;
    }
    void spread(const place& at, T level) {
        const auto row = surface_.extent().row(at.cell);
        surface_.extent().around(at.cell, [&](std::size_t n, std::size_t d) {
            if (!is_terrain(n) || search_[n] == round_) return;
            const double step = sizes_.distance(row, d), depth = cut(n, level);
            if (at.length + step > limits_.max_length || depth > limits_.max_depth.value_or(depth)) return;
            open_.push(
                {at.cost + depth * step, at.length + step, static_cast<cell_index>(n), static_cast<std::uint8_t>(d)});
        });
    }

    // Lowers the way from `end` back to the pit to the height of the pit.
    void dig(std::size_t from, std::size_t end) {
        const T level = surface_[from];
        double length = 0;
        bool dug = false;
        for (auto cell = end; cell != from;) {
            if (surface_[cell] > level) {
                report_.deepest = std::max(report_.deepest, cut(cell, level));
                ++report_.cells_lowered;
                surface_[cell] = level;
                dug = true;
            }
            const auto back = surface_.extent().neighbour(cell, (came_by_[cell] + 4u) % 8u);
            length += sizes_.distance(surface_.extent().row(back), came_by_[cell]);
            cell = back;
        }
        if (dug) report_.longest = std::max(report_.longest, length);
    }

    grid<T>& surface_;
    const grid<footprint>& land_;
    const cell_sizes& sizes_;
    breach_limits limits_;
    grid<cell_index> search_;  // the last search that reached a cell by its cheapest way
    grid<std::uint8_t> came_by_;
    std::priority_queue<place, std::vector<place>, std::greater<>> open_;
    cell_index round_ = 0;
    breach_report report_;
};

}  // namespace

template <class T>
breach_report breach(grid<T>& surface, const grid<footprint>& land, const cell_sizes& sizes,
                     const breach_limits& limits, const progress& tick) {
    return breaching<T>{surface, land, sizes, limits}.run(tick);
}

#define GDALMCP_BREACH(T)                                                                                       \
    template breach_report breach<T>(grid<T>&, const grid<footprint>&, const cell_sizes&, const breach_limits&, \
                                     const progress&)
GDALMCP_BREACH(std::uint8_t);
GDALMCP_BREACH(std::int16_t);
GDALMCP_BREACH(std::uint16_t);
GDALMCP_BREACH(std::int32_t);
GDALMCP_BREACH(std::uint32_t);
GDALMCP_BREACH(float);
GDALMCP_BREACH(double);
#undef GDALMCP_BREACH

}  // namespace gdalmcp_hydrology
