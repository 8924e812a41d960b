#include "pit_growth.hpp"

#include <gdalmcp/crew.hpp>

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "datasets/wide_registers.hpp"
#include "strips.hpp"

namespace gdalmcp_hydrology {
namespace {

// What is known of a cell. `border`: of the raster, where water leaves; of a tile, where growth is left to larger ones.
// waiting: of a flat floor one cell of which is left to a larger tile, for all of it.
enum mark : std::uint8_t {
    raster_border = 1,
    tile_border = 2,
    visited = 4,
    settled = 8,
    is_enclosed = 16,
    waiting = 32
};

struct box {
    std::size_t top, bottom, left, right;  // rows and columns, the last ones excluded
};

template <class F>
struct pit {
    F height;
    cell_index cell;
};

// 1 where no neighbour of a cell is lower, for the inner cells of a row.
template <class F>
void mark_lowest(const F* above, const F* here, const F* below, std::size_t first, std::size_t last,
                 std::uint8_t* lowest) {
    for (std::size_t x = first; x < last; ++x) {
        const F z = here[x];
        F least = std::min(std::min(above[x - 1], above[x]), std::min(above[x + 1], here[x - 1]));
        least = std::min(least, std::min(std::min(here[x + 1], below[x - 1]), std::min(below[x], below[x + 1])));
        lowest[x] = (least >= z) & (z > -std::numeric_limits<F>::infinity()) & (z < std::numeric_limits<F>::infinity());
    }
}
GDALMCP_WIDE_REGISTERS void mark_lowest_in_row(const float* above, const float* here, const float* below,
                                               std::size_t first, std::size_t last, std::uint8_t* lowest) {
    mark_lowest(above, here, below, first, last, lowest);
}
GDALMCP_WIDE_REGISTERS void mark_lowest_in_row(const double* above, const double* here, const double* below,
                                               std::size_t first, std::size_t last, std::uint8_t* lowest) {
    mark_lowest(above, here, below, first, last, lowest);
}

template <class F>
class growth {
public:
    growth(grid<F>& surface, const grid<footprint>& land, const growth_limits& limits, const progress& tick)
        : surface_{surface}, marks_{surface.extent(), unset{}}, limits_{limits}, tick_{tick} {
        strips{surface.extent(), {.threads = limits.threads}}.each({}, [&](const strip& s) {
            std::fill(marks_.row(0) + s.first, marks_.row(0) + s.last, std::uint8_t{0});
            for (auto i = s.first; i < s.last; ++i) {
                if (land[i] == footprint::outside) surface[i] = -infinity;
                if (land[i] == footprint::hole) surface[i] = infinity;
            }
        });
        along({0, surface.height(), 0, surface.width()},
              [](std::uint8_t m) { return static_cast<std::uint8_t>(m | raster_border); });
        step_ = surface.extent().steps();
        most_visits_ = static_cast<std::uint64_t>(limits.visits * static_cast<double>(surface.size())) + 1000;
    }

    grown_depressions run() {
        std::vector<pit<F>> left;
        bool first = true;
        for (const auto side : limits_.tiles) {
            left = by_tiles(side, first, std::move(left));
            first = false;
        }
        const box whole{0, surface_.height(), 0, surface_.width()};
        if (first) left = pits_in(whole);
        room r;
        forget_waiting(whole);
        grow_all(left, r, nullptr);
        return {!spent(), enclosed_cells()};
    }

private:
    static constexpr F infinity = std::numeric_limits<F>::infinity();
    // waits: for another pit of the same flat, which was deferred.
    enum class outcome { spilled, deferred, waits, closed };
    enum class look { inside, lower, waiting_flat };

    struct later {
        bool operator()(const pit<F>& a, const pit<F>& b) const { return a.height > b.height; }
    };
    // What one growth uses, kept from one to the next.
    struct room {
        std::vector<pit<F>> shore;       // a heap, the lowest first
        std::vector<cell_index> level;   // cells at the current level
        std::vector<cell_index> region;  // all cells visited
        std::uint64_t visits = 0;
    };

    bool spent() const { return visits_.load(std::memory_order_relaxed) > most_visits_; }

