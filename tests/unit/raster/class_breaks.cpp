#include <raster/class_breaks.hpp>
#include <raster/class_rules.hpp>

#include "catch.hpp"

using namespace gdalmcp_raster;
using list = std::vector<double>;

TEST_CASE("equal intervals divide the range") {
    CHECK(equal_intervals(0, 10, 5) == list{2, 4, 6, 8});
    CHECK(equal_intervals(-1, 1, 2) == list{0});
}

TEST_CASE("Otsu's break lies in the gap between two humps, and each further class takes one more hump") {
    // Bins 0 to 1, 1 to 2, … of a histogram with humps at both ends.
    const value_histogram two{0, 10, {1, 8, 1, 0, 0, 0, 0, 2, 9, 2}};
    CHECK(least_variance(two, 2) == list{7});
    const value_histogram three{0, 9, {5, 5, 0, 0, 5, 0, 0, 5, 5}};
    CHECK(least_variance(three, 3) == list{4, 7});
    // As many classes as bins with cells: each is its own.
    CHECK(least_variance({0, 4, {1, 0, 1, 1}}, 3) == list{2, 3});
}

TEST_CASE("the breaks are the best of all there could be") {
    const value_histogram h{0, 8, {3, 1, 4, 1, 5, 9, 2, 6}};
    const auto within = [&](std::size_t a, std::size_t b) {  // squared deviations of bins [a, b)
        double n = 0, sum = 0, squares = 0;
        for (auto i = a; i < b; ++i) {
            const double c = static_cast<double>(h.counts[i]), x = static_cast<double>(i) + 0.5;
            n += c, sum += c * x, squares += c * x * x;
        }
        return squares - sum * sum / n;
    };
    double best = 1e9;
    list expected;
    for (std::size_t i = 1; i < 7; ++i)
        for (std::size_t j = i + 1; j < 8; ++j)
            if (const double all = within(0, i) + within(i, j) + within(j, 8); all < best) {
                best = all;
                expected = {static_cast<double>(i), static_cast<double>(j)};
            }
    CHECK(least_variance(h, 3) == expected);
}

TEST_CASE("a class holds its lower end and not its upper one, unless it is closed") {
    const class_table t{{{2, 5, 20}, {0, 2, 10}, {7, 9, 30, "", true}}};
    const list values{-0.1, 0, 2, 4.999, 5, 9, 9.001, NAN};
    std::vector<std::int32_t> codes(values.size());
    t.codes_of(values.data(), values.size(), codes.data());
    CHECK(codes == std::vector<std::int32_t>{-1, 10, 20, 20, -1, 30, -1, -1});
    CHECK(overlap_of(t).first == nullptr);
}

TEST_CASE("single precision finds the classes that double precision finds") {
    const class_table t{{{2, 5, 20}, {0.25, 2, 10}}};
    REQUIRE(t.single());
    CHECK_FALSE(class_table{{{0.1, 2, 10}}}.single());
    CHECK_FALSE(class_table{{{0, 2, 10, "", true}}}.single());  // it ends with the double behind 2
    const std::vector<float> values{-1, 0.24999999F, 0.25, 2, 4.9999995F, 5, NAN};
    std::vector<std::int32_t> codes(values.size());
    t.codes_of(values.data(), values.size(), codes.data());
    CHECK(codes == std::vector<std::int32_t>{-1, -1, 10, 20, 20, -1, -1});
}

TEST_CASE("a value is found among many rules as among few") {
    std::vector<class_rule> rules;
    for (int k = 0; k < 100; ++k) rules.push_back({k * 10.0, k * 10.0 + 5, k});
    const class_table t{rules};
    const list values{-1, 0, 4, 5, 9.5, 10, 990, 994.5, 995, 1e300, NAN};
    std::vector<std::int32_t> codes(values.size());
    t.codes_of(values.data(), values.size(), codes.data());
    CHECK(codes == std::vector<std::int32_t>{-1, 0, 0, -1, -1, 1, 99, 99, -1, -1, -1});
}

TEST_CASE("rules that share a value are found") {
    CHECK(overlap_of(class_table{{{0, 3, 1}, {2, 4, 2}}}).second->code == 2);
    CHECK(overlap_of(class_table{{{0, 3, 1, "", true}, {3, 4, 2}}}).second->code == 2);
    CHECK(overlap_of(class_table{{{0, 3, 1}, {3, 4, 2}}}).first == nullptr);
}
