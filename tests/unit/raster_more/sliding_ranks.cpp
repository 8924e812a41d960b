#include <raster_more/sliding_ranks.hpp>

#include <random>

#include "catch.hpp"

using namespace gdalmcp_raster_more;

namespace {

// Rows of cells, with `halo` more on each side that only windows reach.
struct cell_rows {
    int rows, columns, halo;
    std::vector<double> cells;
    std::vector<unsigned char> valid;

    int stride() const { return columns + 2 * halo; }
    std::size_t first_of(int row) const { return static_cast<std::size_t>((row + halo) * stride() + halo); }
    focal_cells from(std::size_t at) const { return {&cells[at], &valid[at], stride(), -2, 7}; }
};

using values = std::vector<double>;

constexpr double without = -1e9;

values slid(focal_statistic s, const std::vector<focal_neighbour>& window, const cell_rows& of) {
    sliding_ranks ranks{window};
    ranks.rank(of.from(0), of.cells.size());
    values out(static_cast<std::size_t>(of.rows * of.columns));
    for (int row = 0; row < of.rows; ++row)
        ranks.slide(s, of.first_of(row), static_cast<std::size_t>(of.columns), without,
                    &out[static_cast<std::size_t>(row * of.columns)]);
    return out;
}

values looked_at(focal_statistic s, const std::vector<focal_neighbour>& window, const cell_rows& of) {
    focal_scratch scratch;
    values out(static_cast<std::size_t>(of.rows * of.columns));
    for (int row = 0; row < of.rows; ++row)
        focal(s, window, of.from(of.first_of(row)), static_cast<std::size_t>(of.columns), without,
              &out[static_cast<std::size_t>(row * of.columns)], scratch);
    return out;
}

}  // namespace

TEST_CASE("a window of three cells slides along a row") {
    const cell_rows row{1, 4, 1, values(18), std::vector<unsigned char>(18, 0)};
    auto four = row;  // 3 9 9 4
    for (const auto& [at, v] : {std::pair{7, 3.0}, {8, 9.0}, {9, 9.0}, {10, 4.0}}) {
        four.cells[static_cast<std::size_t>(at)] = (v - 7) / -2;
        four.valid[static_cast<std::size_t>(at)] = 1;
    }
    const auto three = rectangle(1, 3);
    CHECK(slid(focal_statistic::median, three, four) == values{6, 9, 9, 6.5});
    CHECK(slid(focal_statistic::min, three, four) == values{3, 3, 4, 4});
    CHECK(slid(focal_statistic::max, three, four) == values{9, 9, 9, 9});
    CHECK(slid(focal_statistic::variety, three, four) == values{2, 2, 2, 2});
    CHECK(slid(focal_statistic::majority, three, four) == values{3, 9, 9, 4});
    CHECK(slid(focal_statistic::minority, three, four) == values{3, 3, 4, 4});
}

TEST_CASE("a sliding window has the values of one whose cells are all looked at, bit by bit") {
    std::mt19937 random{3};
    for (const int kinds : {2, 7, 100'000})
        for (const auto& window : {rectangle(9, 5), circle(6.5, 1, 1), circle(4, 1, 0.7)}) {
            cell_rows of{20, 30, 6, values(32 * 42), std::vector<unsigned char>(32 * 42)};
            for (auto& v : of.cells) v = static_cast<double>(random() % static_cast<unsigned>(kinds)) / 3;
            for (auto& v : of.valid) v = random() % 5 != 0;
            for (const auto s : {focal_statistic::min, focal_statistic::max, focal_statistic::range,
                                 focal_statistic::median, focal_statistic::count, focal_statistic::variety,
                                 focal_statistic::majority, focal_statistic::minority}) {
                CAPTURE(kinds, window.size(), static_cast<int>(s));
                CHECK(slid(s, window, of) == looked_at(s, window, of));
            }
        }
}

TEST_CASE("sums are not had from counts, nor the majority of more values than cells") {
    cell_rows of{20, 30, 6, values(32 * 42), std::vector<unsigned char>(32 * 42, 1)};
    for (std::size_t i = 0; i < of.cells.size(); ++i) of.cells[i] = static_cast<double>(i);
    sliding_ranks ranks{rectangle(9, 9)};
    ranks.rank(of.from(0), of.cells.size());
    CHECK(ranks.suits(focal_statistic::median));
    CHECK_FALSE(ranks.suits(focal_statistic::mean));
    CHECK_FALSE(ranks.suits(focal_statistic::majority));
}
