// coverage.hpp — the share of each cell of a grid that a zone covers.
//
//     zone_cover cover{outline, rows, columns, coverage_rule::fraction};
//     cover.rows(0, 256, work, found);     // runs of cells covered alike, row by row, left to right
//     cover.rows(256, 512, work, found);   // later rows after earlier ones
//
// The fraction is exact but for rounding: every edge adds, to each row it passes, the area to its right; a running sum
// along the row then gives the covered share (the signed-area accumulation of scan converters). Work is proportional to
// the edges' cells plus the cells between the outline's first and last in each row. The share of a cell depends on the
// outline alone, to the last bit: not on the rows requested at once.
#pragma once
#include <cstdint>

#include "zone.hpp"

namespace gdalmcp_aggregation {

enum class coverage_rule {
    fraction,    // the share of the cell's area inside the zone
    center,      // 1 if the cell's centre is inside, else 0; a centre on a shared border belongs to one zone only
    all_touched  // 1 if any area of the cell is inside, else 0; touching along a side or corner does not count
};

// Shares closer than this to 0 or 1 are taken as 0 or 1: far above rounding, far below any effect on a statistic.
inline constexpr double coverage_rounding = 1e-9;

// Cells [column, column + length) of a row, all covered by the same share, 0 < share <= 1.
struct span {
    std::size_t row, column, length;
    double share;
};

// Scratch memory reused by the covers of one thread.
struct cover_work {
    struct touched {
        std::size_t first, last;
    };
    std::vector<double> change;  // all 0 between uses
    std::vector<touched> rows;
    std::vector<std::vector<double>> crossings;
};

class zone_cover {
public:
    // REQUIRES: a valid outline (see zone.hpp), which may reach beyond the grid.
    zone_cover(const zone& outline, std::size_t rows, std::size_t columns, coverage_rule rule);

    const window& where() const { return where_; }  // the cells it may cover

    // Appends the spans of rows [begin, end). REQUIRES: begin >= the end of the call before.
    void rows(std::size_t begin, std::size_t end, cover_work& work, std::vector<span>& out);

private:
    struct edge {
        point from, to;  // from.y < to.y
        double winding;  // 1 where the zone lies to its right
    };

    void add(const ring& r, double sign);
    void reach(std::size_t end);
    void cover_areas(std::size_t begin, std::size_t end, cover_work& work, std::vector<span>& out) const;
    void cover_centers(std::size_t begin, std::size_t end, cover_work& work, std::vector<span>& out) const;

    coverage_rule rule_;
    window where_;
    std::vector<edge> edges_;  // by from.y
    std::vector<std::size_t> live_;
    std::size_t next_ = 0;  // the first edge not yet active
};

// Row-major shares of the cells of `block`. REQUIRES: a valid outline.
std::vector<double> cover(const zone& outline, const window& block, coverage_rule rule);

}  // namespace gdalmcp_aggregation