    // Changes the marks of the outermost cells.
    template <class Change>
    void along(const box& b, Change&& change) {
        const auto set = [&](std::size_t row, std::size_t column) {
            auto& cell = marks_(row, column);
            cell = change(cell);
        };
        for (auto c = b.left; c < b.right; ++c) set(b.top, c), set(b.bottom - 1, c);
        for (auto r = b.top; r < b.bottom; ++r) set(r, b.left), set(r, b.right - 1);
    }

    std::vector<pit<F>> pits_in(const box& b) const {
        std::vector<pit<F>> pits;
        std::vector<std::uint8_t> lowest(surface_.width());
        const auto left = std::max<std::size_t>(b.left, 1), right = std::min(b.right, surface_.width() - 1);
        for (auto r = std::max<std::size_t>(b.top, 1); r < std::min(b.bottom, surface_.height() - 1); ++r) {
            if (left >= right) break;
            mark_lowest_in_row(surface_.row(r - 1), surface_.row(r), surface_.row(r + 1), left, right, lowest.data());
            for (auto c = left; c < right; ++c)
                if (lowest[c]) pits.push_back({surface_(r, c), static_cast<cell_index>(r * surface_.width() + c)});
        }
        return pits;
    }

    // The pits whose regions reach the border of their tile. Each tile is worked on by one thread; it changes no cell
    // of its border, so that others may read those.
    std::vector<pit<F>> by_tiles(std::size_t side, bool find, std::vector<pit<F>> given) {
        const auto across = (surface_.width() + side - 1) / side, down = (surface_.height() + side - 1) / side;
        const auto tile = [&](std::size_t k) {
            const auto top = k / across * side, left = k % across * side;
            return box{top, std::min(top + side, surface_.height()), left, std::min(left + side, surface_.width())};
        };
        std::vector<std::vector<pit<F>>> pits(across * down);
        for (std::size_t k = 0; k < pits.size(); ++k)
            along(tile(k), [](std::uint8_t m) { return static_cast<std::uint8_t>(m | tile_border); });
        for (const auto& p : given)
            pits[p.cell / surface_.width() / side * across + p.cell % surface_.width() / side].push_back(p);

        gdalmcp::crew workers{limits_.threads};
        std::vector<room> rooms(workers.size());
        for (std::size_t k = 0; k < pits.size(); ++k) {
            if (tick_) tick_(static_cast<double>(k) / static_cast<double>(pits.size()));
            workers.run([&, k](std::size_t worker) {
                if (find) pits[k] = pits_in(tile(k));
                if (!find) forget_waiting(tile(k));
                std::vector<pit<F>> left;
                grow_all(pits[k], rooms[worker], &left);
                pits[k] = std::move(left);
            });
        }
        workers.wait();
        for (std::size_t k = 0; k < pits.size(); ++k)
            along(tile(k), [](std::uint8_t m) { return static_cast<std::uint8_t>(m & ~tile_border); });
        std::vector<pit<F>> left;
        for (const auto& p : pits) left.insert(left.end(), p.begin(), p.end());
        return left;
    }

    // Of smaller tiles: in this one, cells of one flat wait for one pit again.
    void forget_waiting(const box& b) {
        for (auto r = b.top; r < b.bottom; ++r)
            for (auto c = b.left; c < b.right; ++c) marks_(r, c) &= static_cast<std::uint8_t>(~waiting);
    }

    // From the highest pit down: a lower one then finds the region of a higher one raised as a whole.
    void grow_all(std::vector<pit<F>>& pits, room& r, std::vector<pit<F>>* deferred) {
        std::sort(pits.begin(), pits.end(), later{});
        std::size_t done = 0;
        for (const auto& p : pits) {
            if (tick_ && !deferred && done++ % 1024 == 0) tick_(0.99);
            if ((marks_[p.cell] & (settled | waiting)) || surface_[p.cell] != p.height) continue;
            if (spent()) return;
            r.visits = 0;
            if (grow(p, r) == outcome::deferred && deferred) deferred->push_back(p);
            visits_.fetch_add(r.visits, std::memory_order_relaxed);
        }
    }

