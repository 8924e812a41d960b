#include <aggregation/zone_statistics.hpp>

#include "catch.hpp"

#include <map>
#include <random>
#include <tuple>

using namespace gdalmcp_aggregation;

namespace {

const std::vector<statistic> everything{statistic::median,        statistic::stdev,          statistic::frac,
                                        statistic::weighted_mean, statistic::weighted_stdev, statistic::min_location,
                                        statistic::majority,      statistic::variety};

zone_statistics of(std::initializer_list<std::pair<double, double>> cells) {
    zone_statistics s{everything};
    for (const auto& [value, share] : cells) s.add(value, share);
    return s;
}

}  // namespace

TEST_CASE("statistics weigh each cell by its share") {
    auto s = of({{1, 1}, {2, 0.5}, {3, 0.5}});
    CHECK(s.value_of(statistic::count) == 2);
    CHECK(s.cells() == 3);
    CHECK(s.value_of(statistic::sum) == 3.5);
    CHECK(s.value_of(statistic::mean) == 1.75);
    CHECK(s.value_of(statistic::min) == 1);
    CHECK(s.value_of(statistic::max) == 3);
    CHECK(s.value_of(statistic::variety) == 3);
    // Deviations -0.75, 0.25, 1.25 with weights 1, 0.5, 0.5 over 2.
    CHECK(*s.value_of(statistic::stdev) == Approx(std::sqrt(1.375 / 2)));
    CHECK(*s.value_of(statistic::variance) == Approx(1.375 / 2));
    CHECK(*s.value_of(statistic::coefficient_of_variation) == Approx(std::sqrt(1.375 / 2) / 1.75));
}

TEST_CASE("whole cells side by side count as one by one") {
    std::vector<double> values;
    for (int i = 0; i < 45; ++i) values.push_back(i % 2 ? 1e17 + i : -1e17);
    const std::vector<statistic> plain{statistic::sum, statistic::min, statistic::max, statistic::stdev};
    zone_statistics run{plain}, single{plain};
    REQUIRE(run.takes_runs());
    CHECK(run.add_run(values.data(), values.size()));
    for (const double v : values) single.add(v, 1);
    for (const auto s : plain) CHECK(run.value_of(s) == single.value_of(s));
    CHECK(run.count() == 45);
    CHECK(run.cells() == 45);

    // Nothing is added of a run with a value that is not finite.
    for (const double odd : {double{INFINITY}, -double{INFINITY}, double{NAN}}) {
        auto with = values;
        with[41] = odd;
        CHECK_FALSE(run.add_run(with.data(), with.size()));
    }
    for (const auto s : plain) CHECK(run.value_of(s) == single.value_of(s));
    CHECK_FALSE(zone_statistics{{statistic::frac}}.takes_runs());
}

