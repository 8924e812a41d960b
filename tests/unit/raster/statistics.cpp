#include <raster/statistics.hpp>

#include "catch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

using namespace gdalmcp_raster;

namespace {

template <class T>
constexpr cell_type type_of() {
    if constexpr (std::is_same_v<T, std::int8_t>) return cell_type::int8;
    if constexpr (std::is_same_v<T, std::uint8_t>) return cell_type::uint8;
    if constexpr (std::is_same_v<T, std::int16_t>) return cell_type::int16;
    if constexpr (std::is_same_v<T, std::int32_t>) return cell_type::int32;
    if constexpr (std::is_same_v<T, std::uint32_t>) return cell_type::uint32;
    if constexpr (std::is_same_v<T, std::int64_t>) return cell_type::int64;
    if constexpr (std::is_same_v<T, float>) return cell_type::float32;
    return cell_type::float64;
}

struct asked {
    std::vector<double> percentiles{};
    std::size_t bins = 0;
    nodata_range missing{};
    std::vector<unsigned char> valid{}, selected{};
    std::size_t width = 0;  // 0 = one row
    std::size_t workers = 1;
    const class_areas* areas = nullptr;
    bool classes = false, classes_alone = false;
};

// Parts of one row each, dealt out to the workers in turn.
template <class T>
std::unique_ptr<statistics> of(const std::vector<T>& cells, const asked& a = {}) {
    auto s = statistics_of(type_of<T>(), a.missing);
    const std::size_t width = a.width ? a.width : cells.size(), rows = cells.size() / width;
    const auto block = [&](std::size_t row) {
        cell_block b;
        b.cells = cells.data() + row * width;
        if (!a.valid.empty()) b.valid = a.valid.data() + row * width;
        if (!a.selected.empty()) b.selected = a.selected.data() + row * width;
        b.first = {static_cast<std::int64_t>(row), 0};
        b.width = width;
        b.height = 1;
        return b;
    };
    if (a.classes) s->count_classes(a.areas, a.classes_alone);
    s->begin(rows, a.workers, !a.percentiles.empty());
    // Backwards: the order in which parts are done must not matter.
    for (std::size_t row = rows; row-- > 0;) s->add(block(row), row, row % a.workers);
    s->end();
    s->look_for(a.percentiles, a.bins);
    for (; s->needs_pass(); s->end_pass()) {
        s->begin_pass();
        for (std::size_t row = 0; row < rows; ++row) s->refine(block(row), row % a.workers);
    }
    return s;
}

// The definition: numpy's default.
template <class T>
double sorted_percentile(std::vector<T> cells, double p) {
    std::sort(cells.begin(), cells.end());
    const double at = static_cast<double>(cells.size() - 1) * p / 100;
    const auto low = static_cast<std::size_t>(at);
    const auto a = static_cast<double>(cells[low]), b = static_cast<double>(cells[std::min(low + 1, cells.size() - 1)]);
    return a + (b - a) * (at - static_cast<double>(low));
}

}  // namespace

TEMPLATE_TEST_CASE("mean and population standard deviation of 2 4 4 4 5 5 7 9 are 5 and 2", "", std::int8_t,
                   std::uint8_t, std::int16_t, std::int32_t, std::int64_t, float, double) {
    const auto s = of<TestType>({2, 4, 4, 4, 5, 5, 7, 9});
    CHECK(s->mean() == 5);
    CHECK(s->std() == Approx(2).epsilon(1e-15));
    CHECK(s->sum() == 40);
    CHECK(s->min() == 2);
    CHECK(s->max() == 9);
    CHECK(s->cells_at_min() == 1);
}

TEMPLATE_TEST_CASE("percentiles of every type are those of the sorted cells, below zero, too", "", std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, float, double) {
    std::vector<TestType> cells;
    for (int i = 0; i < 9000; ++i) {
        if constexpr (std::is_integral_v<TestType>)
            cells.push_back(static_cast<TestType>((i * 7919) % 211 - 100));
        else
            cells.push_back(static_cast<TestType>(std::sin(i) * std::pow(10, i % 7 - 3)));
    }
    const std::vector<double> wanted{0, 2, 25, 33.3, 50, 98, 99.99, 100};
    const auto s = of(cells, {.percentiles = wanted, .width = 3000, .workers = 2});
    for (const double p : wanted) CHECK(s->percentile(p) == Approx(sorted_percentile(cells, p)).epsilon(1e-14));
}

TEST_CASE("neighbouring doubles are told apart") {
    std::vector<double> cells{1};
    while (cells.size() < 101) cells.push_back(std::nextafter(cells.back(), 2));
    const auto s = of(cells, {.percentiles = {50, 73}});
    CHECK(s->percentile(50) == cells[50]);
    CHECK(s->percentile(73) == cells[73]);
}

