#include "accumulation.hpp"

#include <stdexcept>

#include "flow_path.hpp"
#include "tiling.hpp"

namespace gdalmcp_hydrology {
namespace {

// A byte for each cell: in the lower half the direction of its receiver, or `ends`; in the upper half how many donors
// it waits for, or `done`.
constexpr std::uint8_t ends = 8, step_mask = 15, one_donor = 16, done = 0xF0;

template <class V>
class flow {
public:
    // inflow: nullptr for a whole raster.
    flow(const grid<std::uint8_t>& directions, grid<V>& values, const rim_inflow<V>* inflow, accumulation<V>& result)
        : directions_{directions}, values_{values}, inflow_{inflow}, result_{result}, work_{directions.extent()} {
        for (std::size_t d = 0; d < neighbours.size(); ++d)
            step_[d] =
                static_cast<std::ptrdiff_t>(neighbours[d].row) * static_cast<std::ptrdiff_t>(directions.width()) +
                neighbours[d].column;
        for (std::size_t r = 0; r < directions.height(); ++r) prepare_row(r);
        if (inflow) take_in();
    }

    // From each cell without donors down, as far as no other donor is missing.
    void run(const progress& tick) {
        for (std::size_t i = 0; i < work_.size(); ++i) {
            if (tick && i % progress_interval == 0) tick(static_cast<double>(i) / static_cast<double>(work_.size()));
            if (directions_[i] == no_terrain) continue;
            for (auto cell = i; cell != off_grid && work_[cell] < one_donor;) cell = pass_on(cell);
        }
        // Each cell has one receiver, so a cell still waiting for a donor lies on a loop or downstream of one.
        for (std::size_t i = 0; i < work_.size() && !result_.cycle; ++i)
            if (directions_[i] != no_terrain && work_[i] < done) result_.cycle = i;
    }

private:
    std::size_t below(std::size_t cell, std::uint8_t step) const {
        return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(cell) + step_[step]);
    }

    void prepare_row(std::size_t row) {
        const auto width = directions_.width(), first = row * width;
        const bool inner_row = row > 0 && row + 1 < directions_.height();
        for (std::size_t c = 0; c < width; ++c) {
            const auto cell = first + c;
            if (directions_[cell] == no_terrain) {
                values_[cell] = V{};
                continue;
            }
            ++result_.terrain_cells;
            result_.contributed += values_[cell];
            const bool inside = inner_row && c > 0 && c + 1 < width;
            result_.contaminated[cell] = inside ? beside_nodata(cell) : !inflow_;
            const auto d = directions_[cell];
            const auto to = !inside || d >= undrained ? receiver(directions_, cell) : below(cell, d);
            if (to == off_grid || directions_[to] == no_terrain) {
                work_[cell] = static_cast<std::uint8_t>(work_[cell] | ends);
            } else {
                work_[cell] = static_cast<std::uint8_t>(work_[cell] | d);
                work_[to] = static_cast<std::uint8_t>(work_[to] + one_donor);
            }
        }
    }
    void take_in() {
        rim{directions_.extent()}.each([&](std::size_t place, std::size_t row, std::size_t column) {
            const auto cell = row * directions_.width() + column;
            if (directions_[cell] == no_terrain) return;
            values_[cell] += inflow_->values[place];
            bool contaminated = inflow_->contaminated[place] != 0;
            directions_.extent().around(
                cell, [&](std::size_t n, std::size_t) { contaminated |= directions_[n] == no_terrain; });
            result_.contaminated[cell] = contaminated;
        });
    }
    bool leaves(std::size_t cell) const {
        const auto place = inflow_ ? rim{directions_.extent()}.place_of(cell) : std::nullopt;
        return !place || !inflow_->passed_on[*place];
    }

    // Of a cell that is not at the edge of the grid.
    bool beside_nodata(std::size_t cell) const {
        bool found = false;
        for (const auto step : step_)
            found |= directions_[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(cell) + step)] == no_terrain;
        return found;
    }

    // Returns the receiver.
    std::size_t pass_on(std::size_t cell) {
        const auto step = static_cast<std::uint8_t>(work_[cell] & step_mask);
        work_[cell] = static_cast<std::uint8_t>(done | step);
        result_.contaminated_cells += result_.contaminated[cell];
        if (step == ends) {
            if (leaves(cell)) {
                ++result_.outlets;
                result_.discharged += values_[cell];
            }
            return off_grid;
        }
        const auto to = below(cell, step);
        values_[to] += values_[cell];
        result_.contaminated[to] |= result_.contaminated[cell];
        work_[to] = static_cast<std::uint8_t>(work_[to] - one_donor);
        return to;
    }

    const grid<std::uint8_t>& directions_;
    grid<V>& values_;
    const rim_inflow<V>* inflow_;
    accumulation<V>& result_;
    grid<std::uint8_t> work_;
    std::array<std::ptrdiff_t, 8> step_{};
};

template <class V>
accumulation<V> accumulate_with(const grid<std::uint8_t>& directions, grid<V> own, const rim_inflow<V>* inflow,
                                const progress& tick) {
    if (own.size() == 0) own = grid<V>{directions.extent(), V{1}};
    if (own.extent() != directions.extent())
        throw std::invalid_argument{"contributions and directions differ in shape"};
    accumulation<V> result;
    result.contaminated = grid<std::uint8_t>{directions.extent()};
    flow<V>{directions, own, inflow, result}.run(tick);
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (directions[i] == no_terrain || (result.maximum_cell != off_grid && !(own[i] > result.maximum))) continue;
        result.maximum = own[i];
        result.maximum_cell = i;
    }
    result.values = std::move(own);
    return result;
}

}  // namespace

template <class V>
accumulation<V> accumulate(const grid<std::uint8_t>& directions, grid<V> own, const progress& tick) {
    return accumulate_with<V>(directions, std::move(own), nullptr, tick);
}

template <class V>
accumulation<V> accumulate_tile(const grid<std::uint8_t>& directions, grid<V> own, const rim_inflow<V>& inflow,
                                const progress& tick) {
    return accumulate_with(directions, std::move(own), &inflow, tick);
}

flow_trend trend_along(const grid<std::uint8_t>& directions, const grid<double>& values) {
    flow_trend found;
    for (std::size_t i = 0; i < directions.size(); ++i) {
        const auto below = receiver(directions, i);
        if (below == off_grid) continue;
        found.rising += values[below] > values[i];
        found.falling += values[below] < values[i];
    }
    return found;
}

#define GDALMCP_ACCUMULATE(V)                                                                 \
    template accumulation<V> accumulate(const grid<std::uint8_t>&, grid<V>, const progress&); \
    template accumulation<V> accumulate_tile(const grid<std::uint8_t>&, grid<V>, const rim_inflow<V>&, const progress&)
GDALMCP_ACCUMULATE(std::uint64_t);
GDALMCP_ACCUMULATE(double);
#undef GDALMCP_ACCUMULATE

}  // namespace gdalmcp_hydrology
