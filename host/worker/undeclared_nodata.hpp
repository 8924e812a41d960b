// The extremes of a band's values, where an undeclared nodata value hides.
#pragma once
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace gdalmcp::worker {

struct suspected_nodata {
    double value = 0;
    double share = 0;  // of the cells seen, 0 to 1
};

class undeclared_nodata {
public:
    // Keeps the value of every `stride`th cell, for the distribution of the others.
    explicit undeclared_nodata(std::size_t stride) : stride_{stride} {}

    void see(const std::vector<double>& cells, const std::vector<unsigned char>& valid);

    // An extreme of -9999, -32768, ±3.4e38, 0 or 255 that holds more than 0.1 % of the cells and lies farther from the
    // next value than values lie from each other there.
    std::optional<suspected_nodata> suspected() const;

private:
    struct tail {
        bool lower;
        double extreme = 0, next = 0;
        std::size_t cells = 0;  // that hold the extreme; `next` counts only when `has_next`
        bool has_next = false;

        bool beyond(double a, double b) const { return lower ? a < b : a > b; }
        // Most values lie well inside.
        bool concerned_by(double v) const { return !has_next || beyond(v, next); }
        void see(double v);
    };
    bool stands_apart(const tail& t) const;

    std::size_t stride_, seen_ = 0, keep_at_ = 1;
    tail low_{true}, high_{false};
    std::vector<double> kept_;
};

}  // namespace gdalmcp::worker
