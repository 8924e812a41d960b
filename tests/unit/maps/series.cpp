#include <maps/series.hpp>

#include "catch.hpp"

using namespace gdalmcp_maps;

namespace {

category of(const char* label, const std::vector<double>& values) {
    category c{label, gdalmcp_fields::number_summary{true}};
    for (const double v : values) c.values.add(v, 0);
    c.values.finish();
    return c;
}

std::vector<std::string> labels(const std::vector<bar>& bars) {
    std::vector<std::string> all;
    for (const auto& b : bars) all.push_back(b.label);
    return all;
}

using words = std::vector<std::string>;
const std::vector<category> four{of("a", {1, 2}), of("b", {9}), of("c", {4, 4, 4}), of("d", {5, 6, 7, 8})};

}  // namespace

TEST_CASE("bars are of the statistic, largest first") {
    CHECK(labels(bars_of(four, statistic::mean, 4, false)) == words{"b", "d", "c", "a"});
    CHECK(labels(bars_of(four, statistic::count, 4, false)) == words{"d", "c", "a", "b"});
    CHECK(bars_of(four, statistic::sum, 4, false).front().value == 26);
    CHECK(bars_of(four, statistic::median, 4, false)[1].value == 6.5);
}

TEST_CASE("beyond the most bars the rest is one, of all its rows") {
    const auto bars = bars_of(four, statistic::mean, 3, false);
    CHECK(labels(bars) == words{"b", "d", "other (2)"});
    CHECK(bars[2].rows == 5);
    CHECK(bars[2].value == 3);  // (1 + 2 + 4 + 4 + 4) / 5, not the mean of means
    CHECK(bars_of(four, statistic::median, 3, false)[2].value == 4);
    CHECK(bars_of(four, statistic::sum, 2, false)[1].value == 24);
}

TEST_CASE("categories with an order keep it") {
    CHECK(labels(bars_of(four, statistic::mean, 4, true)) == words{"a", "b", "c", "d"});
    CHECK(labels(bars_of(four, statistic::mean, 3, true)) == words{"b", "d", "other (2)"});
}

TEST_CASE("a category without values has no bar") {
    CHECK(labels(bars_of({of("a", {}), of("b", {0})}, statistic::sum, 4, false)) == words{"b"});
}

TEST_CASE("a series has each x once, in order") {
    const auto all = series_of({{2, 10, 0}, {1, 5, 0}, {2, 20, 0}, {1, 7, 1}}, {"p", "o"}, statistic::mean, 6);
    REQUIRE(all.size() == 2);
    CHECK(all[0].name == "o");
    CHECK(all[1].x == std::vector<double>{1, 2});
    CHECK(all[1].y == std::vector<double>{5, 15});
    CHECK(all[1].rows == 3);
    CHECK(series_of({{1, 5, 0}, {1, 7, 1}, {2, 7, 1}}, {"p", "o"}, statistic::sum, 1).front().name == "o");
}

TEST_CASE("a line is drawn by the first, the extremes and the last of each column of pixels") {
    const std::vector<pixel_place> line{{0.0, 5}, {0.2, 9}, {0.4, 6}, {0.6, 1}, {0.8, 4}, {1.0, 3}, {1.5, 2}, {7.9, 8}};
    std::vector<double> rows;
    for (const auto& p : drawn_places(line)) rows.push_back(p.row);
    CHECK(rows == std::vector<double>{5, 9, 1, 4, 3, 2, 8});
    CHECK(drawn_places({}).empty());
}