TEST_CASE("percentiles are linear between ranks") {
    // The example of Hyndman & Fan's type 7 in R: quantile(x, 0.4) = 29.
    const auto s = of<float>({15, 20, 35, 40, 50}, {.percentiles = {40, 50, 0, 100}});
    CHECK(s->percentile(40) == 29);
    CHECK(s->percentile(50) == 35);
    CHECK(s->percentile(0) == 15);
    CHECK(s->percentile(100) == 50);
}

TEST_CASE("nodata, NaN and infinite cells are counted apart and enter nothing") {
    const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
    const std::vector<float> cells{1, -9999, nan, inf, -inf, 3};
    for (const bool by_mask : {false, true}) {
        asked a{.percentiles = {50}};
        if (by_mask)
            a.valid = {255, 0, 255, 255, 255, 255};
        else
            a.missing = {-9999, -9999, false};
        const auto s = of(cells, a);
        CHECK(s->counts().valid == 2);
        CHECK(s->counts().nodata == 1);
        CHECK(s->counts().nan == 1);
        CHECK(s->counts().infinite == 2);
        CHECK(s->min() == 1);
        CHECK(s->max() == 3);
        CHECK(s->mean() == 2);
        CHECK(s->percentile(50) == 2);
    }
    CHECK(of(cells, {.missing = {1, 0, true}})->counts().nodata == 1);
}

TEST_CASE("nodata in the midst of the values does not move a percentile") {
    std::vector<float> cells;
    for (int i = 0; i < 5000; ++i) cells.push_back(i % 2 ? 500.5F : static_cast<float>(i) / 5);
    const auto s = of(cells, {.percentiles = {50}, .missing = {500.5, 500.5, false}});
    CHECK(s->counts().nodata == 2500);
    CHECK(s->percentile(50) == Approx(499.8).epsilon(1e-6));
}

TEST_CASE("cells that are not selected are ignored") {
    const auto s = of<std::uint8_t>({1, 2, 3, 255}, {.missing = {255, 255, false}, .selected = {0, 1, 1, 0}});
    CHECK(s->counts().valid == 2);
    CHECK(s->counts().nodata == 0);
    CHECK(s->sum() == 5);
}

TEST_CASE("the places of minimum and maximum are the first in row order, whatever part comes first") {
    //                              row 0       row 1       row 2
    const std::vector<float> cells{5, 9, 5, 5, 5, 1, 9, 1, 1, 5, 5, 9};
    for (const std::size_t workers : {1, 2, 3}) {
        const auto s = of(cells, {.width = 4, .workers = workers});
        CHECK(s->min_place() == cell_place{1, 1});
        CHECK(s->max_place() == cell_place{0, 1});
        CHECK(s->cells_at_min() == 3);
        CHECK(s->cells_at_max() == 3);
    }
    // A cell without data holds no minimum.
    const auto s = of<float>({1, 7, 1, 3}, {.valid = {0, 255, 255, 255}});
    CHECK(s->min_place() == cell_place{0, 2});
}

TEST_CASE("the number of workers changes no bit of any figure") {
    std::vector<float> cells(40 * 5000);
    for (std::size_t i = 0; i < cells.size(); ++i)
        cells[i] = static_cast<float>(std::sin(static_cast<double>(i)) * 1e6 + 1e7);
    const auto one = of(cells, {.percentiles = {2, 50}, .width = 5000});
    const auto three = of(cells, {.percentiles = {2, 50}, .width = 5000, .workers = 3});
    CHECK(one->mean() == three->mean());
    CHECK(one->std() == three->std());
    CHECK(one->percentile(2) == three->percentile(2));
}

TEST_CASE("sums of 32- and 64-bit integers are exact") {
    const auto s = of(std::vector<std::uint32_t>(100000, 4294967295U));
    CHECK(s->sum() == 429496729500000.0);
    CHECK(s->mean() == 4294967295.0);
    CHECK(s->std() == 0);
    // 2^53 + 1 is no double: summed as doubles these were 0.
    const std::int64_t odd = (std::int64_t{1} << 53) + 1;
    CHECK(of<std::int64_t>({odd, odd, -odd, 1 - odd})->sum() == 1);
}

TEST_CASE("a small spread on a large offset keeps its standard deviation") {
    CHECK(of<double>({1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4})->std() == Approx(std::sqrt(1.25)).epsilon(1e-12));
    CHECK(of<std::int32_t>({1000000001, 1000000002, 1000000003, 1000000004})->std() ==
          Approx(std::sqrt(1.25)).epsilon(1e-12));
}

TEST_CASE("values near the end of the range of double have a mean") {
    const double most = std::numeric_limits<double>::max();
    CHECK(of<double>({most, most, most})->mean() == most);
}

