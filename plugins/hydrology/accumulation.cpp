#include "accumulation.hpp"

#include <stdexcept>

#include "flow_path.hpp"
#include "flow_totals.hpp"
#include "tiling.hpp"

namespace gdalmcp_hydrology {
namespace {

// A byte for each cell: in the lower half the direction of its receiver, or `ends`; in the upper half how many donors
// it waits for, or `done`.
constexpr std::uint8_t ends = 8, step_mask = 15, one_donor = 16, done = 0xF0;

// The bytes of a row of directions, those without terrain `done`.
GDALMCP_WIDE_REGISTERS void prepare_row(const neighbour_rows<std::uint8_t>::three& rows,
                                        std::uint8_t* __restrict work) {
    const auto *above = rows.above, *here = rows.here, *below = rows.below;
    const auto width = static_cast<std::ptrdiff_t>(rows.width);
    for (std::ptrdiff_t c = 0; c < width; ++c) {
        const auto own = here[c];
        std::uint8_t donors = 0, leaves = own >= undrained;
        const auto look = [&](std::uint8_t d, std::uint8_t there) {
            donors = static_cast<std::uint8_t>(donors + (there == (d + 4) % 8 ? one_donor : 0));
            leaves = static_cast<std::uint8_t>(leaves | ((there == no_terrain) & (own == d)));
        };
        look(east, here[c + 1]);
        look(southeast, below[c + 1]);
        look(south, below[c]);
        look(southwest, below[c - 1]);
        look(west, here[c - 1]);
        look(northwest, above[c - 1]);
        look(north, above[c]);
        look(northeast, above[c + 1]);
        const auto step = static_cast<std::uint8_t>(leaves ? ends : own);
        const auto known = static_cast<std::uint8_t>(donors | step);
        work[c] = own == no_terrain ? done : known;
    }
}

template <class V>
struct strip_flow : flow_totals<V> {
    std::vector<std::size_t> crossing;  // cells, passed on from, whose receivers lie in other strips
};

template <class V>
class flow {
public:
    // inflow: nullptr for a whole raster.
    flow(const grid<std::uint8_t>& directions, grid<V>& values, bool ones, const rim_inflow<V>* inflow,
         accumulation<V>& result, const team& by)
        : directions_{directions},
          values_{values},
          ones_{ones},
          inflow_{inflow},
          result_{result},
          work_{directions.extent(), unset{}},
          strips_{directions.extent(), by},
          parts_(strips_.count()),
          step_{directions.extent().steps()} {}

    // From each cell without donors down, as far as no other donor is missing and the strip reaches; then from strip to
    // strip.
    void run(const progress& tick) {
        strips_.each(part_of(tick, 0, 0.2), [&](const strip& s) { prepare(s); });
        if (inflow_) take_in();
        strips_.each(part_of(tick, 0.2, 0.9), [&](const strip& s) { descend(s); });
        strip_flow<V> between;
        for (const auto& part : parts_)
            for (const auto cell : part.crossing) cross(cell, between);
        strips_.each(part_of(tick, 0.9, 1),
                     [&](const strip& s) { parts_[s.number].find_maximum(s, directions_, values_); });
        parts_.push_back(std::move(between));
        // Each cell has one receiver, so a cell still waiting for a donor lies on a loop or downstream of one.
        if (add_up(parts_, result_)) return;
        for (std::size_t i = 0; !result_.cycle; ++i)
            if (work_[i] < done) result_.cycle = i;
    }

private:
    std::size_t below(std::size_t cell, std::uint8_t step) const {
        return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(cell) + step_[step]);
    }

