#include <raster/statistics.hpp>

#include "catch.hpp"

#include <cmath>
#include <limits>

using gdalmcp_raster::statistics;

namespace {

statistics of(const std::vector<double>& cells, bool whole = false, std::vector<unsigned char> valid = {}) {
    statistics s{whole};
    if (valid.empty()) valid.assign(cells.size(), 255);
    s.add(cells.data(), valid.data(), cells.size());
    return s;
}

}  // namespace

TEST_CASE("mean and population standard deviation of 2 4 4 4 5 5 7 9 are 5 and 2") {
    for (const bool whole : {false, true}) {
        const auto s = of({2, 4, 4, 4, 5, 5, 7, 9}, whole);
        CHECK(s.mean() == 5);
        CHECK(s.std() == Approx(2).epsilon(1e-15));
        CHECK(s.sum() == 40);
        CHECK(s.min() == 2);
        CHECK(s.max() == 9);
    }
}

TEST_CASE("nodata, NaN and infinite cells are counted apart and enter nothing") {
    const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
    const auto s = of({1, -9999, nan, inf, -inf, 3}, false, {255, 0, 255, 255, 255, 255});
    CHECK(s.counts().valid == 2);
    CHECK(s.counts().nodata == 1);
    CHECK(s.counts().nan == 1);
    CHECK(s.counts().infinite == 2);
    CHECK(s.min() == 1);
    CHECK(s.max() == 3);
    CHECK(s.mean() == 2);
}

TEST_CASE("sums of 32-bit integers are exact") {
    const std::vector<double> cells(100000, 4294967295.0);
    const auto s = of(cells, true);
    CHECK(s.sum() == 429496729500000.0);
    CHECK(s.mean() == 4294967295.0);
    CHECK(s.std() == 0);
}

TEST_CASE("a small spread on a large offset keeps its standard deviation") {
    for (const bool whole : {false, true}) {
        const auto s = of({1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4}, whole);
        CHECK(s.std() == Approx(std::sqrt(1.25)).epsilon(1e-12));
    }
}

TEST_CASE("percentiles are linear between ranks") {
    auto s = of({15, 20, 35, 40, 50});  // the example of Hyndman & Fan's type 7 in R: quantile(x, 0.4) = 29
    CHECK(s.percentile(40) == 29);
    CHECK(s.percentile(50) == 35);
    CHECK(s.percentile(0) == 15);
    CHECK(s.percentile(100) == 50);
    CHECK_FALSE(s.approximate());
}

TEST_CASE("bytes tallied by value have the percentiles and histogram of the cells themselves") {
    statistics tallied{true, std::array<double, 2>{0, 255}}, kept{true};
    std::vector<double> cells;
    for (int i = 0; i < 1000; ++i) cells.push_back((i * 37) % 256);
    const std::vector<unsigned char> valid(cells.size(), 255);
    tallied.add(cells.data(), valid.data(), cells.size());
    kept.add(cells.data(), valid.data(), cells.size());
    for (const double p : {0.0, 2.0, 33.3, 50.0, 98.0, 100.0})
        CHECK(tallied.percentile(p) == Approx(kept.percentile(p)));
    CHECK(tallied.histogram(7) == kept.histogram(7));
}

TEST_CASE("the last bin of a histogram holds the maximum") {
    auto s = of({0, 1, 2, 3, 4});
    CHECK(s.histogram(2) == std::vector<std::int64_t>{2, 3});
    auto constant = of({7, 7, 7});
    CHECK(constant.histogram(3) == std::vector<std::int64_t>{3, 0, 0});
}

TEST_CASE("more cells than are kept give percentiles within a millionth of the range, and say so") {
    statistics s{false};
    std::vector<double> cells(1'000'000);
    const std::vector<unsigned char> valid(cells.size(), 255);
    const auto block = [&](std::size_t b) {
        for (std::size_t i = 0; i < cells.size(); ++i)
            cells[i] = static_cast<double>((b * cells.size() + i) * 7919 % 17'000'000);
    };
    for (std::size_t b = 0; b < 17; ++b) {
        block(b);
        s.add(cells.data(), valid.data(), cells.size());
    }
    REQUIRE(s.needs_second_pass());
    for (std::size_t b = 0; b < 17; ++b) {
        block(b);
        s.refine(cells.data(), valid.data(), cells.size());
    }
    CHECK(s.approximate());
    // 7919 and 17 000 000 have no common factor: the cells are 0 … 16 999 999, each once.
    CHECK(s.percentile(25) == Approx(0.25 * 16'999'999).margin(17));
    CHECK(s.percentile(50) == Approx(0.50 * 16'999'999).margin(17));
    CHECK(s.mean() == Approx(8'499'999.5).epsilon(1e-12));
}
