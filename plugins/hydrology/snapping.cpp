#include "snapping.hpp"

#include <algorithm>
#include <cmath>

namespace gdalmcp_hydrology {
namespace {

// How well a cell answers the wish: lower is better; the nearer cell wins among equals.
struct score {
    double first = std::numeric_limits<double>::infinity(), second = first;
    bool operator<(const score& other) const {
        return first != other.first ? first < other.first : second < other.second;
    }
};

class search {
public:
    search(const snapping_ground& ground, std::size_t from, const snap_wish& wish)
        : ground_{ground}, from_{from}, wish_{wish} {}

    std::size_t best_around() const {
        const auto& extent = ground_.directions.extent();
        const auto row = extent.row(from_), column = extent.column(from_);
        const auto reach = [&](double size, std::size_t most) {
            return static_cast<std::size_t>(std::min(std::ceil(wish_.radius / size) + 1, static_cast<double>(most)));
        };
        const auto down = reach(ground_.sizes.height(row), extent.height);
        const auto first = row - std::min(row, down), last = std::min(row + down, extent.height - 1);
        for (auto r = first; r <= last; ++r) {
            const auto across = reach(std::min(ground_.sizes.width(r), ground_.sizes.width(row)), extent.width);
            const auto end = std::min(column + across, extent.width - 1);
            for (auto c = column - std::min(column, across); c <= end; ++c) consider(r * extent.width + c);
        }
        return best_;
    }

    // The same among the cells the flow from the point passes, as long as it stays within the radius.
    std::size_t best_below() const {
        for (auto cell = from_; cell != off_grid && within(cell); cell = receiver(ground_.directions, cell)) {
            consider(cell);
            if (best_ != off_grid && wish_.to == snap_to::downstream && !wish_.known_area) break;
        }
        return best_;
    }

    // Metres from the point to the centre of a cell, by the sizes of cells in their rows.
    double distance(std::size_t cell) const {
        if (cell == from_) return 0;
        const auto& extent = ground_.directions.extent();
        const auto& sizes = ground_.sizes;
        const auto here = extent.row(from_), there = extent.row(cell);
        const double columns = static_cast<double>(extent.column(cell)) - static_cast<double>(extent.column(from_)),
                     rows = static_cast<double>(there) - static_cast<double>(here);
        return std::hypot((columns - wish_.right) * (sizes.width(here) + sizes.width(there)) / 2,
                          (rows - wish_.down) * (sizes.height(here) + sizes.height(there)) / 2);
    }

private:
    bool within(std::size_t cell) const { return distance(cell) <= wish_.radius; }

    void consider(std::size_t cell) const {
        if (ground_.directions[cell] == no_terrain || !within(cell)) return;
        if (wish_.to != snap_to::most_flow && !ground_.channels[cell]) return;
        const auto s = score_of(cell);
        if (!(s < best_score_)) return;
        best_score_ = s;
        best_ = cell;
    }

    score score_of(std::size_t cell) const {
        const double away = distance(cell);
        // Areas within a millionth match alike: they differ by rounding.
        if (wish_.known_area)
            return {std::round(1e6 * std::abs(std::log(ground_.area[cell] / *wish_.known_area))), away};
        if (wish_.to == snap_to::most_flow) return {-ground_.flow[cell], away};
        return {away, -ground_.area[cell]};
    }

    const snapping_ground& ground_;
    std::size_t from_;
    snap_wish wish_;
    mutable std::size_t best_ = off_grid;
    mutable score best_score_;
};

bool drains_to(const grid<std::uint8_t>& directions, std::size_t from, std::size_t to) {
    while (from != off_grid && from != to) from = receiver(directions, from);
    return from == to;
}

// Whether both are streams, and different answers.
bool compete(double own, double chosen) {
    return std::max(own, chosen) > ambiguous_ratio * std::min(own, chosen) && own >= least_share * chosen;
}

}  // namespace

snapped_point snap(const snapping_ground& ground, std::size_t from, const snap_wish& wish) {
    if (wish.to == snap_to::nothing) return {from, 0, {}};
    const search around{ground, from, wish};
    const auto own = search{ground, from, wish}.best_below();
    const auto cell = wish.to == snap_to::downstream ? own : around.best_around();
    if (cell == off_grid) return {};
    snapped_point found{cell, around.distance(cell), {}};
    const bool one_stream =
        own == off_grid || drains_to(ground.directions, own, cell) || drains_to(ground.directions, cell, own);
    if (!wish.known_area && !one_stream && compete(ground.area[own], ground.area[cell])) found.rival = own;
    return found;
}

}  // namespace gdalmcp_hydrology
