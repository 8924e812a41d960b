#include "coverage.hpp"

#include <algorithm>
#include <cmath>

namespace gdalmcp_aggregation {
namespace {

constexpr std::size_t cells_at_once = std::size_t{1} << 16;  // 512 KB: stays in a core's cache

double rounded(double share) {
    if (share < coverage_rounding) return 0;
    return share > 1 - coverage_rounding ? 1 : share;
}

// Adds the cells of a row one after the other, joining equal neighbours.
class row_writer {
public:
    row_writer(std::size_t row, bool whole, std::vector<span>& out)
        : row_{row}, whole_{whole}, first_{out.size()}, out_{out} {}

    void add(std::size_t column, std::size_t length, double share) {
        if (share == 0 || length == 0) return;
        if (whole_) share = 1;
        if (out_.size() > first_ && out_.back().share == share && out_.back().column + out_.back().length == column)
            out_.back().length += length;
        else
            out_.push_back({row_, column, length, share});
    }

private:
    std::size_t row_;
    bool whole_;
    std::size_t first_;
    std::vector<span>& out_;
};

// Differences from each cell to the next in the covered shares of some rows.
class area_accumulator {
public:
    area_accumulator(const window& block, cover_work& work)
        : block_{block}, stride_{block.width + 1}, change_{work.change}, touched_{work.rows} {
        if (change_.size() < stride_ * block.height) change_.resize(stride_ * block.height, 0.0);
        touched_.assign(block.height, {block.width, 0});
    }

    // An edge is always walked downwards, so that two zones sharing it compute the very same numbers.
    void add_edge(const point& from, const point& to, double winding) {
        const auto left = static_cast<double>(block_.column), top = static_cast<double>(block_.row);
        const double slope = (to.x - from.x) / (to.y - from.y);
        const auto [low, high] = std::minmax(from.x, to.x);
        const auto x_at = [&, low_x = low, high_x = high](double y) {
            if (y >= to.y) return to.x - left;
            if (y <= from.y) return from.x - left;
            return std::clamp(from.x + (y - from.y) * slope, low_x, high_x) - left;
        };
        const double end = std::min(to.y, top + static_cast<double>(block_.height));
        double y = std::max(from.y, top);
        for (double a = x_at(y); y < end;) {
            const double row = std::floor(y), next = std::min(row + 1, end), b = x_at(next);
            add_in_row(static_cast<std::size_t>(row) - block_.row, a, b, winding * (next - y));
            y = next;
            a = b;
        }
    }

    void write(bool whole, std::vector<span>& out) {
        for (std::size_t row = 0; row < block_.height; ++row) {
            const auto [first, last] = touched_[row];
            if (first >= block_.width) continue;
            row_writer writer{block_.row + row, whole, out};
            double* change = change_.data() + row * stride_;
            double covered = 0;
            const auto stop = std::min(last + 1, block_.width);
            for (std::size_t column = first; column < block_.width;) {
                covered += change[column];
                change[column] = 0;
                auto next = column + 1;
                while (next < stop && change[next] == 0) ++next;
                if (next == stop)
                    next = block_.width;  // the outline closes beyond the grid's right edge, or not at all
                writer.add(block_.column + column, next - column, rounded(covered));
                column = next;
            }
            change[block_.width] = 0;
        }
    }

private:
    // A piece of an edge inside one row, from x = a to b, dropping by `fall` (signed) in all.
    void add_in_row(std::size_t row, double a, double b, double fall) {
        double* change = change_.data() + row * stride_;
        auto& touched = touched_[row];
        const auto width = static_cast<double>(block_.width);
        const auto [low, high] = std::minmax(a, b);
        if (low >= width) return;
        if (high <= 0) {
            change[0] += fall;
            touched.first = 0;
            return;
        }
        const double per_column = high > low ? fall / (high - low) : 0;
        if (low < 0) change[0] += per_column * -low;
        double x = std::max(low, 0.0);
        auto column = static_cast<std::size_t>(x);
        touched.first = std::min(touched.first, column);
        for (;; ++column) {
            const double end = static_cast<double>(column + 1), next = std::min(end, high);
            const double piece = high > low ? per_column * (next - x) : fall;
            const double covered = piece * (end - (x + next) / 2);  // the part of the cell to the right
            change[column] += covered;
            change[column + 1] += piece - covered;
            x = next;
            if (x >= high || x >= width) break;
        }
        touched.last = std::max(touched.last, column + 1);
    }