TEST_CASE("the last bin of a histogram holds the maximum") {
    CHECK(of<float>({0, 1, 2, 3, 4}, {.bins = 2})->histogram() == std::vector<std::int64_t>{2, 3});
    CHECK(of<std::uint8_t>({0, 1, 2, 3, 4}, {.bins = 2})->histogram() == std::vector<std::int64_t>{2, 3});
    CHECK(of<float>({7, 7, 7}, {.bins = 3})->histogram() == std::vector<std::int64_t>{3, 0, 0});
    CHECK(of<std::int32_t>({2, 2, 8, 5}, {.bins = 7})->histogram() == std::vector<std::int64_t>{2, 0, 0, 1, 0, 0, 1});
}

TEST_CASE("a part of one value counts as its cells do") {
    const float value = 4;
    const std::vector<float> others{1, 2};
    const auto feed = [&](statistics& s, auto&& f) {
        cell_block uniform;
        uniform.cells = &value;
        uniform.uniform = true;
        uniform.width = 1000;
        uniform.height = 3;
        cell_block rest;
        rest.cells = others.data();
        rest.first = {3, 0};
        rest.width = 2;
        rest.height = 1;
        f(s, uniform, 0);
        f(s, rest, 1);
    };
    auto s = statistics_of(cell_type::float32);
    s->begin(2, 1, true);
    feed(*s, [](statistics& to, const cell_block& b, std::size_t part) { to.add(b, part, 0); });
    s->end();
    s->look_for({50}, 3);
    for (; s->needs_pass(); s->end_pass()) {
        s->begin_pass();
        feed(*s, [](statistics& to, const cell_block& b, std::size_t) { to.refine(b, 0); });
    }
    CHECK(s->counts().valid == 3002);
    CHECK(s->sum() == 12003);
    CHECK(s->percentile(50) == 4);
    CHECK(s->histogram() == std::vector<std::int64_t>{1, 1, 3000});
    CHECK(s->cells_at_max() == 3000);
    CHECK(s->max_place() == cell_place{0, 0});
    CHECK(s->std() == Approx(std::sqrt((9.0 + 4) / 3002)).epsilon(0.001));
}

TEST_CASE("classes have counts and areas, runs end with the row") {
    // Row 0 has cells of 10, row 1 of 1.
    struct by_row final : class_areas {
        double of(cell_place first, std::int64_t n) const override {
            return static_cast<double>(n) * (first.row == 0 ? 10 : 1);
        }
    } const areas;
    const std::vector<std::uint8_t> cells{1, 1, 7, 7, 7, 1, 255, 7};
    const auto s =
        of(cells, {.missing = {255, 255, false}, .width = 4, .workers = 2, .areas = &areas, .classes = true});
    REQUIRE(s->classes().size() == 2);
    CHECK(s->classes().at(1).count == 3);
    CHECK(s->classes().at(1).area == 21);
    CHECK(s->classes().at(7).count == 4);
    CHECK(s->classes().at(7).area == 22);
    const auto alone = of(cells, {.missing = {255, 255, false},
                                  .width = 4,
                                  .workers = 2,
                                  .areas = &areas,
                                  .classes = true,
                                  .classes_alone = true});
    CHECK(alone->counts().valid == 7);
    CHECK(alone->classes().at(1).area == 21);
    CHECK(alone->classes().at(7).count == 4);
}

TEMPLATE_TEST_CASE("runs of every length and place are counted", "", std::uint8_t, std::int16_t, std::uint32_t,
                   std::int64_t) {
    std::vector<TestType> cells;
    std::map<std::int64_t, std::int64_t> expected;
    for (int length = 1; length <= 40; ++length) {
        const auto code = static_cast<TestType>(1 + length % 3);
        cells.insert(cells.end(), static_cast<std::size_t>(length), code);
        expected[code] += length;
    }
    // 820 cells in rows of 41: runs go on in the next row.
    const auto s = of(cells, {.width = 41, .classes = true, .classes_alone = true});
    for (const auto& [code, count] : expected) CHECK(s->classes().at(code).count == count);
    CHECK(s->counts().valid == 820);
}

TEST_CASE("whole numbers in floating point are codes, others are not") {
    CHECK(of<float>({11, 11, 42}, {.classes = true})->classes().at(11).count == 2);
    const auto s = of<float>({11, 11.5, 42}, {.classes = true});
    CHECK(s->no_classes());
    CHECK(s->classes().empty());
    std::vector<std::int32_t> many(statistics::max_classes + 1);
    std::iota(many.begin(), many.end(), 0);
    CHECK(of(many, {.classes = true})->no_classes());
}

TEST_CASE("signed codes are codes") {
    CHECK(of<std::int16_t>({11, 11, -3}, {.classes = true})->classes().at(11).count == 2);
    CHECK(of<std::int8_t>({11, 11, -3}, {.classes = true})->classes().at(-3).count == 1);
    CHECK(of<std::int64_t>({1, 1, -9'000'000'000}, {.classes = true})->classes().size() == 2);
}
