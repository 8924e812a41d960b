#include <maps/histogram.hpp>

#include "catch.hpp"

using namespace gdalmcp_maps;

using limits = std::vector<double>;
using sizes = std::vector<std::int64_t>;

TEST_CASE("equal intervals hold their lower edge, the last both") {
    const auto h = histogram_of({0, 1, 2, 2, 4}, 4, false, false);
    CHECK(h.edges == limits{0, 1, 2, 3, 4});
    CHECK(h.counts == sizes{1, 1, 2, 1});
}

TEST_CASE("without a number of bins their edges are round") {
    // Nine values: Sturges' width is 0.8 / (log2 9 + 1) = 0.19.
    const auto h = histogram_of({0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}, {}, false, false);
    CHECK(h.edges == limits{0, 0.2, 0.4, 0.6, 0.8, 1});
    CHECK(h.counts == sizes{1, 2, 2, 2, 2});
}

TEST_CASE("a value at the edge that it is written as lies above it") {
    std::vector<double> values;
    for (int i = 0; i <= 100; ++i) values.push_back(i / 100.0);
    const auto h = histogram_of(values, {}, false, false);
    for (std::size_t i = 0; i + 1 < h.counts.size(); ++i) CHECK(h.counts[i] == h.counts[0]);
    CHECK(h.counts.back() == h.counts[0] + 1);
    CHECK(h.edges.back() == 1);
}

TEST_CASE("each of a few whole numbers has its own interval") {
    const auto h = histogram_of({1, 1, 2, 3, 3, 3}, {}, false, true);
    CHECK(h.edges == limits{1, 2, 3, 4});
    CHECK(h.counts == sizes{2, 1, 3});
}

TEST_CASE("one value alone is one interval around it") {
    CHECK(histogram_of({5, 5}, {}, false, false).edges == limits{4.5, 5.5});
    CHECK(histogram_of({5, 5}, 7, false, false).counts == sizes{2});
    CHECK(histogram_of({5}, {}, true, false).edges == limits{2.5, 10});
}

TEST_CASE("logarithmic intervals have equal ratios") {
    const auto h = histogram_of({1, 5, 10, 50, 1000}, 3, true, false);
    REQUIRE(h.edges.size() == 4);
    CHECK(h.edges[1] == Approx(10));
    CHECK(h.edges[3] == 1000);
    CHECK(h.counts[0] + h.counts[1] + h.counts[2] == 5);
}

TEST_CASE("extreme values make no more than fifty intervals or so") {
    std::vector<double> values(1000, 0.0);
    for (int i = 0; i < 1000; ++i) values[static_cast<std::size_t>(i)] = i;
    values.push_back(1e9);
    CHECK(histogram_of(values, {}, false, false).counts.size() <= 52);
}

TEST_CASE("values that differ by a rounding are one interval") {
    const double near = 0.1 + 0.2;
    CHECK(histogram_of({0.3, 0.3, near}, {}, false, false).counts == sizes{3});
    CHECK(histogram_of({100, 100.00000000000003}, {}, true, false).counts == sizes{2});
}
