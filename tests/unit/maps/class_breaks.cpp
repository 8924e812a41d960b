#include <maps/class_breaks.hpp>

#include <algorithm>
#include <limits>

#include "catch.hpp"

using namespace gdalmcp_maps;

namespace {

using values = std::vector<double>;

double spread(const values& sorted, const values& breaks) {
    double total = 0;
    std::size_t from = 0;
    for (std::size_t k = 0; k <= breaks.size(); ++k) {
        std::size_t to = from;
        double sum = 0;
        while (to < sorted.size() && (k == breaks.size() || sorted[to] < breaks[k])) sum += sorted[to++];
        const double mean = sum / static_cast<double>(to - from);
        for (; from < to; ++from) total += (sorted[from] - mean) * (sorted[from] - mean);
    }
    return total;
}

}  // namespace

TEST_CASE("natural breaks lie in the gaps") {
    CHECK(natural_breaks({1, 2, 3, 10, 11, 12, 50, 51}, 3) == values{10, 50});
    CHECK(natural_breaks({1, 1, 1, 1, 2, 9}, 2) == values{9});
    CHECK(natural_breaks({4, 4, 4}, 5).empty());
    CHECK(natural_breaks({1, 2, 2, 3}, 9) == values{2, 3});
}

TEST_CASE("no other three classes deviate less than natural breaks") {
    values sorted;
    for (int i = 0; i < 40; ++i) sorted.push_back(0.1 * i * i + (i % 7));
    std::sort(sorted.begin(), sorted.end());
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < sorted.size(); ++i)
        for (std::size_t j = i + 1; j < sorted.size(); ++j)
            if (sorted[i] > sorted[i - 1] && sorted[j] > sorted[j - 1])
                least = std::min(least, spread(sorted, {sorted[i], sorted[j]}));
    CHECK(spread(sorted, natural_breaks(sorted, 3)) == Approx(least));
}

TEST_CASE("a hundred thousand values have natural breaks") {
    values sorted;
    for (int i = 0; i < 100'000; ++i) sorted.push_back(i < 30'000 ? i : i + 1e6);
    CHECK(natural_breaks(sorted, 2) == values{1'030'000});
    CHECK(natural_breaks(sorted, 9).size() == 8);
}

TEST_CASE("equal classes have equal widths") {
    CHECK(equal_breaks({0, 1, 10}, 5) == values{2, 4, 6, 8});
    CHECK(equal_breaks({3, 3}, 5).empty());
}

TEST_CASE("breaks by standard deviation are those between the values") {
    // Mean 3, deviation 2.
    const auto d = standard_deviation_breaks({1, 1, 5, 5});
    CHECK(d.mean == 3);
    CHECK(d.deviation == 2);
    CHECK(d.breaks == values{2, 4});
    CHECK(d.first == 2);
    CHECK(standard_deviation_breaks({7, 7}).breaks.empty());
}

TEST_CASE("values that differ by a rounding have no classes of equal width") {
    CHECK(equal_breaks({0.3, 0.1 + 0.2}, 5).empty());
    CHECK(equal_breaks({0, 10}, 2) == values{5});
}