    void prepare(const strip& s) {
        auto& part = parts_[s.number];
        const auto width = directions_.width();
        neighbour_rows<std::uint8_t> rows{directions_, no_terrain};
        for (auto r = s.top; r < s.bottom; ++r) {
            const auto near = rows.at(r);
            prepare_row(near, work_.row(r));
            mark_beside_nodata(near, result_.contaminated.row(r));
            V* values = values_.row(r);
            for (std::size_t c = 0; c < width; ++c) {
                const bool terrain = near.here[c] != no_terrain;
                part.cells += terrain;
                values[c] = !terrain ? V{} : ones_ ? V{1} : values[c];
                part.contributed += values[c];
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

    void descend(const strip& s) {
        auto& part = parts_[s.number];
        for (auto i = s.first; i < s.last; ++i)
            for (auto cell = i; work_[cell] < one_donor;) {
                const auto to = finish(cell, part);
                if (to == off_grid) break;
                if (!s.holds(to)) {
                    part.crossing.push_back(cell);
                    break;
                }
                give(cell, to);
                cell = to;
            }
    }
    void cross(std::size_t from, strip_flow<V>& part) {
        auto to = below(from, work_[from] & step_mask);
        give(from, to);
        while (work_[to] < one_donor) {
            const auto cell = to;
            to = finish(cell, part);
            if (to == off_grid) break;
            give(cell, to);
        }
    }
    // Returns the receiver.
    std::size_t finish(std::size_t cell, strip_flow<V>& part) {
        const auto step = static_cast<std::uint8_t>(work_[cell] & step_mask);
        work_[cell] = static_cast<std::uint8_t>(done | step);
        ++part.passed;
        part.contaminated += result_.contaminated[cell];
        if (step != ends) return below(cell, step);
        if (leaves(cell)) {
            ++part.outlets;
            part.discharged += values_[cell];
        }
        return off_grid;
    }
    void give(std::size_t from, std::size_t to) {
        values_[to] += values_[from];
        result_.contaminated[to] |= result_.contaminated[from];
        work_[to] = static_cast<std::uint8_t>(work_[to] - one_donor);
    }

    const grid<std::uint8_t>& directions_;
    grid<V>& values_;
    const bool ones_;
    const rim_inflow<V>* inflow_;
    accumulation<V>& result_;
    grid<std::uint8_t> work_;
    strips strips_;
    std::vector<strip_flow<V>> parts_;
    std::array<std::ptrdiff_t, 8> step_{};
};

template <class V>
accumulation<V> accumulate_with(const grid<std::uint8_t>& directions, grid<V> own, const rim_inflow<V>* inflow,
                                const progress& tick, const team& by) {
    const bool ones = own.size() == 0;
    if (ones) own = grid<V>{directions.extent(), unset{}};
    if (own.extent() != directions.extent())
        throw std::invalid_argument{"contributions and directions differ in shape"};
    accumulation<V> result;
    result.contaminated = grid<std::uint8_t>{directions.extent(), unset{}};
    flow<V>{directions, own, ones, inflow, result, by}.run(tick);
    result.values = std::move(own);
    return result;
}

}  // namespace

template <class V>
accumulation<V> accumulate(const grid<std::uint8_t>& directions, grid<V> own, const progress& tick, const team& by) {
    return accumulate_with<V>(directions, std::move(own), nullptr, tick, by);
}

template <class V>
accumulation<V> accumulate_tile(const grid<std::uint8_t>& directions, grid<V> own, const rim_inflow<V>& inflow,
                                const progress& tick) {
    return accumulate_with(directions, std::move(own), &inflow, tick, {});
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

#define GDALMCP_ACCUMULATE(V)                                                                              \
    template accumulation<V> accumulate(const grid<std::uint8_t>&, grid<V>, const progress&, const team&); \
    template accumulation<V> accumulate_tile(const grid<std::uint8_t>&, grid<V>, const rim_inflow<V>&, const progress&)
GDALMCP_ACCUMULATE(std::uint32_t);
GDALMCP_ACCUMULATE(std::uint64_t);
GDALMCP_ACCUMULATE(double);
#undef GDALMCP_ACCUMULATE

}  // namespace gdalmcp_hydrology