TEST_CASE("parts of cells side by side count as one by one") {
    std::vector<double> values, shares;
    for (int i = 0; i < 29; ++i) {
        values.push_back(i % 3 ? 1e9 + i : -7.25);
        shares.push_back(1.0 / (1 + i % 4));
    }
    const std::vector<statistic> plain{statistic::count, statistic::sum,   statistic::min,
                                       statistic::max,   statistic::stdev, statistic::median};
    zone_statistics run{plain}, single{plain};
    CHECK(run.add_run(values.data(), shares.data(), values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) single.add(values[i], shares[i]);
    for (const auto s : plain) CHECK(*run.value_of(s) == Approx(*single.value_of(s)).epsilon(1e-15));
    CHECK(run.cells() == 29);
    values[28] = NAN;
    CHECK_FALSE(run.add_run(values.data(), shares.data(), values.size()));
    CHECK(run.cells() == 29);
}

TEST_CASE("values in single precision have the figures of the same in double") {
    std::vector<float> single;
    for (int i = 0; i < 37; ++i) single.push_back(0.1F * static_cast<float>((i * 11) % 17) - 0.7F);
    const std::vector<double> same(single.begin(), single.end());
    run_totals a{true}, b{true};
    CHECK(a.add(single.data(), single.size()));
    CHECK(b.add(same.data(), same.size()));
    CHECK(a.sum().value() == b.sum().value());
    CHECK(a.squares().value() == b.squares().value());
    CHECK(a.min() == b.min());
    CHECK(a.max() == b.max());
}

TEST_CASE("NaN and the values of a range are missing, and what was missing stays so") {
    const std::vector<float> single{1, NAN, -9999, 2, 3};
    std::vector<unsigned char> valid{1, 1, 1, 0, 255};
    mark_missing(single.data(), 5, -9999, -9999, valid.data());
    CHECK(valid == std::vector<unsigned char>{1, 0, 0, 0, 255});
    const std::vector<double> same{1, NAN, -9999, 2, 3};
    valid = {1, 1, 1, 0, 255};
    mark_missing(same.data(), 5, 1, 0, valid.data());  // no range
    CHECK(valid == std::vector<unsigned char>{1, 0, 1, 0, 255});
}

TEST_CASE("medians and quantiles of whole cells are those of numpy") {
    auto s = of({{4, 1}, {2, 1}, {3, 1}, {1, 1}});
    CHECK(s.value_of(statistic::median) == 2.5);
    CHECK(s.quantile_of(0) == 1);
    CHECK(*s.quantile_of(0.25) == Approx(1.75));
    CHECK(*s.quantile_of(0.9) == Approx(3.7));
    CHECK(s.quantile_of(1) == 4);
    CHECK(of({{3, 1}, {1, 1}, {2, 1}}).value_of(statistic::median) == 2);
    // numpy.quantile([7, 7, 7, 9], [0.5, 0.75])
    CHECK(of({{7, 1}, {9, 1}, {7, 1}, {7, 1}}).quantile_of(0.5) == 7);
    CHECK(*of({{7, 1}, {9, 1}, {7, 1}, {7, 1}}).quantile_of(0.75) == Approx(7.5));
    CHECK(of({{5, 0.25}}).value_of(statistic::median) == 5);
    CHECK_FALSE(of({}).quantile_of(0.5));
}

TEST_CASE("between cells covered in part a quantile is linear in their places") {
    // n = 3: places 0, 1 * 0.2 + 2 * 0.1 = 0.4, 2 * 0.3 + 2 * 0.3 = 1.2; the median is at 0.5 * 2 * 0.6 = 0.6.
    CHECK(*of({{1, 0.1}, {2, 0.2}, {3, 0.3}}).value_of(statistic::median) == Approx(2.25));
    // n = 5: places 0, 5, 10, 13.5, 16.
    auto s = of({{10, 1}, {20, 1}, {40, 0.5}, {30, 1}, {40, 0.5}});
    CHECK(*s.quantile_of(0.25) == Approx(18));
    CHECK(*s.quantile_of(0.5) == Approx(26));
    CHECK(*s.quantile_of(0.76) == Approx(30 + 10 * 2.16 / 3.5));
    CHECK(s.quantile_of(0.9) == 40);
    CHECK(of({{1, 1}, {2, 1e-14}}).quantile_of(1) == 2);
}

TEST_CASE("extremes are located; of equal cells the uppermost, then the leftmost, in whatever order they come") {
    zone_statistics s{everything};
    CHECK_FALSE(s.lowest());
    for (const auto& [row, column, value] : std::vector<std::tuple<std::size_t, std::size_t, double>>{
             {5, 1, 2}, {3, 4, 2}, {3, 3, 2}, {4, 0, 2}, {9, 9, 7}})
        s.locate(value, {row, column});
    CHECK(s.lowest()->row == 3);
    CHECK(s.lowest()->column == 3);
    CHECK(s.highest()->row == 9);
    s.locate(7, {9, 10});
    CHECK(s.highest()->column == 9);
}

TEST_CASE("majority and minority go by share, ties to the smallest value, -0 equals 0") {
    CHECK(of({{7, 0.6}, {2, 0.5}, {7, 0.6}, {2, 0.5}}).value_of(statistic::majority) == 7);
    CHECK(of({{7, 0.6}, {2, 0.5}}).value_of(statistic::minority) == 2);
    CHECK(of({{9, 1}, {4, 1}, {6, 1}}).value_of(statistic::majority) == 4);
    CHECK(of({{9, 1}, {4, 1}, {6, 1}}).value_of(statistic::minority) == 4);
    CHECK(of({{0.0, 1}, {-0.0, 1}, {1, 1.5}}).value_of(statistic::majority) == 0);
}

TEST_CASE("a zone without values has a count of 0 and no other statistic") {
    zone_statistics s{everything};
    s.add(3, 0);
    s.add_nodata(0.5);
    s.add_nan(0.25);
    s.add_infinite(1);
    CHECK(s.value_of(statistic::count) == 0);
    CHECK(s.value_of(statistic::variety) == 0);
    for (const auto name : {"sum", "mean", "min", "max", "stdev", "coefficient_of_variation", "median", "majority",
                            "minority", "weighted_sum", "variance", "weighted_stdev"})
        CHECK_FALSE(s.value_of(*statistic_named(name)));
    CHECK(s.nodata() == 0.5);
    CHECK(s.nan() == 0.25);
    CHECK(s.infinite() == 1);
}

TEST_CASE("weights act beside shares, and weights that cancel leave no mean") {
    zone_statistics s{everything};
    s.add_weighted(10, 1, 3);
    s.add_weighted(20, 0.5, 2);
    CHECK(s.value_of(statistic::weighted_sum) == 50);
    CHECK(s.value_of(statistic::weighted_mean) == 12.5);
    CHECK(s.value_of(statistic::sum) == 20);
    // Weights 3 and 1 about 12.5: (3 x 6.25 + 1 x 56.25) / 4.
    CHECK(*s.value_of(statistic::weighted_stdev) == Approx(std::sqrt(18.75)));
    zone_statistics none{everything};
    none.add_weighted(10, 1, 1);
    none.add_weighted(20, 1, -1);
    CHECK_FALSE(none.value_of(statistic::weighted_mean));
    CHECK_FALSE(none.value_of(statistic::weighted_stdev));
}

TEST_CASE("sums of whole numbers are exact where a plain sum is not") {
    zone_statistics s{{statistic::sum}};
    s.add(9007199254740992.0, 1);  // 2^53: the next whole number needs the compensation
    for (int i = 0; i < 1000; ++i) s.add(1, 1);
    s.add(-9007199254740992.0, 1);
    CHECK(s.value_of(statistic::sum) == 1000);
}

TEST_CASE("the standard deviation survives a large offset") {
    auto s = of({});
    for (int i = 0; i < 10000; ++i) s.add(1e9 + i % 2, 1);
    CHECK(*s.value_of(statistic::stdev) == Approx(0.5).epsilon(1e-6));
}

TEST_CASE("merging values on the way changes no order statistic") {
    std::mt19937 random{5};
    zone_statistics s{everything};
    std::vector<double> sorted;
    for (int i = 0; i < 300001; ++i) {
        const auto value = static_cast<double>(random() % 100000);
        s.add(value, 1);
        sorted.push_back(value);
    }
    std::sort(sorted.begin(), sorted.end());
    CHECK(s.value_of(statistic::median) == sorted[150000]);
    CHECK(s.value_of(statistic::variety) ==
          static_cast<double>(std::unique(sorted.begin(), sorted.end()) - sorted.begin()));
}

TEST_CASE("each class has its cells and its area, -0 with 0, by value") {
    zone_statistics s{{statistic::frac}};
    s.add(7, 1, 100);
    s.add(-0.0, 0.5, 200);
    s.add(7, 0.25, 300);
    s.add(0.0, 0.5, 200);
    s.add(5, 0, 999);
    const auto found = s.classes();
    REQUIRE(found.size() == 2);
    CHECK(found[0].value == 0);
    CHECK(found[0].cells == 1);
    CHECK(found[0].area == 200);
    CHECK(found[1].cells == 1.25);
    CHECK(found[1].area == 175);
    CHECK(s.distinct_classes() == 2);
}

TEST_CASE("values are counted in their order, cut cells among the whole ones") {
    const auto list = [](const cell_values& v) {
        std::vector<std::tuple<double, std::size_t, std::size_t, double>> all;
        v.each([&](const cell_value& of) {
            all.emplace_back(of.value, of.whole, of.cells(), of.share());
            return true;
        });
        return all;
    };
    using values = decltype(list({}));
    cell_values v;
    CHECK(list(v).empty());
    v.add(3, 1);
    v.add(5, 0.25);
    v.add(-0.0, 1);
    v.add(3, 0.5);
    v.sort();
    CHECK(list(v) == values{{0, 1, 1, 1}, {3, 1, 2, 1.5}, {5, 0, 1, 0.25}});
    const float run[]{3, 0, 3, 9};
    v.add_whole(run, 4);
    v.sort();
    CHECK(list(v) == values{{0, 2, 2, 2}, {3, 3, 4, 3.5}, {5, 0, 1, 0.25}, {9, 1, 1, 1}});
    CHECK(v.counted() == 3);
}

TEST_CASE("values that are counted several times while they are added are all there") {
    std::mt19937 random{5};
    std::map<double, std::size_t> expected;
    cell_values v;
    for (int i = 0; i < 400'000; ++i) {
        const double value = (static_cast<double>(random() % 150'000) - 75'000) / 8;
        ++expected[value];
        v.add(value, 1);
    }
    v.sort();
    CHECK(v.counted() == expected.size());
    auto at = expected.begin();
    v.each([&](const cell_value& of) { return of.value == at->first && of.whole == at++->second; });
    CHECK(at == expected.end());
}

TEST_CASE("statistics do not depend on the order of the cells, to the last bit") {
    std::mt19937 random{3};
    std::vector<std::pair<double, double>> cells;
    for (int i = 0; i < 2000; ++i)
        cells.emplace_back(1e6 + static_cast<double>(random() % 997) / 7,
                           static_cast<double>(1 + random() % 1000) / 1000);
    const auto all = [&] {
        zone_statistics s{everything};
        for (const auto& [value, share] : cells) s.add(value, share);
        std::vector<double> values;
        for (const auto name : {"count", "sum", "mean", "stdev", "median", "majority"})
            values.push_back(*s.value_of(*statistic_named(name)));
        return values;
    };
    const auto first = all();
    std::shuffle(cells.begin(), cells.end(), random);
    CHECK(all() == first);
    std::sort(cells.begin(), cells.end());
    CHECK(all() == first);
}

TEST_CASE("the standard deviation survives a large offset where cells are covered in part, too") {
    zone_statistics s{everything};
    for (int i = 0; i < 1000; ++i) s.add(1e9 + i % 2, 0.1 + 0.001 * (i / 2 % 700));
    CHECK(*s.value_of(statistic::stdev) == Approx(0.5).epsilon(1e-6));
}

TEST_CASE("every name finds its statistic, and aliases theirs") {
    for (std::size_t i = 0; i < statistic_names.size(); ++i)
        CHECK(name_of(*statistic_named(statistic_names[i])) == statistic_names[i]);
    CHECK_FALSE(statistic_named("Mean"));
}