    outcome grow(const pit<F>& from, room& r) {
        r.shore.clear();
        r.level.clear();
        r.region.clear();
        F level = from.height;
        visit(from.cell, r);
        r.level.push_back(from.cell);
        for (;;) {
            cell_index cell;
            if (!r.level.empty()) {
                cell = r.level.back();
                r.level.pop_back();
            } else if (!r.shore.empty()) {
                level = r.shore.front().height;
                cell = r.shore.front().cell;
                std::pop_heap(r.shore.begin(), r.shore.end(), later{});
                r.shore.pop_back();
            } else {
                return leave(r, outcome::closed, level);
            }
            if (marks_[cell] & raster_border) return leave(r, outcome::spilled, level);
            const bool flat = level == from.height;
            if (marks_[cell] & tile_border) return leave(r, outcome::deferred, level, flat);
            const auto seen = look_around(cell, level, flat, r);
            if (seen == look::lower) return leave(r, outcome::spilled, level);
            if (seen == look::waiting_flat) return leave(r, outcome::waits, level, flat);
        }
    }

    void visit(cell_index cell, room& r) {
        marks_[cell] |= visited;
        r.region.push_back(cell);
    }

    // What the neighbours tell; where none lies below the level, all of them belong to the region or its shore. flat:
    // the level is still that of the pit, and no cell of the region below it; then a settled cell as high leads to a
    // lower one.
    look look_around(cell_index cell, F level, bool flat, room& r) {
        auto seen = look::inside;
        for (const auto step : step_) {
            const auto n = static_cast<cell_index>(static_cast<std::ptrdiff_t>(cell) + step);
            if (marks_[n] & visited) continue;
            const F height = surface_[n];
            if (height < level) return look::lower;
            if (flat && height == level) {
                if ((marks_[n] & (settled | is_enclosed)) == settled) return look::lower;
                if (marks_[n] & waiting) seen = look::waiting_flat;
            }
            if (height == infinity) continue;
            visit(n, r);
            if (height == level) {
                r.level.push_back(n);
            } else {
                r.shore.push_back({height, n});
                std::push_heap(r.shore.begin(), r.shore.end(), later{});
            }
        }
        return seen;
    }

    // flat: the cells at the level are those of a flat floor.
    outcome leave(room& r, outcome end, F level, bool flat = false) {
        for (const auto cell : r.region) {
            auto m = static_cast<std::uint8_t>(marks_[cell] & ~visited);
            if (end == outcome::closed) {
                m |= settled | is_enclosed;
                enclosed_.store(true, std::memory_order_relaxed);
            }
            if (end == outcome::spilled && surface_[cell] <= level) {
                if (surface_[cell] < level) surface_[cell] = level;  // -0.0 stays -0.0
                m |= settled;
            }
            if (flat && surface_[cell] == level) m |= waiting;
            marks_[cell] = m;
        }
        r.visits += r.region.size();
        return end;
    }

    std::vector<std::size_t> enclosed_cells() const {
        std::vector<std::size_t> cells;
        for (std::size_t i = 0; enclosed_ && i < marks_.size(); ++i)
            if (marks_[i] & is_enclosed) cells.push_back(i);
        return cells;
    }

    grid<F>& surface_;
    grid<std::uint8_t> marks_;
    growth_limits limits_;
    const progress& tick_;
    std::array<std::ptrdiff_t, 8> step_{};
    std::uint64_t most_visits_ = 0;
    std::atomic<std::uint64_t> visits_{0};
    std::atomic<bool> enclosed_{false};  // any cell is
};

}  // namespace

template <class F>
grown_depressions grow_depressions(grid<F>& surface, const grid<footprint>& land, const growth_limits& limits,
                                   const progress& tick) {
    if (surface.size() == 0) return {};
    return growth<F>{surface, land, limits, tick}.run();
}

template grown_depressions grow_depressions(grid<float>&, const grid<footprint>&, const growth_limits&,
                                            const progress&);
template grown_depressions grow_depressions(grid<double>&, const grid<footprint>&, const growth_limits&,
                                            const progress&);

}  // namespace gdalmcp_hydrology
