// strips.hpp — a grid cut into strips of whole rows, which threads work on side by side. How it is cut depends on the
// grid alone, so no result depends on the number of threads.
//
//     strips{directions.extent(), team}.each(tick, [&](const strip& s) { … rows s.top to s.bottom … });
#pragma once
#include <gdalmcp/crew.hpp>

#include <algorithm>

#include "grid.hpp"

namespace gdalmcp_hydrology {

// Who works on a grid.
struct team {
    std::size_t threads = 0;  // besides the caller's; 0: none
    std::size_t rows = 512;   // of a strip
};

// The last row and the last cell excluded.
struct strip {
    std::size_t number, top, bottom, first, last;

    bool holds(std::size_t cell) const { return cell >= first && cell < last; }
};

class strips {
public:
    strips(const shape& extent, const team& by) : extent_{extent}, by_{by} {}

    std::size_t count() const { return (extent_.height + by_.rows - 1) / by_.rows; }
    std::size_t of_row(std::size_t row) const { return row / by_.rows; }

    // work(strip), for all strips at once; in their order without threads.
    template <class Work>
    void each(const progress& tick, Work&& work) const {
        gdalmcp::crew workers{count() > 1 ? by_.threads : 0};
        for (std::size_t k = 0; k < count(); ++k) {
            if (tick) tick(static_cast<double>(k) / static_cast<double>(count()));
            const auto top = k * by_.rows, bottom = std::min(top + by_.rows, extent_.height);
            workers.run([&work, s = strip{k, top, bottom, top * extent_.width, bottom * extent_.width}](std::size_t) {
                work(s);
            });
        }
        workers.wait();
    }

private:
    shape extent_;
    team by_;
};

// The part of a progress from one fraction to another.
inline progress part_of(const progress& tick, double from, double to) {
    if (!tick) return {};
    return [&tick, from, to](double done) { tick(from + (to - from) * done); };
}

}  // namespace gdalmcp_hydrology