    window block_;
    std::size_t stride_;
    std::vector<double>& change_;
    std::vector<cover_work::touched>& touched_;  // columns with a change
};

}  // namespace

zone_cover::zone_cover(const zone& outline, std::size_t rows, std::size_t columns, coverage_rule rule)
    : rule_{rule}, where_{enclosing(outline, rows, columns)} {
    std::size_t vertices = 0;
    for (const auto& part : outline) {
        vertices += part.exterior.size();
        for (const auto& hole : part.holes) vertices += hole.size();
    }
    edges_.reserve(vertices);
    for (const auto& part : outline) {
        add(part.exterior, 1);
        for (const auto& hole : part.holes) add(hole, -1);
    }
    std::stable_sort(edges_.begin(), edges_.end(), [](const edge& a, const edge& b) { return a.from.y < b.from.y; });
}

// sign: 1 if the ring bounds the zone from outside, -1 for a hole; the ring's own winding does not matter.
void zone_cover::add(const ring& r, double sign) {
    const double winding = signed_area(r) > 0 ? -sign : sign;
    const auto top = static_cast<double>(where_.row), bottom = static_cast<double>(where_.row + where_.height);
    for (std::size_t i = 0; i < r.size(); ++i) {
        const auto &p = r[i], &q = r[i + 1 < r.size() ? i + 1 : 0];
        if (p.y == q.y || std::max(p.y, q.y) <= top || std::min(p.y, q.y) >= bottom) continue;
        edges_.push_back(p.y < q.y ? edge{p, q, winding} : edge{q, p, -winding});
    }
}

// Activates the edges that begin above row `end`.
void zone_cover::reach(std::size_t end) {
    for (; next_ < edges_.size() && edges_[next_].from.y < static_cast<double>(end); ++next_) live_.push_back(next_);
}

void zone_cover::rows(std::size_t begin, std::size_t end, cover_work& work, std::vector<span>& out) {
    begin = std::max(begin, where_.row);
    end = std::min(end, where_.row + where_.height);
    const auto height = std::max<std::size_t>(1, cells_at_once / (where_.width + 1));
    for (std::size_t row = begin; row < end; row += height) {
        const auto stop = std::min(end, row + height);
        reach(stop);
        if (rule_ == coverage_rule::center)
            cover_centers(row, stop, work, out);
        else
            cover_areas(row, stop, work, out);
        std::erase_if(live_, [&](std::size_t i) { return edges_[i].to.y <= static_cast<double>(stop); });
    }
}

void zone_cover::cover_areas(std::size_t begin, std::size_t end, cover_work& work, std::vector<span>& out) const {
    area_accumulator areas{{begin, where_.column, end - begin, where_.width}, work};
    for (const auto i : live_) areas.add_edge(edges_[i].from, edges_[i].to, edges_[i].winding);
    areas.write(rule_ == coverage_rule::all_touched, out);
}

// Between the crossings of the outline with the horizontal through a row's centres, by pairs from left to right.
void zone_cover::cover_centers(std::size_t begin, std::size_t end, cover_work& work, std::vector<span>& out) const {
    work.crossings.resize(std::max(work.crossings.size(), end - begin));
    for (const auto i : live_) {
        const auto& [from, to, winding] = edges_[i];
        const double first = std::max(std::ceil(from.y - 0.5), static_cast<double>(begin));
        for (double row = first; row < static_cast<double>(end) && row + 0.5 < to.y; ++row)
            work.crossings[static_cast<std::size_t>(row) - begin].push_back(
                from.x + (row + 0.5 - from.y) * ((to.x - from.x) / (to.y - from.y)));
    }
    const auto left = static_cast<double>(where_.column), right = left + static_cast<double>(where_.width);
    // The first column whose centre lies at or right of x.
    const auto first_column = [&](double x) {
        return static_cast<std::size_t>(std::clamp(std::ceil(x - 0.5), left, right));
    };
    for (std::size_t row = begin; row < end; ++row) {
        auto& x = work.crossings[row - begin];
        std::sort(x.begin(), x.end());
        row_writer writer{row, true, out};
        for (std::size_t i = 0; i + 1 < x.size(); i += 2) {
            const auto from = first_column(x[i]);
            writer.add(from, first_column(x[i + 1]) - from, 1);
        }
        x.clear();
    }
}

std::vector<double> cover(const zone& outline, const window& block, coverage_rule rule) {
    std::vector<double> shares(block.size(), 0.0);
    zone_cover zone_shares{outline, block.row + block.height, block.column + block.width, rule};
    cover_work work;
    std::vector<span> spans;
    zone_shares.rows(block.row, block.row + block.height, work, spans);
    for (const auto& s : spans)
        for (std::size_t c = std::max(s.column, block.column); c < s.column + s.length; ++c)
            shares[(s.row - block.row) * block.width + c - block.column] = s.share;
    return shares;
}

}  // namespace gdalmcp_aggregation
