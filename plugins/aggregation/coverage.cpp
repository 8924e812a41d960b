#include "coverage.hpp"

#include <algorithm>
#include <cmath>

namespace gdalmcp_aggregation {
namespace {

class area_accumulator {
public:
    explicit area_accumulator(const window& block)
        : block_{block}, stride_{block.width + 1}, change_(stride_ * block.height, 0.0) {}

    // sign: 1 if the ring bounds the zone from outside, -1 for a hole; the ring's own winding does not matter.
    void add(const ring& r, double sign) {
        const double winding = signed_area(r) > 0 ? -sign : sign;
        for (std::size_t i = 0; i < r.size(); ++i) add_edge(r[i], r[(i + 1) % r.size()], winding);
    }

    std::vector<double> shares() const {
        std::vector<double> shares;
        shares.reserve(block_.size());
        for (std::size_t row = 0; row < block_.height; ++row) {
            double covered = 0;
            for (std::size_t column = 0; column < block_.width; ++column) {
                covered += change_[row * stride_ + column];
                shares.push_back(rounded(covered));
            }
        }
        return shares;
    }

private:
    static double rounded(double share) {
        if (share < coverage_rounding) return 0;
        return share > 1 - coverage_rounding ? 1 : share;
    }

    // An edge is always walked downwards, so that two zones sharing it compute the very same numbers.
    void add_edge(point from, point to, double winding) {
        if (from.y == to.y) return;
        if (from.y > to.y) {
            std::swap(from, to);
            winding = -winding;
        }
        const auto left = static_cast<double>(block_.column), top = static_cast<double>(block_.row);
        const auto height = static_cast<double>(block_.height);
        const double slope = (to.x - from.x) / (to.y - from.y);
        const auto x_at = [&](double y) {  // y in rows of the block
            if (y >= to.y - top) return to.x - left;
            if (y <= from.y - top) return from.x - left;
            const auto [low, high] = std::minmax(from.x, to.x);
            return std::clamp(from.x + (y + top - from.y) * slope, low, high) - left;
        };
        const double begin = std::max(from.y - top, 0.0), end = std::min(to.y - top, height);
        for (double y = begin; y < end;) {
            const double row = std::floor(y), next = std::min(row + 1, end);
            add_in_row(static_cast<std::size_t>(row), x_at(y), x_at(next), winding * (next - y));
            y = next;
        }
    }

    // A piece of an edge inside one row, from x = a to b, dropping by `fall` (signed) in all.
    void add_in_row(std::size_t row, double a, double b, double fall) {
        double* change = change_.data() + row * stride_;
        const auto width = static_cast<double>(block_.width);
        const auto [low, high] = std::minmax(a, b);
        if (low >= width) return;
        if (high <= 0) {
            change[0] += fall;
            return;
        }
        const double per_column = high > low ? fall / (high - low) : 0;
        if (low < 0) change[0] += per_column * -low;
        for (double x = std::max(low, 0.0);;) {
            const double column = std::floor(x), next = std::min(column + 1, high);
            const double piece = high > low ? per_column * (next - x) : fall;
            const double covered = piece * (column + 1 - (x + next) / 2);  // the part of the cell to the right
            const auto index = static_cast<std::size_t>(column);
            change[index] += covered;
            change[index + 1] += piece - covered;
            x = next;
            if (x >= high || x >= width) return;
        }
    }

    window block_;
    std::size_t stride_;
    std::vector<double> change_;  // of the covered share, from each cell to the next
};

std::vector<double> cover_fractions(const zone& outline, const window& block) {
    area_accumulator areas{block};
    for (const auto& part : outline) {
        areas.add(part.exterior, 1);
        for (const auto& hole : part.holes) areas.add(hole, -1);
    }
    return areas.shares();
}

// Where the outline of `part` crosses the horizontal through `y`, from left to right.
std::vector<double> crossings(const polygon& part, double y) {
    std::vector<double> found;
    const auto cross = [&](const ring& r) {
        for (std::size_t i = 0; i < r.size(); ++i) {
            auto p = r[i], q = r[(i + 1) % r.size()];
            if ((p.y <= y) == (q.y <= y)) continue;
            if (p.y > q.y) std::swap(p, q);
            found.push_back(p.x + (y - p.y) * ((q.x - p.x) / (q.y - p.y)));
        }
    };
    cross(part.exterior);
    for (const auto& hole : part.holes) cross(hole);
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<double> cover_centers(const zone& outline, const window& block) {
    std::vector<double> shares(block.size(), 0.0);
    const auto left = static_cast<double>(block.column), width = static_cast<double>(block.width);
    // The first column whose centre lies at or right of x.
    const auto first_column = [&](double x) {
        return static_cast<std::size_t>(std::clamp(std::ceil(x - left - 0.5), 0.0, width));
    };
    for (std::size_t row = 0; row < block.height; ++row)
        for (const auto& part : outline) {
            const auto x = crossings(part, static_cast<double>(block.row + row) + 0.5);
            for (std::size_t i = 0; i + 1 < x.size(); i += 2)
                std::fill(shares.begin() + static_cast<std::ptrdiff_t>(row * block.width + first_column(x[i])),
                          shares.begin() + static_cast<std::ptrdiff_t>(row * block.width + first_column(x[i + 1])),
                          1.0);
        }
    return shares;
}

}  // namespace

std::vector<double> cover(const zone& outline, const window& block, coverage_rule rule) {
    if (rule == coverage_rule::center) return cover_centers(outline, block);
    auto shares = cover_fractions(outline, block);
    if (rule == coverage_rule::all_touched)
        for (auto& share : shares) share = share > 0 ? 1 : 0;
    return shares;
}

}  // namespace gdalmcp_aggregation
